// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/memory/frames.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "tyto/parts/memory/frame_trial.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kTried[] = {1, 4, 8, 16};  // and all of them

// "8", "all" or "auto"; none: neither.
std::optional<Index> frame_count_of(const std::string& text) {
  if (text == "all" || text == "auto") {
    return 0;
  }
  Index count = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_count = problem == std::errc() && end == text.data() + text.size() && count >= 0;
  return is_count ? std::optional(count) : std::nullopt;
}

// The frames of some candidates as the representation gives them, one sample after the other.
class FrameReader {
 public:
  FrameReader(const Kept& former, const Experience& all) : all_(all) {
    std::vector<Index> rows(at(std::min(all.size(), std::max<Index>(1, former.size()))));
    std::iota(rows.begin(), rows.end(), Index{0});
    const Samples head = rows.empty() ? Samples() : all.samples(rows);
    frame_bytes_ = head.empty() ? 0 : head.width() * Index{sizeof(float)};
    for (Index i = 0; i < head.size(); ++i) {
      remembered_.emplace(head.id(i), std::pair(i, head.frame_count(i)));
    }
  }

  // Visits those of the candidates at `places`, in order, some at a time. A remembered one that the
  // lesson does not show as it is remembered has no rows.
  template <class Visit>
  void each(std::span<const Candidate> candidates, const std::vector<std::size_t>& places,
            Work& work, const Visit& visit) const {
    std::vector<std::size_t> block;
    std::vector<Index> rows;
    Index frames = 0;
    const auto flush = [&] {
      if (!rows.empty()) {
        const Frames shown = all_.frame_features(rows);
        for (std::size_t i = 0; i < block.size(); ++i) {
          visit(block[i], MatrixView(shown.features.middleRows(
                              shown.first[i], shown.first[i + 1] - shown.first[i])));
        }
        work.progress.pulse();
      }
      block.clear();
      rows.clear();
      frames = 0;
    };
    for (const std::size_t place : places) {
      const Candidate& candidate = candidates[place];
      const std::optional<Index> row = row_of(candidate);
      if (!row) {
        flush();
        visit(place, MatrixView(Matrix()));
        continue;
      }
      if (!rows.empty() && (frames + candidate.whole) * frame_bytes_ > kBlockBytes) {
        flush();
      }
      block.push_back(place);
      rows.push_back(*row);
      frames += candidate.whole;
    }
    flush();
  }

 private:
  [[nodiscard]] std::optional<Index> row_of(const Candidate& candidate) const {
    if (!candidate.old) {
      return candidate.row;
    }
    const auto found = remembered_.find(candidate.id);
    return found != remembered_.end() && found->second.second == candidate.whole
               ? std::optional(found->second.first)
               : std::nullopt;
  }

  const Experience& all_;
  Index frame_bytes_ = 0;
  std::unordered_map<SampleId, std::pair<Index, Index>> remembered_;  // row and frames; looked up
};

std::vector<std::size_t> places_where(std::span<const Candidate> candidates, const auto& wanted) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (wanted(candidates[i])) {
      places.push_back(i);
    }
  }
  return places;
}

}  // namespace

void FrameOptions::describe(OptionVisitor& v) {
  v.field("frames", frames, {},
          "frames kept of each sample: a number, all (or 0), or auto, which tries 1, 4, 8, 16 and "
          "all and takes what serves held-out samples");
  v.field("choose", choose, kFrameChoices,
          "which frames, of samples to fit on. uniform: the centres of equal parts; k_centre: far "
          "from each other; typical: nearest to the sample's mean; foreground: least like the mean "
          "of all classes, most like that of their own; condensed: means of equal parts, weighted "
          "by closeness to the class mean");
  v.field("first_share", first_share, {0.0, 1.0},
          "frames are taken from this first share of a sample; at least one frame");
}

FrameKeeper::FrameKeeper(const FrameOptions& options)
    : options_(options), tries_(options.frames == "auto"), choice_(options.choose) {
  const std::optional<Index> count = frame_count_of(options.frames);
  if (!count) {
    throw Error(ErrorKind::config,
                fmt::format("memory: frames is \"{}\"; it must be a number of frames, all or auto",
                            options.frames));
  }
  most_ = *count;
}

Index FrameKeeper::considered(const Candidate& candidate) const {
  if (candidate.old || options_.first_share >= 1.0) {  // what is remembered was cut before
    return candidate.whole;
  }
  const double first = std::ceil(options_.first_share * static_cast<double>(candidate.whole));
  return std::clamp<Index>(static_cast<Index>(first), std::min<Index>(1, candidate.whole),
                           candidate.whole);
}

Index FrameKeeper::size_of(const Candidate& candidate, Index most) const {
  const Index first = considered(candidate);
  return most == 0 ? first : std::min(most, first);
}

