// SPDX-License-Identifier: Apache-2.0
// The world `clips`: drawn videos of moving shapes.
#include "tyto/world/clips/clips.hpp"
#include "tyto/world/tasks/simulated_tasks.hpp"

namespace tyto {

WorldSpec clip_world_spec() {
  return simulated_tasks<ClipOptions>(
      "clips", "simulated: small videos of moving shapes as pictures, in tasks of classes",
      make_clips);
}

}  // namespace tyto
