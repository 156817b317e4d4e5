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

  // The way with most held-out samples right; ties to the wider margin, then to the earlier.
  [[nodiscard]] std::size_t best() const;
  // The best, if it does better than the last way by more than one standard error: of the samples
  // that only one of the two has right, more than sqrt(all of them) in its favour. Else the last.
  [[nodiscard]] std::size_t better_than_last() const;

 private:
  struct Held {
    Label label;
    Eigen::RowVectorXf mean;
  };

  std::vector<std::vector<Eigen::RowVectorXf>> means_;  // by way and place
  std::vector<Held> held_;
  std::vector<std::vector<std::uint8_t>> right_;  // by way and held-out sample
  std::vector<double> margin_;                    // by way, the larger the better
};

}  // namespace tyto
