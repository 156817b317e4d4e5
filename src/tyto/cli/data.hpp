// SPDX-License-Identifier: Apache-2.0
// `tyto data list | show | import`.
#pragma once

namespace CLI {
class App;
}

namespace tyto {

// Adds the verb with its three words. They print to standard output and throw Error.
void add_data_command(CLI::App& app);

}  // namespace tyto
