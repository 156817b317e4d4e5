// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/calibrator/score_calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tyto/core/error.hpp"
#include "tyto/math/score_rows.hpp"
#include "tyto/parts/known_columns.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kReads{"auto", "embedding", "features"};

struct OwnOptions {  // the others are the method's
  double unknown_prior = 0.1;
  Index fewest = 20;
  std::string reads = "auto";
  bool looks = false;  // whether the method needs features

  explicit OwnOptions(const CalibratorSpec& method) : looks(method.needs_features) {}

  void describe(OptionVisitor& v) {
    v.field("unknown_prior", unknown_prior, {0.0, 0.999},
            "chance that a sample is of an unknown class before its score is seen; for classifiers "
            "with a column `unknown`");
    v.field("fewest", fewest, {1, 1e9},
            "held-out samples to fit on; with fewer it stays as it was, or plain softmax");
    if (looks) {
      v.field("reads", reads, kReads,
              "what the temperature comes from. embedding: the classifier's, what its last layer "
              "sees; features: what the classifier sees; auto: the embedding if it has one");
    }
  }

  [[nodiscard]] Describe described() {
    return [this](OptionVisitor& visitor) { describe(visitor); };
  }
};

struct SplitOptions {
  OwnOptions own;
  ConfigNode method;
};

SplitOptions divided(const CalibratorSpec& core, const ConfigNode& node, std::string_view path) {
  SplitOptions out{OwnOptions(core), node};
  ConfigNode own = ConfigNode::empty_map();
  for (const OptionHelp& option : explain_options(out.own.described())) {
    if (const ConfigNode* value = node.find(option.key)) {
      own.put(option.key, *value);
      out.method.remove(option.key);
    }
  }
  read_options(own, path, out.own.described());
  return out;
}

using FloatRow = Eigen::Ref<Eigen::RowVectorXf>;

// Column of the greatest value, the first of equals.
Index first_highest(const Eigen::Ref<const Eigen::RowVectorXf>& row) {
  Index best = 0;
  row.maxCoeff(&best);
  return best;
}

// Float32 may round the greatest to the same as others: that is undone, so that it is found.
void put_first(FloatRow row, Index column) {
  if (const Index found = first_highest(row); found != column) {
    row(column) = std::nextafter(row(found), std::numeric_limits<float>::max());
  }
}

class ScoreCalibration final : public Part, public Calibrator {
 public:
  ScoreCalibration(OwnOptions options, std::unique_ptr<ScoreCalibrator> method)
      : options_(std::move(options)), method_(std::move(method)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.classifier = true;
    return needs;
  }

  void tune(const Experience& experience, Work& work) override {
    Held held = held_out(experience);
    unknown_ = std::move(held.unknown);
    std::sort(unknown_.begin(), unknown_.end());
    if (std::ssize(held.truth) < options_.fewest) {
      return;
    }
    Dense<double> logits(std::ssize(held.truth), std::ssize(held.classes));
    Dense<double> features(logits.rows(), held.features.empty() ? 0 : held.features.front().cols());
    Index row = 0;
    for (std::size_t b = 0; b < held.logits.size(); ++b) {
      logits.middleRows(row, held.logits[b].rows()) = held.logits[b];
      if (method_->needs_features()) {
        features.middleRows(row, held.logits[b].rows()) = held.features[b];
      }
      row += held.logits[b].rows();
    }
    method_->fit({logits, held.truth, method_->needs_features() ? &features : nullptr, held.groups},
                 work);
    classes_ = std::move(held.classes);
    reads_embedding_ = held.embedding;
    fitted_ = true;
  }

