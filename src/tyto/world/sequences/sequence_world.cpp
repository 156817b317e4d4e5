// SPDX-License-Identifier: Apache-2.0
// The world `sequences`: videos told by motion or appearance, as features.
#include "tyto/world/sequences/sequences.hpp"
#include "tyto/world/tasks/simulated_tasks.hpp"

namespace tyto {

WorldSpec sequence_world_spec() {
  return simulated_tasks<SequenceOptions>(
      "sequences", "simulated: videos told by motion or appearance, in tasks of classes",
      make_sequences);
}

}  // namespace tyto
