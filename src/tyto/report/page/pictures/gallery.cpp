// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/pictures/gallery.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "tyto/measure/table.hpp"

namespace tyto {

namespace {

constexpr Index kTop = 5;

// The most extreme items so far.
class Ranked {
 public:
  explicit Ranked(std::size_t most) : most_(most) {}

  void add(double extreme, GalleryItem item) {
    ++samples_;
    items_.emplace_back(extreme, std::move(item));
    if (items_.size() >= 8 * most_) {
      keep_most();
    }
  }

  // Whether such a sample can be among them: what is filled in for others is thrown away.
  [[nodiscard]] bool wants(double extreme) const { return !full_ || extreme >= least_; }

  void count_only() { ++samples_; }

  [[nodiscard]] Index samples() const { return samples_; }

  [[nodiscard]] std::vector<GalleryItem> taken() {
    keep_most();
    std::vector<GalleryItem> out;
    for (auto& [extreme, item] : items_) {
      out.push_back(std::move(item));
    }
    return out;
  }

 private:
  void keep_most() {
    std::sort(items_.begin(), items_.end(), [](const auto& a, const auto& b) {
      return std::tie(b.first, a.second.name, a.second.step) <
             std::tie(a.first, b.second.name, b.second.step);
    });
    if (items_.size() >= most_) {
      items_.resize(most_);
      full_ = true;
      least_ = items_.empty() ? 0.0 : items_.back().first;
    }
  }

  std::size_t most_;
  std::vector<std::pair<double, GalleryItem>> items_;
  Index samples_ = 0;
  bool full_ = false;
  double least_ = 0.0;
};

std::optional<double> value_at(const std::vector<float>& values, std::size_t row) {
  return row < values.size() ? std::optional(static_cast<double>(values[row])) : std::nullopt;
}

GalleryItem item_at(const Phase& phase, Index i, const Truth& truth) {
  const auto row = static_cast<std::size_t>(i);
  GalleryItem item;
  item.sample = phase.sample[row];
  item.step = phase.key.step;
  item.name = truth.name.at(static_cast<std::size_t>(item.sample));
  item.truth = truth.label_of(item.sample);
  for (Index rank = 0; rank < std::min(kTop, phase.top.cols()); ++rank) {
    const std::int32_t entry = phase.top(i, rank);
    if (entry >= 0 && entry < phase.space.size()) {
      item.top.emplace_back(phase.space.name(static_cast<Label>(entry)),
                            static_cast<double>(phase.top_probability(i, rank)));
    }
  }
  item.novelty = value_at(phase.novelty, row);
  item.p_value = value_at(phase.p_value, row);
  return item;
}

class Gallery {
 public:
  Gallery(std::size_t items, std::size_t classes)
      : items_(items), classes_(classes), shelves_(4, Ranked(items)) {}

  void add(const Phase& phase, const Truth& truth) {
    const std::set<std::string, std::less<>> known(phase.known.begin(), phase.known.end());
    for (Index i = 0; i < phase.size(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const std::string& actual = truth.label_of(phase.sample[row]);
      const std::string& decision = phase.decision(i);
      const bool novel = !known.contains(actual);
      const bool called = !known.contains(decision);
      const double sure = value_at(phase.confidence, row).value_or(0.0);
      const double newness = value_at(phase.novelty, row).value_or(called ? sure : -sure);
      const auto offer = [&](Ranked& shelf, double extreme) {
        if (shelf.wants(extreme)) {
          shelf.add(extreme, item_at(phase, i, truth));
        } else {
          shelf.count_only();
        }
      };
      if (called) {
        offer(shelves_[novel ? 0 : 1], newness);
      } else if (novel) {
        offer(shelves_[2], -newness);
      } else if (decision != actual) {
        offer(shelves_[3], sure);
      }
      if (called && decision != kUnknownName) {
        offer(discovered_.try_emplace(decision, items_).first->second, sure);
      }
    }
  }

  std::vector<GalleryShelf> shelves() && {
    static constexpr const char* kTexts[][3] = {
        {"alarm", "Alarms that were right",
         "Samples of new classes that were called new, the newest by their score first."},
        {"false alarm", "False alarms",
         "Samples of known classes that were called new, the newest by their score first."},
        {"miss", "Misses",
         "Samples of new classes that were taken for a known one, the least new by their score "
         "first."},
        {"mistake", "Mistakes among known classes",
         "Samples of known classes that got the name of another, the surest first."}};
    std::vector<GalleryShelf> out;
    for (std::size_t s = 0; s < shelves_.size(); ++s) {
      if (shelves_[s].samples() > 0) {
        out.push_back(
            {kTexts[s][0], kTexts[s][1], kTexts[s][2], shelves_[s].taken(), shelves_[s].samples()});
      }
    }
    std::vector<std::pair<std::string, Ranked*>> largest;
    for (auto& [name, shelf] : discovered_) {
      largest.emplace_back(name, &shelf);
    }
    // discovered_10 behind discovered_9: shorter names first.
    std::stable_sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) {
      return std::tuple(-a.second->samples(), a.first.size(), a.first) <
             std::tuple(-b.second->samples(), b.first.size(), b.first);
    });
    largest.resize(std::min(largest.size(), classes_));
    for (const auto& [name, shelf] : largest) {
      out.push_back({"discovered", name,
                     "Samples that were taken for this class, which the predictor found by itself, "
                     "the surest first.",
                     shelf->taken(), shelf->samples()});
    }
    return out;
  }

 private:
  std::size_t items_, classes_;
  std::vector<Ranked> shelves_;
  std::map<std::string, Ranked> discovered_;
};

}  // namespace

std::vector<GalleryShelf> gallery_of(const RunRecord& record, std::size_t items,
                                     std::size_t classes, Progress& progress) {
  const Truth& truth = truth_of(record);
  Gallery gallery(items, classes);
  for (const PhaseKey& key : record.phases()) {
    if (key.phase == "pre" && key.split == "test") {
      progress.pulse();
      gallery.add(record.phase(key), truth);
    }
  }
  return std::move(gallery).shelves();
}

}  // namespace tyto
