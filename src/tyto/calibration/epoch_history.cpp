// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/epoch_history.hpp"

#include "tyto/core/error.hpp"

namespace tyto {

void EpochHistory::add(Index epoch, const Eigen::VectorXd& values) {
  TYTO_ASSERT(epoch > last_.epoch);
  if (most_ == 0) {
    return;
  }
  last_ = {epoch, values};
  if (epoch % apart_ != 0) {
    return;
  }
  kept_.push_back(last_);
  while (std::ssize(kept_) > most_) {
    apart_ *= 2;
    std::erase_if(kept_, [this](const Entry& entry) { return entry.epoch % apart_ != 0; });
  }
}

void EpochHistory::clear() {
  apart_ = 1;
  kept_.clear();
  last_ = {};
}

std::vector<const EpochHistory::Entry*> EpochHistory::all() const {
  std::vector<const Entry*> out;
  for (const Entry& entry : kept_) {
    out.push_back(&entry);
  }
  if (last_.epoch >= 0 && (kept_.empty() || kept_.back().epoch != last_.epoch)) {
    out.push_back(&last_);
  }
  return out;
}

std::vector<Index> EpochHistory::epochs() const {
  std::vector<Index> out;
  for (const Entry* entry : all()) {
    out.push_back(entry->epoch);
  }
  return out;
}

std::vector<Eigen::VectorXd> EpochHistory::values() const {
  std::vector<Eigen::VectorXd> out;
  for (const Entry* entry : all()) {
    out.push_back(entry->values);
  }
  return out;
}

Parameters EpochHistory::parameters() const {
  const std::vector<const Entry*> entries = all();
  Dense<double> epochs(1, std::ssize(entries));
  Dense<double> table(std::ssize(entries), entries.empty() ? 0 : entries.front()->values.size());
  for (std::size_t e = 0; e < entries.size(); ++e) {
    epochs(0, static_cast<Index>(e)) = static_cast<double>(entries[e]->epoch);
    table.row(static_cast<Index>(e)) = entries[e]->values.transpose();
  }
  return {{"epochs", std::move(epochs)}, {"values", std::move(table)}};
}

void EpochHistory::set(const Parameters& given) {
  clear();
  const Dense<double>& epochs = parameter(given, "epochs");
  const Dense<double>& table = parameter(given, "values");
  if (table.rows() != epochs.size()) {
    throw Error(ErrorKind::state, "the epochs of the calibrator are not as many as their values");
  }
  for (Index e = 0; e < epochs.size(); ++e) {
    last_ = {static_cast<Index>(epochs(0, e)), table.row(e).transpose()};
    kept_.push_back(last_);
  }
}

}  // namespace tyto
