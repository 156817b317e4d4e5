// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/card_pictures.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "tyto/engine/page/drawn_picture.hpp"
#include "tyto/engine/page/filed_picture.hpp"
#include "tyto/report/page/pictures/base64.hpp"

namespace tyto {

namespace {

constexpr std::size_t kCardPicture = 20'000;    // bytes
constexpr std::size_t kCardPictures = 450'000;  // bytes of all; base64 makes them a third larger
constexpr std::size_t kCardStrips = 8;
constexpr std::size_t kStripPictures = 6;

// A name in a row of a table that Markdown may neither end nor take for a link or markup.
std::string card_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("|[]<>`*_\\").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out.empty() ? "(empty)" : out;
}

class CardPictures {
 public:
  explicit CardPictures(const Dataset& dataset) : data_(dataset) {
    first_.resize(static_cast<std::size_t>(data_.table.size()));
    std::iota(first_.begin(), first_.end(), Index{0});
    if (!data_.table.frames.empty()) {
      std::exclusive_scan(data_.table.frames.begin(), data_.table.frames.end(), first_.begin(),
                          Index{0});
    }
  }

  std::string text() {
    const std::string classes = class_rows();
    if (classes.empty()) {
      return "";
    }
    std::string out =
        "\n## Pictures\n\nThe first sample of each class that has one.\n\n| class | picture "
        "|\n|---|---|\n" +
        classes;
    if (const std::string strips = strip_rows(); !strips.empty()) {
      out += "\nGroups along time, evenly spread samples.\n\n| group | pictures |\n|---|---|\n" +
             strips;
    }
    if (left_out_ > 0) {
      out += fmt::format("\n{} more were left out to keep the card small.\n", left_out_);
    }
    return out;
  }

 private:
  [[nodiscard]] std::string note(const char* column, std::size_t sample) const {
    const auto found = data_.table.annotations.find(column);
    return found == data_.table.annotations.end() ? "" : found->second[sample];
  }

  // None: it has no picture; "" bytes: too large a one.
  [[nodiscard]] std::optional<SamplePicture> picture(std::size_t sample) const {
    auto filed = filed_picture(
        data_.files.folder,
        {note("thumbnail", sample), note("thumbnail_frames", sample), note("media", sample)},
        kCardPicture);
    if (filed || !data_.picture) {
      return filed;
    }
    std::vector<Index> rows(static_cast<std::size_t>(
        data_.table.frames.empty() ? Index{1} : data_.table.frames[sample]));
    if (rows.empty()) {
      return std::nullopt;
    }
    std::iota(rows.begin(), rows.end(), first_[sample]);
    const std::vector<Index> shape = data_.store->shape(data_.picture->source);
    Matrix frames(std::ssize(rows),
                  std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()));
    data_.store->gather(data_.picture->source, rows, frames);
    return drawn_picture(frames, *data_.picture, kCardPicture);
  }

  // "" where there is none, or none that fits.
  std::string image(std::size_t sample, std::string_view name) {
    const auto found = picture(sample);
    if (!found) {
      return "";
    }
    if (found->bytes.empty() || total_ + found->bytes.size() > kCardPictures) {
      ++left_out_;
      return "";
    }
    total_ += found->bytes.size();
    return fmt::format("![{}](data:image/{};base64,{})", card_name(name),
                       found->bytes.starts_with("\x89PNG") ? "png" : "jpeg", base64(found->bytes));
  }

  std::string class_rows() {
    std::map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < data_.table.label.size(); ++i) {
      const std::string& label = data_.table.label[i];
      if (!label.empty() && !first.contains(label) && picture(i)) {
        first[label] = i;
      }
    }
    std::string rows;
    for (const auto& [label, sample] : first) {
      if (const std::string shown = image(sample, label); !shown.empty()) {
        rows += fmt::format("| {} | {} |\n", card_name(label), shown);
      }
    }
    return rows;
  }

  std::string strip_rows() {
    const IndexTable& table = data_.table;
    if (table.group.empty() || table.time.empty()) {
      return "";
    }
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < table.group.size(); ++i) {
      if (!table.group[i].empty()) {
        groups[table.group[i]].push_back(i);
      }
    }
    std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
    std::string rows;
    std::size_t shown = 0;
    for (auto& [group, samples] : groups) {
      if (shown == kCardStrips) {
        break;
      }
      std::stable_sort(samples.begin(), samples.end(),
                       [&](std::size_t a, std::size_t b) { return table.time[a] < table.time[b]; });
      std::string strip;
      const std::size_t pictures = std::min(kStripPictures, samples.size());
      for (std::size_t p = 0; p < pictures; ++p) {
        const std::size_t sample = samples[p * samples.size() / pictures];
        strip += image(sample, table.label[sample]);
      }
      if (!strip.empty()) {
        rows += fmt::format("| {} | {} |\n", card_name(group), strip);
        ++shown;
      }
    }
    return rows;
  }

  const Dataset& data_;
  std::vector<Index> first_;  // row of the store, by sample
  std::size_t total_ = 0;
  Index left_out_ = 0;
};

}  // namespace

std::string card_pictures(const Dataset& dataset) {
  return CardPictures(dataset).text();
}

}  // namespace tyto
