// SPDX-License-Identifier: Apache-2.0
// The next symbolic state foretold from those before it: new is what comes otherwise.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "tyto/core/parallel.hpp"
#include "tyto/nn/module.hpp"
#include "tyto/parts/detector/state_variables.hpp"
#include "tyto/parts/incremental/clips.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kSymbolicForms{"sound", "paper"};
constexpr std::uint64_t kWatchedShare = 10;  // one in so many groups or rows stops the training
constexpr std::size_t kFewestWatched = 10;
constexpr Index kStatesTogether = 4096, kSymbolicSteps = 500;
constexpr double kForgotten = 0.2;          // share of histories cut short in training
constexpr std::size_t kWorstVariables = 3;  // that are told

struct SymbolicOptions {
  std::string form = "sound";
  Index history = 2, hidden = 64, layers = 2, epochs = 50, patience = 5, batch = 64,
        steps_at_least = -1;
  double dropout = 0.2, learning_rate = -1.0;
  std::vector<double> words;

  void describe(OptionVisitor& v) {
    v.field("form", form, kSymbolicForms,
            "sound: numbers are standardised, and what there is of a history foretells, from "
            "nothing on; paper: numbers as they are, a frame with a shorter history has score 0");
    v.field("history", history, {1, 1e4},
            "frames before the last one of a sample that foretell it");
    v.field("hidden", hidden, {1, 1e5}, "units per hidden layer");
    v.field("layers", layers, {1, 100}, "hidden layers");
    v.field("dropout", dropout, {0, 0.99}, "of hidden units in training");
    v.field("learning_rate", learning_rate, {-1, 10},
            "of Adam; below 0: 0.001, in form paper 1e-4");
    v.field("epochs", epochs, {1, 1e6}, "passes over the samples, at most");
    v.field("steps_at_least", steps_at_least, {-1, 1e9},
            "that `epochs` allow for: more of them where there are few samples; below 0: 500, in "
            "form paper 0");
    v.field("patience", patience, {0, 1e6},
            "epochs without a better loss on watched samples, a tenth of those to fit on, before "
            "it stops; 0: never");
    v.field("batch", batch, {1, 1e9}, "samples per step");
    v.field("words", words, {1, 1e6},
            "numbers of columns of the words that end a state, one column per value; not needed "
            "where columns are called word=value");
  }
};

