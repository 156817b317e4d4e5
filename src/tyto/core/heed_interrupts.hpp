// SPDX-License-Identifier: Apache-2.0
// Where a long computation that is handed no Progress heeds Ctrl-C and its like.
#pragma once

namespace tyto {

// Throws Cancelled once Progress::catch_interrupts has caught a signal. Costs one atomic read, and
// belongs outside parallel loops.
void heed_interrupts();

}  // namespace tyto
