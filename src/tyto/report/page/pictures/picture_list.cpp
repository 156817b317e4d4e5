// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/pictures/picture_list.hpp"

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

PictureList::Key PictureList::key_of(Index run, const PictureWish& wish) {
  return {run, wish.sample, wish.split, wish.arm};
}

std::optional<Index> PictureList::of(Index run, const SampleData& samples, const std::string& name,
                                     PictureWish wish, PictureShare& share) {
  const Key key = key_of(run, wish);
  const auto found = places_.find(key);
  if (found != places_.end() && found->second) {
    return found->second;
  }
  if (!samples.picture || is_gone_[run]) {
    return std::nullopt;
  }
  wish.most_bytes = kLargestPicture;
  std::optional<SamplePicture> picture;
  try {
    picture = samples.picture(wish);
  } catch (const Error&) {
    is_gone_[run] = true;
  }
  if (!picture) {
    return std::nullopt;
  }
  const std::string shown_as = wish.split.empty() && wish.arm.empty() ? name : "";
  const std::size_t size = picture->bytes.size();
  if (const auto same = same_.find(picture->bytes); same != same_.end()) {
    Entry& entry = list_[static_cast<std::size_t>(same->second)];
    if (entry.run == run) {
      entry.sample = entry.sample.empty() ? shown_as : entry.sample;
      return places_[key] = same->second;
    }
  }
  if (size == 0 || size > kLargestPicture || size > share.left || total_ + size > kMostPictures) {
    places_.emplace(key, std::nullopt);
    return std::nullopt;
  }
  share.left -= size;
  total_ += size;
  const auto place = static_cast<Index>(list_.size());
  same_.emplace(picture->bytes, place);
  list_.push_back({run, shown_as, std::move(*picture)});
  return places_[key] = place;
}

bool PictureList::left_out(Index run, const PictureWish& wish) const {
  const auto found = places_.find(key_of(run, wish));
  return found != places_.end() && !found->second;
}

std::string left_out_text(Index pictures) {
  return pictures == 0
             ? ""
             : fmt::format(" {} {} left out to keep the page small (20 kB each, 2 MB in all).",
                           pictures, pictures == 1 ? "picture was" : "pictures were");
}

}  // namespace tyto