class SymbolicAr final : public Part, public Detector {
 public:
  explicit SymbolicAr(SymbolicOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Needs needs() const override {
    Needs needs;
    needs.frames = true;
    return needs;
  }

  void profile(const Experience& experience, Work& work) override {
    Clips clips(experience, experience.labelled(Role::fit));
    if (clips.size() == 0) {
      return;
    }
    const Samples samples = experience.samples(clips.rows());
    std::vector<std::string> columns = samples.column_names("features");
    columns.resize(std::ssize(columns) == clips.width() ? columns.size() : 0);
    columns_ = std::move(columns);
    shape(clips.width());
    take_scale(clips);
    net_ = made_net(work.rng.fork("weights"));
    std::vector<Index> taught, watched;
    divide(samples, taught, watched);
    train(clips, taught, watched, work.fork("fit"));
  }

  void detect(Evidence& evidence) const override {
    const Matrix losses = losses_of(evidence);
    evidence.novelty.resize(at(losses.rows()));
    Vector::Map(evidence.novelty.data(), losses.rows()) = losses.rowwise().maxCoeff();
  }

  [[nodiscard]] std::vector<std::vector<ScoreNote>> explain(
      const Evidence& evidence) const override {
    const Matrix losses = losses_of(evidence);
    std::vector<std::vector<ScoreNote>> notes(at(losses.rows()));
    for (std::size_t i = 0; i < notes.size(); ++i) {
      const auto row = losses.row(static_cast<Index>(i));
      std::vector<Index> order(at(row.size()));
      std::iota(order.begin(), order.end(), Index{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](Index a, Index b) { return row[a] > row[b]; });
      order.resize(std::min(order.size(), kWorstVariables));
      for (const Index j : order) {
        notes[i].push_back({variables_.names[at(j)], row[j]});
      }
    }
    return notes;
  }

  void save(State& state) const override {
    if (net_) {
      state.set("width", std::int64_t{variables_.width});
      state.set("columns", columns_);
      state.set("mean", mean_);
      state.set("scale", scale_);
      net_->save(state.make_child("net"));
    }
  }

  void load(const State& state, const Shelf&) override {
    net_.reset();
    if (state.has("width")) {
      columns_ = state.get<std::vector<std::string>>("columns");
      shape(state.get<std::int64_t>("width"));
      mean_ = state.get<Matrix>("mean");
      scale_ = state.get<Matrix>("scale");
      net_ = made_net(Rng(0));
      net_->load(state.child("net"));
    }
  }

 private:
  // Rows of the network, and what should come out.
  struct Foretold {
    Matrix rows, told;
    std::vector<bool> whole;  // the history has all its frames
  };

  [[nodiscard]] bool is_sound() const { return options_.form == "sound"; }

  void shape(Index width) { variables_ = state_variables(width, columns_, options_.words); }

  // The last frame of a sample of n, and so many before it; -1: not there.
  [[nodiscard]] std::vector<Index> last_frames(Index n, Index remembered) const {
    std::vector<Index> frames;
    for (Index back = options_.history; back > 0; --back) {
      frames.push_back(back <= std::min(n - 1, remembered) ? n - 1 - back : -1);
    }
    frames.push_back(n - 1);
    return frames;
  }

  // Of numbers, by the last frames.
  void take_scale(const Clips& clips) {
    mean_ = Matrix::Zero(1, clips.width());
    scale_ = Matrix::Ones(1, clips.width());
    if (!is_sound()) {
      return;
    }
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(clips.width()), square = sum;
    std::vector<Index> all(at(clips.size()));
    std::iota(all.begin(), all.end(), Index{0});
    const auto each = [&](const auto& body) {
      in_blocks(clips.size(), kStatesTogether, [&](Index begin, Index count) {
        body(clips
                 .frames(Rows(all).subspan(at(begin), at(count)),
                         [](std::size_t, Index n) { return std::vector<Index>{n - 1}; })
                 .template cast<double>()
                 .eval());
      });
    };
    const auto n = static_cast<double>(clips.size());
    each([&](const auto& rows) { sum += rows.colwise().sum(); });
    each([&](const auto& rows) {
      square += (rows.rowwise() - sum / n).array().square().matrix().colwise().sum();
    });
    for (const Index column : variables_.numbers) {
      const double deviation = std::sqrt(square[column] / n);
      mean_(0, column) = static_cast<float>(sum[column] / n);
      // What never varied keeps its unit.
      scale_(0, column) = deviation > 1e-6 ? static_cast<float>(1.0 / deviation) : 1.0F;
    }
  }

  // `frames` has history + 1 rows of each sample, as last_frames chose them.
  [[nodiscard]] Foretold foretold(Matrix frames,
                                  const std::vector<std::vector<Index>>& chosen) const {
    const Index k = options_.history, width = variables_.width;
    frames = ((frames.rowwise() - mean_.row(0)).array().rowwise() * scale_.row(0).array()).matrix();
    Foretold out{
        Matrix::Zero(std::ssize(chosen), k * (width + 1)), Matrix(std::ssize(chosen), width), {}};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const auto row = static_cast<Index>(i);
      bool whole = true;
      for (Index h = 0; h < k; ++h) {
        const bool there = chosen[i][at(h)] >= 0;
        whole = whole && there;
        if (there) {  // one that is not there is the mean of all, and says so
          out.rows.row(row).segment(h * width, width) = frames.row(row * (k + 1) + h);
          out.rows(row, k * width + h) = 1.0F;
        }
      }
      out.told.row(row) = frames.row(row * (k + 1) + k);
      out.whole.push_back(whole);
    }
    return out;
  }

  // Clips of the experience; `rng`: some of their histories are cut short.
  [[nodiscard]] Foretold foretold(const Clips& clips, Rows which, Rng* rng) const {
    std::vector<std::vector<Index>> chosen;
    Matrix frames = clips.frames(which, [&](std::size_t, Index n) {
      Index remembered = options_.history;
      if (rng != nullptr && is_sound() && rng->uniform() < kForgotten) {
        remembered = rng->below(options_.history);
      }
      chosen.push_back(last_frames(n, remembered));
      return chosen.back();
    });
    return foretold(std::move(frames), chosen);
  }

  [[nodiscard]] Matrix losses_of(const Evidence& evidence) const {
    if (!net_) {
      throw Error(ErrorKind::state, "detector symbolic_ar has seen no labelled sample to fit on");
    }
    if (evidence.size() == 0) {
      return Matrix::Zero(0, variables_.count());
    }
    std::vector<std::vector<Index>> chosen;
    Matrix frames = chosen_frames(evidence.frames, [&](Index, Index n) {
      chosen.push_back(last_frames(n, options_.history));
      return chosen.back();
    });
    const Foretold here = foretold(std::move(frames), chosen);
    Matrix losses = variable_losses(variables_, net_->forward(here.rows, 1, nullptr), here.told);
    for (Index i = 0; i < losses.rows(); ++i) {
      if (!is_sound() && !here.whole[at(i)]) {
        losses.row(i).setZero();
      }
    }
    return losses;
  }

