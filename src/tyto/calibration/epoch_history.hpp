// SPDX-License-Identifier: Apache-2.0
// What a training had learned after its epochs, a bounded number of them: when they get too many,
// every second one is forgotten.
#pragma once

#include <vector>

#include "tyto/calibration/score_calibrator.hpp"

namespace tyto {

class EpochHistory {
 public:
  // At most so many epochs, and the last one; 0: none at all.
  explicit EpochHistory(Index most) : most_(most) {}

  // Epochs ascend from 0, the start; all lists have one length.
  void add(Index epoch, const Eigen::VectorXd& values);

  [[nodiscard]] std::vector<Index> epochs() const;
  [[nodiscard]] std::vector<Eigen::VectorXd> values() const;  // by epochs()

  void clear();

  [[nodiscard]] Parameters parameters() const;
  void set(const Parameters& parameters);

 private:
  struct Entry {
    Index epoch = -1;
    Eigen::VectorXd values;
  };

  [[nodiscard]] std::vector<const Entry*> all() const;

  Index most_;
  Index apart_ = 1;  // every so many epochs one is kept
  std::vector<Entry> kept_;
  Entry last_;
};

}  // namespace tyto
