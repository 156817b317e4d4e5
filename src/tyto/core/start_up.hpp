// SPDX-License-Identifier: Apache-2.0
// Libraries that read their settings when they are loaded, set as this program needs them.
#pragma once

namespace tyto {

// Call first thing in main. Starts the program again where one of these must be set; values the
// user has set are left alone.
// - OPENBLAS_CORETYPE: an OpenBLAS older than the processor falls back to kernels of 2004, four to
//   six times slower.
// - GOMP_SPINCOUNT: threads that wait for work in a busy loop of milliseconds take the processor
//   from whoever could use it, here six sevenths of a small run.
// - the allocator keeps up to 256 MB of what is freed at the end of its heap: a block of samples
//   takes tens of megabytes, and pages given back and asked for again, one fault each, were an
//   eighth of a run.
void use_fast_libraries(char** argv);

}  // namespace tyto
