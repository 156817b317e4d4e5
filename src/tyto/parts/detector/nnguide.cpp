// SPDX-License-Identifier: Apache-2.0
// Energy, guided by the energies of fit samples that point the same way.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "tyto/math/softmax.hpp"
#include "tyto/parts/detector/head_inputs.hpp"
#include "tyto/parts/known_columns.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kGuideForms{"sound", "paper"};
constexpr float kBend = 3.0F;  // deviations below the mean where a sound confidence bends to 0

struct NnguideOptions {
  Index k = 10, bank = 1000;
  std::string form = "sound";

  void describe(OptionVisitor& v) {
    v.field("k", k, {1, 1e5}, "nearest rows of the bank that count");
    v.field("bank", bank, {1, 1e6}, "fit rows kept to compare with, chosen by a hash of their ids");
    v.field("form", form, kGuideForms,
            "sound: energies are measured in deviations of those in the bank and bent to stay "
            "above 0; paper: as they are, which inverts the score where they are negative (ncm)");
  }
};

struct Guide {  // a candidate for the bank
  std::uint64_t hash = 0;
  std::uint32_t id = 0;
  float energy = 0;
  Eigen::RowVectorXf direction;

  [[nodiscard]] auto key() const { return std::pair(hash, id); }
};

Matrix directions(const Matrix& rows) {
  Matrix out = rows;
  for (Index i = 0; i < out.rows(); ++i) {
    const float norm = out.row(i).norm();
    if (norm > 0.0F) {
      out.row(i) /= norm;
    }
  }
  return out;
}

// Minus e(x) times the mean of the k greatest e(x_i) cos(z, z_i) over the bank, e the energy.
class NearestGuide final : public Part, public Detector {
 public:
  explicit NearestGuide(NnguideOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  // The classifier has moved, so all rows shown are looked at anew.
  void profile(const Experience& experience, Work& work) override {
    if (!key_) {
      key_ = work.rng.fork("bank").key();
    }
    const auto bank = static_cast<std::size_t>(options_.bank);
    const auto earlier = [](const Guide& a, const Guide& b) { return a.key() < b.key(); };
    std::vector<Guide> guides;
    experience.each_block(Role::fit, 0, [&](const Evidence& block, std::span<const Label>) {
      const Vector energy = log_sum_exp(known_part(block, block.logits, "detector nnguide"));
      const Matrix rows = directions(head_inputs(block));
      for (Index i = 0; i < rows.rows(); ++i) {
        const auto id = static_cast<std::uint32_t>(block.samples.id(i));
        guides.push_back({mix(*key_, "guide", id), id, energy[i], rows.row(i)});
      }
      if (guides.size() > bank) {
        std::nth_element(guides.begin(), guides.begin() + options_.bank, guides.end(), earlier);
        guides.resize(bank);
      }
      work.progress.pulse();
    });
    if (guides.empty()) {
      return;
    }
    std::sort(guides.begin(), guides.end(), earlier);
    const auto n = static_cast<Index>(guides.size());
    bank_.resize(n, guides.front().direction.size());
    energies_.resize(1, n);
    for (Index i = 0; i < n; ++i) {
      bank_.row(i) = guides[static_cast<std::size_t>(i)].direction;
      energies_(0, i) = guides[static_cast<std::size_t>(i)].energy;
    }
  }

  void detect(Evidence& evidence) const override {
    if (bank_.size() == 0) {
      throw Error(ErrorKind::state, "detector nnguide has seen no labelled sample to fit on");
    }
    const Vector energy = log_sum_exp(known_part(evidence, evidence.logits, "detector nnguide"));
    evidence.novelty.resize(static_cast<std::size_t>(evidence.size()));
    if (evidence.size() == 0) {
      return;
    }
    const double mean = energies_.cast<double>().mean();
    const double deviation = std::sqrt((energies_.cast<double>().array() - mean).square().mean());
    const auto confidence = [&](float value) {
      if (options_.form == "paper") {
        return value;
      }
      const auto x =
          static_cast<float>((value - mean) / (deviation > 0.0 ? deviation : 1.0)) + kBend;
      return x > 0.0F ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    };
    Matrix guided = directions(head_inputs(evidence)) * bank_.transpose();
    guided.array().rowwise() *= energies_.unaryExpr(confidence).row(0).array();
    const Index k = std::min(options_.k, guided.cols());
    for (Index i = 0; i < guided.rows(); ++i) {
      float* row = guided.row(i).data();
      std::partial_sort(row, row + k, row + guided.cols(), std::greater<>());
      evidence.novelty[static_cast<std::size_t>(i)] =
          -confidence(energy[i]) * guided.row(i).head(k).mean();
    }
  }

  [[nodiscard]] Holding holding() const override { return holding_of(bank_); }

  void save(State& state) const override {
    if (key_) {
      state.set("key", static_cast<std::int64_t>(*key_));
      state.set("bank", bank_);
      state.set("energies", energies_);
    }
  }

  void load(const State& state, const Shelf&) override {
    if (state.has("key")) {
      key_ = static_cast<std::uint64_t>(state.get<std::int64_t>("key"));
      bank_ = state.get<Matrix>("bank");
      energies_ = state.get<Matrix>("energies");
    }
  }

 private:
  NnguideOptions options_;
  std::optional<std::uint64_t> key_;  // of the choice of rows; drawn once
  Matrix bank_, energies_;            // directions; one row
};

}  // namespace

PartSpec nnguide_spec() {
  return part_spec<NnguideOptions, NearestGuide>(
      "nnguide", {Slot::detector},
      "energy, guided by the energies of the fit samples that point the same way",
      "with m the width the last layer sees and b the bank: one classification of all samples "
      "shown to learn, O(n b m) to detect, O(b m) memory",
      "Park et al., Nearest Neighbor Guidance for Out-of-Distribution Detection, ICCV 2023");
}

}  // namespace tyto
