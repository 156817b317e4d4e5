// SPDX-License-Identifier: Apache-2.0
// The likeliest spelling of a verb or option that does not exist.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tyto {

// A sentence about the first word of a refused command line that is no verb, or no option of its
// verb, with what may have been meant; "" where all of them exist.
std::string misspelled_word(const CLI::App& app, int argc, char** argv);

}  // namespace tyto
