// SPDX-License-Identifier: Apache-2.0
// The pictures of a page, each told once; sections refer to them by number.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tyto/report/page/sample_data.hpp"

namespace tyto {

constexpr std::size_t kLargestPicture = 20'000;   // bytes
constexpr std::size_t kMostPictures = 2'000'000;  // bytes of all on a page

// What a section may spend of them, so that the gallery, which comes late, finds some left.
struct PictureShare {
  std::size_t left = kMostPictures;
};

class PictureList {
 public:
  struct Entry {
    Index run = 0;
    std::string sample;  // its name; "" where it is not shown as it is, but changed or thinned
    SamplePicture picture;
  };

  // Its number; none where there is no picture, or none that fits. What is on the page already
  // costs nothing. `name` is the sample's.
  std::optional<Index> of(Index run, const SampleData& samples, const std::string& name,
                          PictureWish wish, PictureShare& share);

  // Whether there is one that was too large, or came too late.
  [[nodiscard]] bool left_out(Index run, const PictureWish& wish) const;

  [[nodiscard]] const std::vector<Entry>& all() const { return list_; }

 private:
  using Key = std::tuple<Index, SampleId, std::string, std::string>;  // run, sample, split, arm

  static Key key_of(Index run, const PictureWish& wish);

  std::vector<Entry> list_;
  std::map<Key, std::optional<Index>> places_;  // none: left out
  std::map<std::string, Index> same_;           // places by bytes: arms often keep the same frames
  std::map<Index, bool> is_gone_;               // by run
  std::size_t total_ = 0;
};

// " 3 pictures were left out to keep the page small (...)."; "" for none.
std::string left_out_text(Index pictures);

}  // namespace tyto
