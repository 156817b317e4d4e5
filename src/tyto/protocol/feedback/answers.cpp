// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/feedback/answers.hpp"

#include <set>

#include "tyto/core/parallel.hpp"
#include "tyto/protocol/protocol.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

Decisions decided(const Predictor& predictor, const Samples& samples, Work& work) {
  Decisions all;
  // In the blocks of an evaluation: some detectors look at the whole of a block.
  in_blocks(samples.size(), samples_per_block(samples, kPredictedAtOnce),
            [&](Index begin, Index count) {
              work.progress.pulse();
              const Prediction block = predictor.predict(samples.slice(begin, count));
              all.space = block.space;
              all.label.insert(all.label.end(), block.label.begin(), block.label.end());
            });
  return all;
}

std::vector<Index> paid_rows(const OracleRequest& request) {
  std::vector<Index> rows;
  std::set<Index> seen;
  for (const Index row : request.order) {
    if (std::ssize(rows) == request.answers) {
      break;
    }
    if (seen.insert(row).second) {
      rows.push_back(row);
    }
  }
  return rows;
}

OracleAnswers corrections(const OracleRequest& request, const Speak& speak, Work& work) {
  const std::vector<Index> rows = paid_rows(request);
  OracleAnswers answers{std::ssize(rows)};
  if (rows.empty()) {
    return answers;
  }
  const Samples shown = request.train.samples.slice(request.begin, request.end - request.begin);
  const Decisions decisions = decided(request.predictor, shown, work);
  const LookedUp truth = request.world.look_up(request.train, rows);
  std::vector<Index> wrong;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto entry = decisions.space->find(truth.label[i]);
    const bool is_known = entry && decisions.space->kind(*entry) == LabelKind::known;
    if (is_known && decisions.label[at(rows[i] - request.begin)] != *entry) {
      wrong.push_back(rows[i]);
      answers.truth.push_back(truth.label[i]);
      answers.words.push_back({speak(truth.label[i], request.train.samples.id(rows[i]))});
    }
  }
  answers.samples = request.train.samples.pick(wrong);
  return answers;
}

}  // namespace tyto