  // Whether a sample is unknown stays the classifier's decision: no held-out sample is, so that
  // nothing speaks against it. Where the method keeps the order of classes, every decision stays.
  void calibrate(Evidence& evidence) const override {
    const std::vector<Index> columns = known_columns(evidence);
    evidence.probability = own_probability(evidence);
    if (columns.empty() || evidence.logits.rows() == 0) {
      return;
    }
    const Dense<double> known = evidence.logits(Eigen::all, columns).cast<double>();
    const bool is_fitted = fits(evidence, columns);
    const bool keeps = !is_fitted || method_->keeps_order();
    const Dense<double> log_p =
        score_log_probabilities(is_fitted ? applied(evidence, known) : known);
    evidence.log_known = log_p.cast<float>();
    const Matrix order = keeps ? score_log_probabilities(known).cast<float>() : evidence.log_known;
    const auto other = unknown_column(evidence);
    const Eigen::VectorXd sums = row_log_sums(known);
    for (Index i = 0; i < log_p.rows(); ++i) {
      const Index best = first_highest(order.row(i));
      put_first(evidence.log_known.row(i), best);
      const Index decision = first_highest(evidence.probability.row(i));
      double unknown = 0.0;
      if (other >= 0) {
        const double p = std::exp(log_p(i, best));
        const double even = p / (1.0 + p);  // as likely as the best known class
        unknown = unknown_share(static_cast<double>(evidence.logits(i, other)) - sums[i]);
        unknown = decision == other ? std::max(unknown, even) : std::min(unknown, even);
        evidence.probability(i, other) = static_cast<float>(unknown);
      }
      for (std::size_t c = 0; c < columns.size(); ++c) {
        evidence.probability(i, columns[c]) =
            static_cast<float>((1.0 - unknown) * std::exp(log_p(i, static_cast<Index>(c))));
      }
      put_first(evidence.probability.row(i),
                keeps || decision == other ? decision : columns[static_cast<std::size_t>(best)]);
    }
  }

  [[nodiscard]] ByEpoch by_epoch(const Evidence& evidence) const override {
    const std::vector<Index> columns = known_columns(evidence);
    if (columns.empty() || !fits(evidence, columns) || method_->epochs().empty()) {
      return {};
    }
    const Dense<double> known = evidence.logits(Eigen::all, columns).cast<double>();
    const Dense<double> features = method_->needs_features()
                                       ? read(evidence, reads_embedding_).cast<double>().eval()
                                       : Dense<double>();
    ByEpoch out;
    out.epoch = method_->epochs();
    out.confidence = method_->confidence_by_epoch(known, &features).cast<float>();
    const Eigen::VectorXf native = score_probabilities(known).rowwise().maxCoeff().cast<float>();
    out.native.assign(native.begin(), native.end());
    return out;
  }

  [[nodiscard]] Parameters fitted() const override {
    Parameters told = fitted_ ? method_->parameters() : Parameters();
    std::erase_if(told, [](const auto& entry) {  // weights are in the state
      return entry.second.size() != 1 && !entry.first.starts_with("epoch_");
    });
    if (fitted_ && method_->needs_features()) {
      told.emplace("reads_embedding", as_parameter(reads_embedding_ ? 1.0 : 0.0));
    }
    return told;
  }

  void save(State& state) const override {
    state.set("fitted", std::int64_t{fitted_});
    state.set("reads_embedding", std::int64_t{reads_embedding_});
    save_labels(state, "classes", classes_);
    Dense<double> unknown(1, std::ssize(unknown_));
    std::copy(unknown_.begin(), unknown_.end(), unknown.data());
    state.set("unknown", std::move(unknown));
    if (fitted_) {
      method_->save(state.make_child("method"));
    }
  }

  void load(const State& state, const Shelf&) override {
    fitted_ = state.get<std::int64_t>("fitted") != 0;
    reads_embedding_ = state.get<std::int64_t>("reads_embedding") != 0;
    classes_ = load_labels(state, "classes");
    const auto& unknown = state.get<Dense<double>>("unknown");
    unknown_.assign(unknown.data(), unknown.data() + unknown.size());
    if (fitted_) {
      method_->load(state.child("method"));
    }
  }

 private:
  struct Held {
    std::vector<Dense<double>> logits, features;  // blocks
    std::vector<Index> truth, groups;
    std::vector<double> unknown;  // log odds of the column `unknown`, if there is one
    std::vector<Label> classes;
    bool embedding = false;  // whether `features` are the classifier's embedding
  };

  [[nodiscard]] bool wants_embedding(const Evidence& evidence) const {
    const bool has_one = evidence.embedding.cols() > 0;
    if (options_.reads == "embedding" && !has_one) {
      throw Error(ErrorKind::config,
                  "the calibrator is told to read the classifier's embedding, but the classifier "
                  "has none (mlp and ridge have); say reads: features, or leave it at auto");
    }
    return has_one && options_.reads != "features";
  }

  static const Matrix& read(const Evidence& evidence, bool embedding) {
    return embedding ? evidence.embedding : evidence.features;
  }

  static Index unknown_column(const Evidence& evidence) {
    const auto at = std::find(evidence.classes.begin(), evidence.classes.end(), Label::unknown);
    return at == evidence.classes.end() ? -1 : at - evidence.classes.begin();
  }

