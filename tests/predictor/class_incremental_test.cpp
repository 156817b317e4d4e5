// SPDX-License-Identifier: Apache-2.0
// Methods that learn class after class, on clips of frames small enough to be sure of the outcome.
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"

namespace tyto {
namespace {

constexpr Index kClipWidth = 6;

struct ClipTask {
  Samples samples;
  std::vector<std::string> names;
};

// Class c lies at a corner of its own; clips have 3 to 10 frames, some of them far off.
class ClipWorld {
 public:
  explicit ClipWorld(std::uint64_t seed) : rng_(seed, "clips") {}

  ClipTask task(const std::vector<Index>& classes, Index clips, Index shortest = 3) {
    std::vector<Eigen::RowVectorXf> rows;
    Samples::Table table;
    table.first.push_back(0);
    ClipTask out;
    for (const Index c : classes) {
      for (Index i = 0; i < clips; ++i) {
        table.id.push_back(static_cast<SampleId>(next_++));
        const Index frames = shortest + rng_.below(8);
        for (Index f = 0; f < frames; ++f) {
          Eigen::RowVectorXf row(kClipWidth);
          for (Index j = 0; j < kClipWidth; ++j) {
            row[j] = static_cast<float>(0.7 * rng_.normal()) + (j == c % kClipWidth ? 3.0F : 0.0F) +
                     (c >= kClipWidth && j == (c + 1) % kClipWidth ? 3.0F : 0.0F);
          }
          table.row.push_back(std::ssize(rows));
          rows.push_back(row);
        }
        table.first.push_back(std::ssize(table.row));
        out.names.push_back(fmt::format("class {}", c));
      }
    }
    Matrix features(std::ssize(rows), kClipWidth);
    for (Index i = 0; i < features.rows(); ++i) {
      features.row(i) = rows[static_cast<std::size_t>(i)];
    }
    out.samples =
        Samples(std::make_shared<const DenseStore>(std::move(features)), std::move(table));
    return out;
  }