void FrameKeeper::resize(std::vector<Candidate>& offered, Index most) const {
  for (Candidate& candidate : offered) {
    const Index frame = candidate.frames == 0 ? 0 : candidate.bytes / candidate.frames;
    candidate.frames = size_of(candidate, most);
    candidate.bytes = candidate.frames * frame;
  }
}

std::vector<FrameMean> FrameKeeper::pick(const Candidate& candidate, const MatrixView& frames,
                                         Index most) const {
  const Index size = size_of(candidate, most);
  if (size == candidate.whole) {
    return {};
  }
  return choice_.pick(candidate.label, candidate.role, frames, considered(candidate), size);
}

std::vector<std::size_t> FrameKeeper::choose(const Kept& former, const Experience& all,
                                             std::vector<Candidate>& offered, const Choose& choose,
                                             Work& work) {
  if (choice_.learns()) {
    if (all.starts_over()) {
      choice_.start_again();
    }
    const auto counts = places_where(offered, [&](const Candidate& one) {
      return one.label != Label::unknown && one.role == Role::fit &&
             (!one.old || all.starts_over());
    });
    FrameReader(former, all)
        .each(offered, counts, work, [&](std::size_t place, const MatrixView& frames) {
          if (frames.rows() > 0) {
            choice_.add(offered[place].label, frames);
          }
        });
    choice_.prepare();
  }
  if (tries_) {
    try_counts(former, all, offered, choose, work);
  }
  resize(offered, most_);
  return choose(offered);
}

std::vector<std::vector<FrameMean>> FrameKeeper::frames_of(const Kept& former,
                                                           const Experience& all,
                                                           std::span<const Candidate> chosen,
                                                           Work& work) {
  drift_.reset();
  const auto cut =
      places_where(chosen, [&](const Candidate& one) { return size_of(one, most_) < one.whole; });
  const auto added =
      std::count_if(chosen.begin(), chosen.end(), [](const Candidate& one) { return !one.old; });
  if (added > 0 && (most_ > 0 || options_.first_share < 1.0)) {
    drift_ = 0.0;
  }
  if (cut.empty()) {
    return {};
  }
  std::vector<std::vector<FrameMean>> out(chosen.size());
  FrameReader(former, all)
      .each(chosen, cut, work, [&](std::size_t place, const MatrixView& frames) {
        out[place] = pick(chosen[place], frames, most_);
        if (!chosen[place].old) {
          const Eigen::RowVectorXd whole = mean_of(frames, {});
          const double length = whole.norm();
          const double away = (mean_of(frames, out[place]) - whole).norm();
          *drift_ += (length > 0.0 ? away / length : 0.0) / static_cast<double>(added);
        }
      });
  return out;
}

// Held-out samples, as they are, against the class means of what would be remembered.
void FrameKeeper::try_counts(const Kept& former, const Experience& all,
                             const std::vector<Candidate>& offered, const Choose& choose,
                             Work& work) {
  const auto labelled =
      places_where(offered, [](const Candidate& one) { return one.label != Label::unknown; });
  Index longest = 0;
  for (const std::size_t place : labelled) {
    longest = std::max(longest, considered(offered[place]));
  }
  std::vector<Index> counts;
  for (const Index count : kTried) {
    if (count < longest && (most_ == 0 || count < most_)) {
      counts.push_back(count);
    }
  }
  counts.push_back(most_);  // as it stands comes last
  FrameTrial trial(offered.size(), counts.size());
  FrameReader(former, all)
      .each(offered, labelled, work, [&](std::size_t place, const MatrixView& frames) {
        if (frames.rows() == 0) {
          return;
        }
        if (offered[place].role == Role::hold) {
          trial.add_held(offered[place].label, mean_of(frames, {}));
          return;
        }
        for (std::size_t c = 0; c < counts.size(); ++c) {
          trial.add(c, place, mean_of(frames, pick(offered[place], frames, counts[c])));
        }
      });
  if (!trial.can_tell(offered) || counts.size() == 1) {
    return;
  }
  for (std::size_t c = 0; c < counts.size(); ++c) {
    std::vector<Candidate> sized = offered;
    resize(sized, counts[c]);
    trial.score(c, sized, choose(sized));
  }
  most_ = counts[trial.choice(is_settled_)];
  is_settled_ = true;
}

void FrameKeeper::save(State& state) const {
  state.set("frames_most", std::int64_t{most_});
  state.set("frames_settled", std::int64_t{is_settled_});
  if (drift_) {
    state.set("drift", *drift_);
  }
  choice_.save(state.make_child("frame_choice"));
}

void FrameKeeper::load(const State& state) {
  if (!state.has("frames_most")) {
    return;  // of a memory that thinned nothing
  }
  most_ = static_cast<Index>(state.get<std::int64_t>("frames_most"));
  is_settled_ = state.get<std::int64_t>("frames_settled") != 0;
  drift_ = state.has("drift") ? std::optional(state.get<double>("drift")) : std::nullopt;
  choice_.load(state.child("frame_choice"));
}

}  // namespace tyto
