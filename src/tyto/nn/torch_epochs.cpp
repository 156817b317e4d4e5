// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_epochs.hpp"

#include <algorithm>
#include <cmath>
#include <future>

#include "tyto/core/parallel.hpp"
#include "tyto/nn/torch_objective.hpp"
#include "tyto/nn/torch_optimiser.hpp"

namespace tyto {

namespace {

// The batches of an epoch, one after another; where asked, the next one is drawn meanwhile.
class BatchFeed {
 public:
  BatchFeed(const DrawBatch& draw, Rows order, Index size, const Rng& draws, std::uint64_t step,
            bool ahead)
      : draw_(draw), order_(order), size_(size), draws_(draws), step_(step), ahead_(ahead) {}

  const Batch& next() {
    batch_ = drawn_.valid() ? drawn_.get() : make(step_);
    ++step_;
    if (ahead_ && begin_ < order_.size()) {
      drawn_ = std::async(std::launch::async, [this, step = step_] { return make(step); });
    }
    return batch_;
  }

 private:
  Batch make(std::uint64_t step) {
    Batch batch;
    const std::size_t count = std::min(at(size_), order_.size() - begin_);
    draw_(order_.subspan(begin_, count), draws_.fork("step", step), batch);
    begin_ += count;
    return batch;
  }

  const DrawBatch& draw_;
  Rows order_;
  Index size_;
  Rng draws_;
  std::uint64_t step_;
  bool ahead_;
  std::size_t begin_ = 0;  // of what was not drawn yet
  Batch batch_;
  std::future<Batch> drawn_;
};

}  // namespace

double run_epochs(const Epochs& epochs, const std::vector<LearnedTensor>& weights,
                  const StepLoss& loss) {
  const auto& [samples, draw, training, work] = epochs;
  const Index size = std::min(samples, training.batch);
  const Index last = !training.keep_last && samples > size ? samples - samples % size : samples;
  const Index steps = (last + size - 1) / size;  // of an epoch
  const AnchorPull anchors(training.objective.anchors, weights);
  Descent descent(training.optimiser, weights, training.epochs * steps);
  if (training.moments != nullptr && training.first_epoch > 0) {
    descent.load(*training.moments);
  }
  const Rng draws = work.rng.fork("draw");
  double mean = 0.0;
  auto step = static_cast<std::uint64_t>(training.first_epoch * steps);
  const Index end = training.end_epoch < 0 ? training.epochs : training.end_epoch;
  for (Index epoch = training.first_epoch; epoch < end; ++epoch) {
    const auto order =
        work.rng.fork("shuffle", static_cast<std::uint64_t>(epoch)).permutation(samples);
    mean = 0.0;
    const Rows all = Rows(order).first(at(last));
    BatchFeed feed(draw, all, size, draws, step, training.draw_ahead);
    in_blocks(last, size, [&](Index, Index count) {
      work.progress.pulse();
      const at::Tensor of_batch = loss(feed.next(), step++);
      const double value = of_batch.item<float>();
      if (!std::isfinite(value)) {
        throw Error(ErrorKind::numeric,
                    fmt::format("the loss of step {} is {}; a learning_rate below {} may help",
                                step, value, training.optimiser.learning_rate));
      }
      mean += value * static_cast<double>(count) / static_cast<double>(last);
      of_batch.backward();
      anchors.add_to_gradients();
      descent.step();
    });
  }
  if (training.moments != nullptr) {
    *training.moments = State();
    descent.save(*training.moments);
  }
  return mean + anchors.loss();
}

}  // namespace tyto
