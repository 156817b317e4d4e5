// SPDX-License-Identifier: Apache-2.0
// A classifier on the means of remembered exemplars and a memory that herds on its embedding: what
// the composition shows them.
#include <algorithm>
#include <map>
#include <set>

#include "support/blobs.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

using testing_support::Blobs;
using testing_support::make_blobs;

// As iCaRL: a class is where the mean embedding of its exemplars lies. The embedding turns what is
// far from the origin inside out, so that whoever herds on features chooses otherwise.
struct ExemplarMeans final : StatelessPart, Classifier {
  std::map<Label, Eigen::RowVectorXf> means;
  Index settled_on = 0;

  static Matrix embed(const Matrix& features) {
    return (features.array() / (1.0F + features.array().square())).matrix();
  }

  void learn(const Experience&, Work&) override {}

  void settle(const Experience& remembered, Work&) override {
    std::map<Label, std::pair<Eigen::RowVectorXf, float>> sums;
    settled_on = remembered.size();
    remembered.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label> labels) {
      EXPECT_EQ(block.embedding.rows(), block.size());
      for (Index i = 0; i < block.size(); ++i) {
        auto& [sum, count] = sums[labels[at(i)]];
        sum = count == 0.0F ? block.embedding.row(i).eval() : (sum + block.embedding.row(i)).eval();
        ++count;
      }
    });
    means.clear();
    for (const auto& [label, sum] : sums) {
      means[label] = sum.first / sum.second;
    }
  }

  void classify(Evidence& evidence) const override {
    evidence.embedding = embed(evidence.features);
    evidence.classes.clear();
    evidence.logits.resize(evidence.size(), std::ssize(means));
    for (const auto& [label, mean] : means) {
      evidence.logits.col(std::ssize(evidence.classes)) =
          -(evidence.embedding.rowwise() - mean).rowwise().squaredNorm();
      evidence.classes.push_back(label);
    }
  }

  [[nodiscard]] bool has_embedding() const override { return true; }
};

// As plain as can be, but will not keep anything before it has seen class scores.
struct ScoredMemory final : StatelessPart, Memory {
  Samples none;
  std::vector<Label> no_labels;
  std::vector<Role> no_roles;

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  void keep(const Experience& all, Work&) override {
    all.each_block(Role::fit, 0, [](const Evidence& block, std::span<const Label>) {
      EXPECT_EQ(block.logits.rows(), block.size());
      EXPECT_EQ(block.probability.rows(), block.size());
    });
  }

  [[nodiscard]] const Samples& samples() const override { return none; }

  [[nodiscard]] const std::vector<Label>& labels() const override { return no_labels; }

  [[nodiscard]] const std::vector<Role>& roles() const override { return no_roles; }
};

std::shared_ptr<Part> listed(Slot slot, std::string_view name, std::string_view yaml = "{}") {
  return find_part(slot, name).make(parse_yaml(yaml, "test"), slot_name(slot));
}

PredictorConfig plain(double holdout = 0.0) {
  PredictorConfig config;
  config.name = "plain";
  config.holdout = holdout;
  return config;
}

// The order of herding by brute force.
std::vector<Index> herded(const Matrix& rows, Index count) {
  const Eigen::RowVectorXd mean = rows.cast<double>().colwise().mean();
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
  std::vector<Index> order;
  for (Index k = 1; k <= count; ++k) {
    Index best = -1;
    double least = 0;
    for (Index i = 0; i < rows.rows(); ++i) {
      if (std::find(order.begin(), order.end(), i) != order.end()) {
        continue;
      }
      const double off =
          ((sum + rows.row(i).cast<double>()) / static_cast<double>(k) - mean).norm();
      if (best < 0 || off < least) {
        best = i;
        least = off;
      }
    }
    order.push_back(best);
    sum += rows.row(best).cast<double>();
  }
  return order;
}

TEST(Exemplars, are_herded_on_the_embedding_and_the_classifier_stands_on_their_means) {
  const auto classifier = std::make_shared<ExemplarMeans>();
  Composition predictor(plain(), 1, [&] {
    Parts parts;
    parts.fill(Slot::classifier, classifier);
    parts.fill(Slot::memory, listed(Slot::memory, "herding", "{budget: 10}"));
    return parts;
  });
  Progress silent;
  Work work{Rng(1), silent};
  const Blobs blobs = make_blobs(0, 2, 40, 1, 0);
  predictor.learn({blobs.samples, blobs.names, {}}, work);
  EXPECT_EQ(classifier->settled_on, 10);
  const Memory& memory = *predictor.parts().memory;

  for (const Label label : predictor.labels().known()) {
    std::vector<Index> rows;
    for (Index i = 0; i < blobs.samples.size(); ++i) {
      if (blobs.names[at(i)] == predictor.labels().name(label)) {
        rows.push_back(i);
      }
    }
    const Matrix embedding = ExemplarMeans::embed(blobs.samples.pick(rows).rows());
    const Matrix unit = embedding.rowwise().normalized();
    std::set<SampleId> expected;
    Eigen::RowVectorXf mean = Eigen::RowVectorXf::Zero(6);
    for (const Index i : herded(unit, 5)) {
      expected.insert(blobs.samples.id(rows[at(i)]));
      mean += embedding.row(i) / 5.0F;
    }
    std::set<SampleId> kept;
    for (Index i = 0; i < memory.samples().size(); ++i) {
      if (memory.labels()[at(i)] == label) {
        kept.insert(memory.samples().id(i));
      }
    }
    EXPECT_EQ(kept, expected);
    EXPECT_LT((classifier->means.at(label) - mean).norm(), 1e-5F);
  }
}

TEST(Exemplars, a_memory_may_demand_class_scores_that_no_lookup_in_it_gives) {
  const auto make = [](const char* classifier) {
    return Composition(plain(), 1, [classifier] {
      Parts parts;
      if (classifier != nullptr) {
        parts.fill(Slot::classifier, listed(Slot::classifier, classifier));
      }
      parts.fill(Slot::memory, std::make_shared<ScoredMemory>());
      return parts;
    });
  };
  Progress silent;
  Work work{Rng(1), silent};
  const Blobs blobs = make_blobs(0, 2, 40, 1, 0);
  make("ncm").learn({blobs.samples, blobs.names, {}}, work);
  for (const char* classifier : {"osnn", static_cast<const char*>(nullptr)}) {
    try {
      make(classifier);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      EXPECT_THAT(error.what(),
                  testing::HasSubstr("the part in the slot memory needs class scores"));
    }
  }
}

}  // namespace
}  // namespace tyto
