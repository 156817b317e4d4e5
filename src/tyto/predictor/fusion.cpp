// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/fusion.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tyto/core/error.hpp"
#include "tyto/math/softmax.hpp"

namespace tyto {

namespace {

Index column(Label label) {
  return static_cast<Index>(label);
}

// Column of the greatest value, ties to the first.
Index arg_max(const Eigen::Ref<const Eigen::RowVectorXf>& row) {
  Index best = 0;
  row.maxCoeff(&best);
  return best;
}

float scale_around(const std::vector<float>& held, float value) {
  constexpr float kMedianGrade = 2.1972246F;  // ln 9: the logistic is 0.1 there
  const float spread = held.empty() ? 0.0F : std::abs(value - held[held.size() / 2]);
  return std::max(spread / kMedianGrade, 1e-6F * std::max(1.0F, std::abs(value)));
}

// Ascending, each value with its weight.
void sort_together(std::vector<float>& held, std::vector<float>& weight) {
  if (weight.empty()) {
    std::sort(held.begin(), held.end());
    return;
  }
  TYTO_ASSERT(weight.size() == held.size());
  std::vector<std::pair<float, float>> both;
  for (std::size_t i = 0; i < held.size(); ++i) {
    both.emplace_back(held[i], weight[i]);
  }
  std::sort(both.begin(), both.end());
  for (std::size_t i = 0; i < both.size(); ++i) {
    std::tie(held[i], weight[i]) = both[i];
  }
}

// Does the recogniser name anything?
bool names_groups(const Evidence& evidence) {
  return evidence.membership.cols() > 0 &&
         std::any_of(evidence.groups.begin(), evidence.groups.end(),
                     [](Label label) { return label != Label::unknown; });
}

// Of a sample drawn as the weights say: a class that counts for more than its samples also comes
// more often than they did.
double weight_to_come(const std::vector<float>& weight) {
  double sum = 0.0;
  double squares = 0.0;
  for (const float one : weight) {
    sum += static_cast<double>(one);
    squares += static_cast<double>(one) * static_cast<double>(one);
  }
  return sum > 0.0 ? squares / sum : 1.0;
}

struct Row {                           // what fusion knows of one sample
  Eigen::RowVectorXf classes, groups;  // probabilities; either may be empty
  bool novel = false;
  float grade = 0;  // u
};

}  // namespace

float Threshold::p_value(float novelty) const {
  const auto first = std::lower_bound(held.begin(), held.end(), novelty) - held.begin();
  const float above = weight.empty()              ? static_cast<float>(std::ssize(held) - first)
                      : first == std::ssize(held) ? 0.0F
                                                  : from_[static_cast<std::size_t>(first)];
  const auto to_come = static_cast<float>(to_come_);
  return std::min(1.0F, (to_come + above) / (to_come + static_cast<float>(held.size())));
}

double Threshold::least_error() const {
  return to_come_ / (static_cast<double>(held.size()) + to_come_);
}

void Threshold::sum_weights() {
  from_.resize(weight.size());
  double sum = 0.0;
  for (std::size_t i = weight.size(); i-- > 0;) {
    sum += static_cast<double>(weight[i]);
    from_[i] = static_cast<float>(sum);
  }
  to_come_ = alike * weight_to_come(weight);
}

Threshold threshold_at(std::vector<float> held, double accepted_error, std::vector<float> weight,
                       double alike) {
  TYTO_ASSERT(!held.empty());
  sort_together(held, weight);
  const double all = static_cast<double>(held.size()) + alike * weight_to_come(weight);
  const double wanted = all * (1 - accepted_error) - 1e-6;  // weights are rounded
  std::size_t at = 0;
  double below = weight.empty() ? 1.0 : static_cast<double>(weight[0]);
  while (below < wanted && at + 1 < held.size()) {
    ++at;
    below += weight.empty() ? 1.0 : static_cast<double>(weight[at]);
  }
  const float value = held[at];
  return threshold_given(std::move(held), value, std::move(weight), alike);
}

Threshold threshold_given(std::vector<float> held, float value, std::vector<float> weight,
                          double alike) {
  sort_together(held, weight);
  const float scale = scale_around(held, value);
  Threshold out;
  out.value = value;
  out.scale = scale;
  out.held = std::move(held);
  out.weight = std::move(weight);
  out.alike = alike;
  out.sum_weights();
  return out;
}

void judge(Evidence& evidence, const Threshold& threshold) {
  evidence.p_value.clear();
  evidence.novel.clear();
  evidence.held = static_cast<Index>(threshold.held.size());
  for (const float novelty : evidence.novelty) {
    evidence.p_value.push_back(threshold.p_value(novelty));
    evidence.novel.push_back(novelty > threshold.value ? 1 : 0);
  }
}

Prediction fuse(const Evidence& evidence, std::shared_ptr<const LabelSpace> space,
                const Threshold* threshold, Fusion fusion) {
  const Index n = evidence.size();
  Prediction out;
  out.probability = Matrix::Zero(n, space->size());
  out.label.resize(static_cast<std::size_t>(n), Label::unknown);
  out.novelty = evidence.novelty;
  out.novelty.resize(static_cast<std::size_t>(n), 0.0F);
  out.p_value.resize(static_cast<std::size_t>(n), 1.0F);
  const bool joint = fusion == Fusion::joint && evidence.membership.cols() > 0;
  const bool grouped = fusion == Fusion::groups && names_groups(evidence);

  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    Row row;
    if (evidence.probability.cols() > 0) {
      row.classes = evidence.probability.row(i);
    }
    if (evidence.membership.cols() > 0) {
      row.groups = evidence.membership.row(i);
      if (joint) {
        Eigen::RowVectorXf all(evidence.logits.cols() + row.groups.size());
        all << evidence.logits.row(i), row.groups;
        all = softmax(all);
        row.classes = all.head(evidence.logits.cols());
        row.groups = all.tail(row.groups.size());
      } else {
        row.groups = softmax(row.groups);
      }
    }
    if (threshold != nullptr) {
      const float over = out.novelty[at] - threshold->value;
      row.novel = over > 0;
      row.grade = 1.0F / (1.0F + std::exp(-over / threshold->scale));
      out.p_value[at] = threshold->p_value(out.novelty[at]);
    }

    auto belief = out.probability.row(i);
    const auto put = [&](const Eigen::RowVectorXf& values, const std::vector<Label>& labels,
                         float share) {
      for (std::size_t j = 0; j < labels.size(); ++j) {
        belief(column(labels[j])) += share * values(static_cast<Index>(j));
      }
    };
    if (grouped) {
      put(row.groups, evidence.groups, 1.0F);
    } else if (fusion == Fusion::soft || fusion == Fusion::groups) {
      put(row.classes, evidence.classes, 1.0F - row.grade);
      put(row.groups, evidence.groups, row.grade);
    } else {
      const float most = std::max(row.classes.size() > 0 ? row.classes.maxCoeff() : 0.0F,
                                  joint ? row.groups.maxCoeff() : 0.0F);
      const float keep = row.novel ? 1.0F - most : 1.0F;
      put(row.classes, evidence.classes, keep);
      if (joint) {
        put(row.groups, evidence.groups, keep);
      }
    }
    belief(0) += std::max(0.0F, 1.0F - belief.sum());  // what nobody claimed is unknown

    if (joint) {  // a flagged row is unknown, any other its best class or group
      if (!row.novel) {
        const Index best = arg_max(belief);
        out.label[at] = static_cast<Label>(best);
      }
    } else if (grouped || (row.novel && row.groups.size() > 0)) {
      out.label[at] = evidence.groups[static_cast<std::size_t>(arg_max(row.groups))];
    } else if (!row.novel && row.classes.size() > 0) {
      out.label[at] = evidence.classes[static_cast<std::size_t>(arg_max(row.classes))];
    }
  }
  out.space = std::move(space);
  return out;
}

}  // namespace tyto
