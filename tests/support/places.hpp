// SPDX-License-Identifier: Apache-2.0
// Where the tree and the program under test lie. One object is compiled with these paths, so that
// clones in other folders share all others from the compiler cache.
#pragma once

#include <string>
#include <string_view>

namespace tyto::testing_support {

// in_tree("/datasets"): a file or folder of the tree, or beside it: in_tree("/../shared/data").
std::string in_tree(std::string_view path);

// The program as it was built with the tests; a word of the program itself, for children to
// execute.
const char* built_program();

}  // namespace tyto::testing_support
