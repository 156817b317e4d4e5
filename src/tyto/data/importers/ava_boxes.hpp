// SPDX-License-Identifier: Apache-2.0
// The published lists of AVA-Kinetics, a row for each person and action, told by key frame.
//
//   video_id, timestamp, x1, y1, x2, y2, action_id, person_id          as published
//   video_id, timestamp, x1, y1, x2, y2, action_id, score, person_id   with a score, not used
//
// There is no header; one that begins with video_id is passed over. Corners are fractions of the
// frame. A key frame without people has a row of its own with everything behind its timestamp
// empty.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "tyto/core/csv/csv.hpp"

namespace tyto {

// The columns youtube_id, key_frame_sec, persons, distinct_actions, person_action_pairs,
// mean_box_area, sum_box_area (fractions of the frame), action_ids (ascending, blank separated): a
// row for each video and timestamp, in the order of the lists. A person is a box: equal corners in
// one key frame are one person, whatever the person_id; areas are those of the people. A row that
// says again what another said counts once. Throws Error(data) naming file and line of a row that
// is malformed, or that is of people where another said there are none.
CsvTable ava_key_frames(std::span<const std::filesystem::path> lists);

}  // namespace tyto