 private:
  Rng rng_;
  std::uint32_t next_ = 0;
};

constexpr std::string_view kQuick = "hidden: 32, segments: 4, epochs: 20";

std::unique_ptr<Composition> predictor_of(const std::string& yaml) {
  return std::make_unique<Composition>(read_predictor(parse_yaml(yaml, "test"), "test"), 5);
}

std::unique_ptr<Composition> method(std::string_view classifier, std::string_view memory,
                                    std::string_view more = ", steps_at_least: 120") {
  return predictor_of(
      fmt::format("{{name: it, classifier: {{name: {}, {}{}}}, memory: {}, holdout: 0.1}}",
                  classifier, kQuick, more, memory));
}

void teach(Composition& predictor, const ClipTask& task, std::uint64_t step) {
  Progress silent;
  Work work{Rng(3, "lesson", step), silent};
  predictor.learn({task.samples, task.names, {}}, work);
}

double accuracy(const Composition& predictor, const ClipTask& test) {
  const Prediction prediction = predictor.predict(test.samples);
  double right = 0;
  for (std::size_t i = 0; i < test.names.size(); ++i) {
    right += predictor.labels().name(prediction.label[i]) == test.names[i] ? 1 : 0;
  }
  return right / static_cast<double>(test.names.size());
}

struct Outcome {
  double first, last;  // task, after all of them
};

Outcome after_three_tasks(Composition& predictor) {
  ClipWorld world(1);
  teach(predictor, world.task({0, 1}, 30), 0);
  teach(predictor, world.task({2, 3}, 30), 1);
  teach(predictor, world.task({4, 5}, 30), 2);
  return {accuracy(predictor, world.task({0, 1}, 40)), accuracy(predictor, world.task({4, 5}, 40))};
}

TEST(ClassIncremental, finetuning_forgets_and_rehearsal_does_not) {
  const auto finetune = method("finetune", "none");
  const Outcome forgot = after_three_tasks(*finetune);
  EXPECT_LT(forgot.first, 0.1);
  EXPECT_GT(forgot.last, 0.9);
  for (const std::string_view rehearsal : {"naive", "er", "derpp", "icarl", "bic"}) {
    const auto kept = method(rehearsal, "{name: herding, budget: 30}");
    const Outcome outcome = after_three_tasks(*kept);
    EXPECT_GT(outcome.first, 0.85) << rehearsal;
    EXPECT_GT(outcome.last, 0.85) << rehearsal;
  }
  const auto joint = method("naive", "unlimited", ", steps_at_least: 120, start: anew");
  const Outcome bound = after_three_tasks(*joint);
  EXPECT_GT(bound.first, 0.95);
  EXPECT_GT(bound.last, 0.95);
}

// Logits of the classes of task one, for clips of task one.
Matrix old_logits(const Composition& predictor, const ClipTask& clips) {
  return predictor.evidence(clips.samples).logits.leftCols(2);
}

TEST(ClassIncremental, anchors_and_teachers_hold_old_outputs) {
  const auto drift = [](std::string_view name, std::string_view more) {
    ClipWorld world(2);
    const auto predictor = method(name, "none", more);
    teach(*predictor, world.task({0, 1}, 30), 0);
    const ClipTask probe = world.task({0, 1}, 20);
    const Matrix before = old_logits(*predictor, probe);
    teach(*predictor, world.task({2, 3}, 30), 1);
    const Matrix gap = old_logits(*predictor, probe) - before;
    return static_cast<double>(gap.norm() / before.norm());
  };
  const double free = drift("finetune", ", steps_at_least: 120");
  EXPECT_LT(drift("ewc", ", steps_at_least: 120, strength: 1e7"), 0.5 * free);
  EXPECT_NEAR(drift("ewc", ", steps_at_least: 120, strength: 0"), free, 1e-6);
  EXPECT_LT(drift("mas", ", steps_at_least: 120, strength: 1e5"), 0.5 * free);
  EXPECT_LT(drift("lwf", ", steps_at_least: 120, strength: 20"), 0.9 * free);
  EXPECT_NEAR(drift("lwf", ", steps_at_least: 120, strength: 0"), free, 1e-6);
}

TEST(ClassIncremental, forms_of_a_method_differ_and_all_run) {
  for (const std::string_view name : {"naive", "ewc", "mas", "icarl", "bic"}) {
    std::map<std::string, Matrix> logits;
    for (const std::string form : {"sound", "paper", "released"}) {
      ClipWorld world(3);
      const auto predictor = method(name, "{name: herding, budget: 20}",
                                    fmt::format(", steps_at_least: 60, form: {}", form));
      teach(*predictor, world.task({0, 1}, 15), 0);
      teach(*predictor, world.task({2, 3}, 15), 1);
      logits[form] = predictor->evidence(world.task({0, 2}, 5).samples).logits;
      EXPECT_TRUE(logits[form].allFinite()) << name << " " << form;
    }
    EXPECT_NE(logits["sound"], logits["released"]) << name;
  }
}

TEST(ClassIncremental, consistency_looks_at_a_second_view) {
  std::map<std::string, Matrix> logits;
  for (const std::string tc : {"none", "paper", "released"}) {
    ClipWorld world(4);
    const auto predictor = method("icarl", "{name: herding, budget: 20}",
                                  fmt::format(", steps_at_least: 60, tc: {}, tc_frames: 2", tc));
    teach(*predictor, world.task({0, 1}, 15), 0);
    teach(*predictor, world.task({2, 3}, 15), 1);
    logits[tc] = predictor->evidence(world.task({0, 2}, 5).samples).logits;
  }
  EXPECT_NE(logits["none"], logits["paper"]);
  EXPECT_NE(logits["paper"], logits["released"]);
}

// Two classes of the same frames in another order.
ClipTask turning_clips(std::uint64_t seed) {
  Rng rng(seed, "order");
  Samples::Table table;
  table.first.push_back(0);
  ClipTask out;
  Matrix rows(40 * 8, 2);
  for (Index i = 0; i < 40; ++i) {
    table.id.push_back(static_cast<SampleId>(seed * 100 + static_cast<std::uint64_t>(i)));
    for (Index f = 0; f < 8; ++f) {
      const double angle = (i % 2 == 0 ? 1 : -1) * 0.785398 * static_cast<double>(f);
      rows.row(i * 8 + f) << static_cast<float>(std::cos(angle) + 0.1 * rng.normal()),
          static_cast<float>(std::sin(angle) + 0.1 * rng.normal());
      table.row.push_back(i * 8 + f);
    }
    table.first.push_back(std::ssize(table.row));
    out.names.emplace_back(i % 2 == 0 ? "left" : "right");
  }
  out.samples = Samples(std::make_shared<const DenseStore>(std::move(rows)), std::move(table));
  return out;
}

TEST(ClassIncremental, changes_tell_what_frames_alone_cannot) {
  const auto right = [&](std::string_view look) {
    const auto predictor = predictor_of(fmt::format(
        "{{name: it, classifier: {{name: naive, hidden: 32, look: {}}}, memory: unlimited}}",
        look));
    teach(*predictor, turning_clips(1), 0);
    return accuracy(*predictor, turning_clips(2));
  };
  EXPECT_GT(right("changes"), 0.95);
  EXPECT_LT(right("frames"), 0.8);
  EXPECT_LT(right("shuffled_changes"), 0.8);
}

TEST(ClassIncremental, means_and_changes_tell_what_either_does) {
  const auto ridge = [](std::string_view over, int projection) {
    return predictor_of(fmt::format(
        "{{name: it, memory: none, holdout: 0, classifier: {{name: ridge, projection: {}, "
        "choose: gcv, scale: 10, over: {}, segments: 8}}}}",
        projection, over));
  };
  for (const int projection : {0, 201}) {  // odd: neither half is lost
    SCOPED_TRACE(projection);
    const auto turning = [&](std::string_view over) {
      const auto predictor = ridge(over, projection);
      teach(*predictor, turning_clips(1), 0);
      return accuracy(*predictor, turning_clips(2));
    };
    EXPECT_LT(turning("means"), 0.8);
    if (projection > 0) {  // a mean of changes alone is the way from first to last
      EXPECT_GT(turning("changes"), 0.95);
      EXPECT_GT(turning("means_and_changes"), 0.95);
    }
    ClipWorld world(5);
    const auto standing = [&](std::string_view over) {
      const auto predictor = ridge(over, projection);
      teach(*predictor, world.task({0, 1}, 15), 0);
      teach(*predictor, world.task({2, 3}, 15), 1);
      return accuracy(*predictor, world.task({0, 1, 2, 3}, 10));
    };
    EXPECT_GT(standing("means_and_changes"), 0.9);
  }
}

// Ten held-out clips of each class; the new ones were rehearsed with twenty times as many.
TEST(ClassIncremental, bias_correction_gives_old_classes_their_due) {
  const auto share_of_old = [](std::string_view name) {
    ClipWorld world(5);
    const auto predictor = method(name, "{name: herding, budget: 8}");
    teach(*predictor, world.task({0, 1, 6}, 40), 0);
    teach(*predictor, world.task({2, 3, 7}, 40), 1);
    return accuracy(*predictor, world.task({0, 1, 6}, 40));
  };
  EXPECT_GE(share_of_old("bic") + 0.02, share_of_old("naive"));
}

// Corrections must not pile up lesson after lesson.
TEST(ClassIncremental, bias_correction_lasts_over_many_tasks) {
  ClipWorld world(8);
  const auto predictor = method("bic", "{name: herding, budget: 48}");
  for (Index c = 0; c < 12; c += 2) {
    teach(*predictor, world.task({c, c + 1}, 30), static_cast<std::uint64_t>(c));
  }
  EXPECT_GT(accuracy(*predictor, world.task({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 15)), 0.7);
}

TEST(ClassIncremental, hard_lessons_have_a_defined_end) {
  for (const std::string_view name :
       {"finetune", "naive", "ewc", "mas", "lwf", "icarl", "bic", "er", "derpp"}) {
    for (const std::string_view memory :
         {"none", "{name: herding, budget: 0}", "{name: class_balanced, budget: 1}"}) {
      ClipWorld world(6);
      const auto predictor = method(name, memory, ", steps_at_least: 20");
      teach(*predictor, world.task({0}, 12, 1), 0);  // one class
      EXPECT_EQ(accuracy(*predictor, world.task({0}, 5)), 1.0) << name << memory;
      teach(*predictor, world.task({1, 2}, 1, 1), 1);  // one clip of each
      teach(*predictor, world.task({0, 1}, 6, 1), 2);  // nothing new
      const Prediction prediction = predictor->predict(world.task({0, 1, 2}, 4, 1).samples);
      EXPECT_EQ(prediction.label.size(), 12U);
      EXPECT_TRUE(predictor->evidence(world.task({2}, 3).samples).logits.allFinite());
    }
  }
}

TEST(ClassIncremental, a_saved_learner_learns_on_as_if_it_had_not_been) {
  for (const std::string_view name : {"ewc", "icarl", "bic", "derpp"}) {
    ClipWorld world(7);
    const auto predictor = method(name, "{name: herding, budget: 20}", ", steps_at_least: 40");
    teach(*predictor, world.task({0, 1}, 12), 0);
    teach(*predictor, world.task({2, 3}, 12), 1);
    State state;
    predictor->save(state);
    const auto copy = method(name, "{name: herding, budget: 20}", ", steps_at_least: 40");
    copy->load(state, StoreShelf({}));  // the memory has a store of its own
    const ClipTask third = world.task({4}, 12);
    teach(*predictor, third, 2);
    teach(*copy, third, 2);
    const ClipTask test = world.task({0, 2, 4}, 6);
    EXPECT_EQ(predictor->evidence(test.samples).logits, copy->evidence(test.samples).logits)
        << name;
  }
}

}  // namespace
}  // namespace tyto