  [[nodiscard]] Dense<double> applied(Evidence& evidence, const Dense<double>& known) const {
    if (!method_->needs_features()) {
      return method_->apply(known);
    }
    const Dense<double> features = read(evidence, reads_embedding_).cast<double>();
    const Eigen::VectorXf own = method_->temperatures(features).cast<float>();
    evidence.temperature.assign(own.begin(), own.end());
    return method_->apply(known, &features);
  }

  [[nodiscard]] Held held_out(const Experience& experience) const {
    Held out;
    experience.each_block(Role::hold, 0, [&](const Evidence& block, std::span<const Label> labels) {
      const std::vector<Index> columns = known_columns(block);
      const Index other = unknown_column(block);
      out.classes.clear();
      for (const Index column : columns) {
        out.classes.push_back(block.classes[static_cast<std::size_t>(column)]);
      }
      std::vector<Index> rows;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto row = static_cast<Index>(i);
        const auto at = std::find(out.classes.begin(), out.classes.end(), labels[i]);
        if (at == out.classes.end()) {
          continue;  // a class that has nothing to fit on yet
        }
        const Index truth = at - out.classes.begin();
        if (std::isfinite(block.logits(row, columns[static_cast<std::size_t>(truth)]))) {
          rows.push_back(row);
          out.truth.push_back(truth);
          out.groups.push_back(static_cast<Index>(block.samples.group(row)));
        }
      }
      const Matrix chosen = block.logits(rows, columns);
      out.logits.push_back(chosen.cast<double>());
      if (method_->needs_features()) {
        out.embedding = wants_embedding(block);
        const Matrix features = read(block, out.embedding)(rows, Eigen::all);
        out.features.push_back(features.cast<double>());
      }
      if (other >= 0 && !rows.empty()) {
        const Eigen::VectorXd sums = row_log_sums(out.logits.back());
        for (std::size_t i = 0; i < rows.size(); ++i) {
          out.unknown.push_back(static_cast<double>(block.logits(rows[i], other)) -
                                sums[static_cast<Index>(i)]);
        }
      }
    });
    return out;
  }

  // Whether the last fit is of these columns, or of any.
  [[nodiscard]] bool fits(const Evidence& evidence, const std::vector<Index>& columns) const {
    if (!fitted_ || !method_->by_column()) {
      return fitted_;
    }
    return columns.size() == classes_.size() &&
           std::equal(columns.begin(), columns.end(), classes_.begin(),
                      [&](Index column, Label label) {
                        return evidence.classes[static_cast<std::size_t>(column)] == label;
                      });
  }

  [[nodiscard]] double unknown_share(double log_odds) const {
    if (unknown_.empty()) {
      return 1.0 / (1.0 + std::exp(-log_odds));
    }
    const auto below = std::lower_bound(unknown_.begin(), unknown_.end(), log_odds);
    const auto above = static_cast<double>(unknown_.end() - below);
    const double p = (1.0 + above) / (1.0 + static_cast<double>(unknown_.size()));
    const double weight = options_.unknown_prior * unknown_evidence(p);
    return weight / (weight + 1.0 - options_.unknown_prior);
  }

  OwnOptions options_;
  std::unique_ptr<ScoreCalibrator> method_;
  std::vector<Label> classes_;   // of the last fit
  std::vector<double> unknown_;  // ascending
  bool fitted_ = false;
  bool reads_embedding_ = false;  // since the last fit
};

}  // namespace

double unknown_evidence(double p) {
  const double log_p = std::log(p);
  if (log_p > -1e-4) {  // 0 / 0 at 1; the next term of its series is log_p / 6
    return 0.5 - log_p / 6.0;
  }
  return (1.0 - p + p * log_p) / (p * log_p * log_p);
}

PartSpec score_calibration_spec(const CalibratorSpec& core) {
  PartSpec spec;
  spec.name = core.name;
  spec.summary = core.summary;
  spec.paper = core.paper;
  spec.cost = core.cost + ", n the held-out samples";
  spec.slots = {Slot::calibrator};
  spec.options = core.options;
  for (OptionHelp& option : explain_options(OwnOptions(core).described())) {
    spec.options.push_back(std::move(option));
  }
  spec.make = [&core](const ConfigNode& node, std::string_view path) -> std::unique_ptr<Part> {
    SplitOptions split = divided(core, node, path);
    return std::make_unique<ScoreCalibration>(std::move(split.own), core.make(split.method, path));
  };
  spec.resolve = [&core](const ConfigNode& node, std::string_view path) {
    SplitOptions split = divided(core, node, path);
    return merge(core.resolve(split.method, path), write_options(split.own.described()));
  };
  return spec;
}

}  // namespace tyto
