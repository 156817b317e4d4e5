// SPDX-License-Identifier: Apache-2.0
// How a network is taught, described: what is drawn, what is minimised, by which steps. A method of
// learning is a description, made without torch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

// One step's samples. Matrices of targets may be narrower than the output: they speak of the first
// outputs alone, and of an entry that is NaN not at all.
struct Batch {
  Matrix rows;                        // `segments` rows per sample, one sample after another
  std::vector<std::int64_t> targets;  // the number of an output per sample
  std::vector<float> weights = {};    // of the cross-entropy per sample; empty: 1 each
  Matrix second = {};                 // another view of every sample, as `rows`; may be empty
  Matrix soft = {};                   // logits of a teacher, to be distilled; may be empty
  Matrix match = {};                  // logits to be matched; may be empty

  void clear() { *this = {}; }
};

// Fills a batch with the samples numbered `which`; `rng` is this step's own.
using DrawBatch = std::function<void(Rows which, const Rng& rng, Batch& batch)>;

// softmax: -sum_k p_k log q_k, p and q softmax of logits / temperature, over the teacher's outputs,
// mean over the samples, no factor T^2. sigmoid: binary cross-entropy between sigmoids, summed over
// the teacher's outputs.
enum class DistilKind { softmax, sigmoid };

struct Distil {
  double weight = 0.0;
  DistilKind kind = DistilKind::softmax;
  double temperature = 1.0;
};

// weight * sum_p importance_p (theta_p - at_p)^2, weights named as a network saves them. Rows of
// the output layer that are not named there are free.
struct Anchor {
  double weight = 0.0;
  State importance, at;
};

// The mean over numbers of (outputs - rows)^2, where the network is shown rows + noise.
struct Reconstruction {
  double weight = 0.0;
  double noise = 0.0;        // deviation; drawn by step, row and number alone
  bool within_unit = false;  // what the network is shown is cut to [0, 1]
};

// What `match` tells, a column per output, as variables: of a number the squared error, of a word,
// whose columns hold one 1, the cross-entropy; the sum over variables, the mean over samples.
struct Variables {
  double weight = 0.0;
  std::vector<Index> numbers;             // columns
  std::vector<std::vector<Index>> words;  // columns of each
};

// NDCC (Cheng and Vasconcelos 2021): classes are Gaussians with means W_c s and one diagonal
// covariance s_j = (sigma + delta_j)^2 about the embedding v:
//   weight [ M(v, stopped s) + likelihood (sum_j log s_j / 2 + M(stopped v, s)) ],
// M the mean over samples of sum_j (v_j - mean_j)^2 / (2 s_j). Needs
// NetworkSettings::class_gaussians.
struct ClassGaussians {
  double weight = 0.0, likelihood = 0.0;
};

// Views of one sample come together, and samples of one class do (Vaze et al. 2022). Of the outputs
// z of `rows` and `second`, both of length 1 and t the temperature:
//   weight [ (1 - labelled) U + labelled S ]
// U, the mean over all views v of log sum_{w != v} exp(z_v z_w / t) - z_v z_v' / t, with v' the
// other view of the sample; S, the same among the views of samples that have a target, with the
// mean over the other views of the class in place of v'. A target below 0 is none.
struct Contrast {
  double weight = 0.0, labelled = 0.35, temperature = 0.1;
};

constexpr float kLeastVariance = 1e-6F;  // s_j is never less

// The mean over the batch of
//   cross_entropy [(1 - second_view) CE(rows) + second_view CE(second)]
//   + distil.weight distillation + logit_match |logits - match|^2 / outputs matched
//   + reconstruction + variables + class_gaussians + contrast
// plus the anchors. CE is weighted per sample: sum w CE / samples.
struct Objective {
  double cross_entropy = 1.0;
  double second_view = 0.0;
  Distil distil;
  double logit_match = 0.0;
  Reconstruction reconstruction;
  Variables variables;
  ClassGaussians class_gaussians;
  Contrast contrast;
  std::vector<Anchor> anchors;
};

enum class OptimiserKind { adam, sgd, adagrad };
enum class RateSchedule { constant, cosine };

// Weights whose names begin so have a rate and decay of their own.
struct OwnRate {
  std::string prefix;
  double learning_rate = 0.0, decay = 0.0;
};

struct Optimiser {  // begun anew at every fit, unless that goes on with another
  OptimiserKind kind = OptimiserKind::adam;
  double learning_rate = 1e-3;
  double momentum = 0.0;  // of sgd; Adam has 0.9, 0.999, 1e-8
  double decay = 0.0;     // decay * weight is added to the gradient
  double clip = 0.0;      // the gradient of all weights is no longer than that; 0: as it is
  RateSchedule schedule = RateSchedule::constant;
  std::vector<double> drops = {};  // at these shares of the training rates fall to a tenth
  std::vector<OwnRate> own = {};
};

struct Training {
  Objective objective;
  Optimiser optimiser;
  Index batch = 1000, epochs = 1;  // shuffled samples
  Index segments = 1;
  bool keep_last = true;  // the last, smaller batch of an epoch, unless it is the only one

  // A training may be cut at the end of any epoch and gone on with, to the same bytes: this call
  // does the epochs [first_epoch, end_epoch) of `epochs`, and `moments`, where given, keeps what
  // the optimiser has to remember from one call to the next.
  Index first_epoch = 0, end_epoch = -1;  // below 0: to the last
  State* moments = nullptr;

  // Draws the next batch on another thread while this one is learned from: for draws that wait for
  // a disk and compute little.
  bool draw_ahead = false;
};

// fisher: mean over samples of the squared gradient of log p(target).
// mas: mean over samples of |gradient of the squared length of the logits|.
// The released ones are what the vCLIMB scripts compute: with dropout, g the sum over batches of
// the gradient of their mean, of the cross-entropy: g^2; of the length of the logits: |g|.
enum class ImportanceKind { fisher, mas, fisher_released, mas_released };

}  // namespace tyto