  // Watched are whole groups (episodes), where there are some; decided by their number alone.
  void divide(const Samples& samples, std::vector<Index>& taught,
              std::vector<Index>& watched) const {
    std::set<std::uint32_t> groups;
    for (Index i = 0; i < samples.size(); ++i) {
      groups.insert(samples.group(i));
    }
    const bool by_group = groups.size() >= kWatchedShare;
    for (Index i = 0; i < samples.size(); ++i) {
      if (!is_sound() && samples.frame_count(i) <= options_.history) {
        continue;
      }
      const std::uint64_t number =
          by_group ? samples.group(i) : static_cast<std::uint32_t>(samples.id(i));
      const bool watch = options_.patience > 0 && mix(number, "watched") % kWatchedShare == 0;
      (watch ? watched : taught).push_back(i);
    }
    if (watched.size() < kFewestWatched || taught.empty()) {
      taught.insert(taught.end(), watched.begin(), watched.end());
      watched.clear();
    }
  }

  [[nodiscard]] std::unique_ptr<Network> made_net(const Rng& rng) const {
    return nn_module().make_network(
        even_network(options_.history * (variables_.width + 1), options_.hidden, options_.layers,
                     variables_.width, Join::none, options_.dropout),
        rng);
  }

  [[nodiscard]] Training training(Index samples) const {
    Training training;
    training.objective.cross_entropy = 0.0;
    training.objective.variables = {1.0, variables_.numbers, variables_.words};
    training.optimiser.learning_rate = options_.learning_rate >= 0 ? options_.learning_rate
                                       : is_sound()                ? 1e-3
                                                                   : 1e-4;
    training.batch = options_.batch;
    const Index steps = options_.steps_at_least >= 0 ? options_.steps_at_least
                        : is_sound()                 ? kSymbolicSteps
                                                     : 0;
    const Index per_epoch = (samples + options_.batch - 1) / options_.batch;
    training.epochs = std::max(options_.epochs, (steps + per_epoch - 1) / per_epoch);
    return training;
  }

  void train(const Clips& clips, const std::vector<Index>& taught,
             const std::vector<Index>& watched, Work work) {
    if (taught.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("symbolic_ar: no sample has {} frames before its last one",
                              options_.history));
    }
    const auto draw = [&](Rows which, const Rng& rng, Batch& batch) {
      std::vector<Index> picked;
      for (const Index i : which) {
        picked.push_back(taught[at(i)]);
      }
      Rng cuts = rng.fork("histories");
      Foretold here = foretold(clips, picked, &cuts);
      batch.clear();
      batch.rows = std::move(here.rows);
      batch.match = std::move(here.told);
    };
    Training training = this->training(std::ssize(taught));
    if (watched.empty()) {
      net_->fit(std::ssize(taught), draw, training, work);
      return;
    }
    State moments, best;
    training.moments = &moments;
    double least = std::numeric_limits<double>::infinity();
    Index since = 0;
    for (Index epoch = 0; epoch < training.epochs && since < options_.patience; ++epoch) {
      training.first_epoch = epoch;
      training.end_epoch = epoch + 1;
      net_->fit(std::ssize(taught), draw, training, work);
      const double loss = mean_loss(clips, watched);
      ++since;
      if (loss < least) {
        least = loss;
        since = 0;
        best = State();
        net_->save(best);
      }
    }
    net_->load(best);
  }

  [[nodiscard]] double mean_loss(const Clips& clips, const std::vector<Index>& which) const {
    double sum = 0.0;
    in_blocks(std::ssize(which), kStatesTogether, [&](Index begin, Index count) {
      const Foretold here = foretold(clips, Rows(which).subspan(at(begin), at(count)), nullptr);
      sum += variable_losses(variables_, net_->forward(here.rows, 1, nullptr), here.told)
                 .cast<double>()
                 .sum();
    });
    return sum / static_cast<double>(which.size());
  }

  SymbolicOptions options_;
  std::unique_ptr<Network> net_;  // null until the first lesson: making it opens the module
  std::vector<std::string> columns_;
  StateVariables variables_;
  Matrix mean_, scale_;  // one row each
};

}  // namespace

PartSpec symbolic_ar_spec() {
  return part_spec<SymbolicOptions, SymbolicAr>(
      "symbolic_ar", {Slot::detector},
      "the worst foretold variable of a symbolic state, by a network that sees the states before",
      "O(epochs n weights) to learn, O(n weights) to detect, weights = history d hidden",
      "Feeney et al., NovelCraft: A Dataset for Novelty Detection and Discovery in Open Worlds, "
      "TMLR 2023");
}

}  // namespace tyto
