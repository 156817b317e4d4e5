// SPDX-License-Identifier: Apache-2.0
// Few samples with many frames, or many with few? Memories that might be kept, compared by how well
// the means of their classes tell held-out samples apart.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tyto/parts/memory/kept.hpp"

namespace tyto {

class FrameTrial {
 public:
  FrameTrial(std::size_t candidates, std::size_t ways);

  // The mean of the frames that way `way` would keep of a candidate to fit on.
  void add(std::size_t way, std::size_t place, const Eigen::RowVectorXd& mean);
  // One held-out sample as it is.
  void add_held(Label label, const Eigen::RowVectorXd& mean);

  // Two classes to fit on, and something held out.
  [[nodiscard]] bool can_tell(const std::vector<Candidate>& offered) const;

  // What way `way` would keep.
  void score(std::size_t way, const std::vector<Candidate>& offered,
             const std::vector<std::size_t>& kept);

  // Ways that the best does not beat by more than one standard error are as good. Every class
  // weighs the same, however many of it are held out: the old ones have few left. The last way, if
  // it may stay and is as good, else the middle one of these: neither samples nor frames that are
  // let go come back.
  [[nodiscard]] std::size_t choice(bool last_may_stay) const;

 private:
  struct Held {
    Label label;
    Eigen::RowVectorXf mean;
  };

  [[nodiscard]] std::vector<double> weights() const;  // of the held-out samples

  std::vector<std::vector<Eigen::RowVectorXf>> means_;  // by way and place
  std::vector<Held> held_;
  std::vector<std::vector<std::uint8_t>> right_;  // by way and held-out sample
};

}  // namespace tyto
