// SPDX-License-Identifier: Apache-2.0
// Simulated worlds as files: as a dataset, or drawn ones as videos or pictures that someone else is
// to make features of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tyto/core/config.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/data/dataset.hpp"

namespace tyto {

struct VideoModule;

// All samples of a simulated world, by options with the key `kind`, with the split that a world of
// tasks of this seed would draw. Throws as simulate_world.
Dataset make_data(const ConfigNode& options, std::string_view path, std::uint64_t seed);

// Throws Error(config) unless the data have pictures, naming the world.
void expect_pictures(const Dataset& data);

// segments.csv: video,start,end,label,group,split,fps,frames: where the action is, in seconds.
// labels.csv: video,label,group,split: of whole videos.
std::string segments_csv(const Dataset& data);
std::string labels_csv(const Dataset& data);

enum class MadeAs { dataset, videos, pictures };

// dataset   a dataset of Tyto, pictures a byte a value
// videos    videos/<id>.mkv, lossless
// pictures  pictures/<id>/000001.png
// With segments.csv and labels.csv where samples are runs of frames. The folder must not be there;
// it appears whole or not at all. `module` is only asked for pictures and videos; null: the one
// beside the library.
void write_made_data(const Dataset& data, MadeAs as, const std::filesystem::path& folder,
                     Progress& progress, const VideoModule* module = nullptr);

}  // namespace tyto
