// SPDX-License-Identifier: Apache-2.0
// What a memory with a budget keeps of the frames of its samples: how many, and which.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/parts/memory/frame_choice.hpp"
#include "tyto/parts/memory/kept.hpp"

namespace tyto {

struct FrameOptions {
  std::string frames = "all";
  std::string choose = "uniform";
  double first_share = 1.0;

  void describe(OptionVisitor& v);
};

// A sample with more frames than are kept of each is thinned when it is kept; it stays as it is
// from then on. The budget counts what is left of it.
class FrameKeeper {
 public:
  // An Error(config) says what `frames` must be.
  explicit FrameKeeper(const FrameOptions& options);

  // Places of the candidates to keep, given the sizes they would have.
  using Choose = std::function<std::vector<std::size_t>(const std::vector<Candidate>& sized)>;

  // Takes in the lesson, gives the candidates the sizes they will have, and asks which to keep.
  // `choose` may be asked several times; what it says last counts.
  std::vector<std::size_t> choose(const Kept& former, const Experience& all,
                                  std::vector<Candidate>& offered, const Choose& choose,
                                  Work& work);

  // The frames to keep of each of these, for kept(); empty: all of everything.
  std::vector<std::vector<FrameMean>> frames_of(const Kept& former, const Experience& all,
                                                std::span<const Candidate> chosen, Work& work);

  // Asks how many frames are best, so that sizes may shrink from lesson to lesson.
  [[nodiscard]] bool tries() const { return tries_; }

  [[nodiscard]] Index most() const { return most_; }  // frames kept of a sample, 0: all

  [[nodiscard]] std::optional<double> drift() const { return drift_; }

  // Among the values of its owner.
  void save(State& state) const;
  void load(const State& state);

 private:
  [[nodiscard]] Index considered(const Candidate& candidate) const;  // its first frames
  [[nodiscard]] Index size_of(const Candidate& candidate, Index most) const;
  void resize(std::vector<Candidate>& offered, Index most) const;
  [[nodiscard]] std::vector<FrameMean> pick(const Candidate& candidate, const MatrixView& frames,
                                            Index most) const;
  void try_counts(const Kept& former, const Experience& all, const std::vector<Candidate>& offered,
                  const Choose& choose, Work& work);

  FrameOptions options_;
  bool tries_ = false;
  bool is_settled_ = false;  // of one that tries: it has chosen before
  Index most_ = 0;
  FrameChoice choice_;
  std::optional<double> drift_;
};

}  // namespace tyto
