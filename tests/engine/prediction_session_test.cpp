// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/prediction_session.hpp"

#include "support/blobs.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::ElementsAre;
using testing_support::make_blobs;

// Fires once five samples were watched since the last lesson, and blames the fourth.
class FiveIsTooMany final : public StatelessPart, public Alarm {
 public:
  std::vector<float> watch(const Evidence& batch) override {
    seen_ += batch.size();
    return std::vector<float>(static_cast<std::size_t>(batch.size()), 0.0F);
  }

  [[nodiscard]] Change change() const override {
    return {3.0, seen_ >= 5, seen_, seen_ >= 5 ? 3 : -1, ChangeKind::new_classes, 0.2};
  }

  void start_again() override { seen_ = 0; }

 private:
  Index seen_ = 0;
};

class SessionTest : public testing::Test {
 protected:
  ReadyPredictor model;
  std::vector<std::string> heard;  // answers by id, "changed <row>"
  Index next = 1;                  // row of the input

  void SetUp() override {
    PredictorConfig config;
    config.name = "watchful";
    model.predictor = std::make_unique<Composition>(config, 1, [] {
      const auto plain = ConfigNode::empty_map();
      Parts parts;
      parts.fill(Slot::classifier, find_part(Slot::classifier, "ncm").make(plain, "ncm"));
      parts.fill(Slot::detector, find_part(Slot::detector, "mahalanobis").make(plain, "m"));
      parts.fill(Slot::memory, find_part(Slot::memory, "unlimited").make(plain, "unlimited"));
      parts.fill(Slot::alarm, std::make_shared<FiveIsTooMany>());
      return parts;
    });
    const auto start = make_blobs(0, 2, 50, 1, 0);
    Progress silent;
    Work work{Rng(1), silent};
    model.predictor->learn({start.samples, start.names, {}}, work);
  }

  PredictionSession session(SessionOptions options) {
    return PredictionSession(
        model, options,
        [this](const std::string& id, const Prediction&, Index, const WhyNovel*) {
          heard.push_back(id);
        },
        [this](Index row, const Change& change) {
          heard.push_back("changed " + std::to_string(row) + " " +
                          std::string(change_name(change.kind)));
        });
  }

  // The next rows, samples of the first class, with these labels.
  InputRows rows(const std::vector<std::string>& labels) {
    InputRows out;
    out.samples =
        make_blobs(0, 1, static_cast<Index>(labels.size()), 7, model.next_id).samples.lent();
    out.first = next;
    out.label = labels;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      out.id.push_back(std::to_string(next++));
    }
    return out;
  }
};

TEST_F(SessionTest, answers_unlabelled_rows_and_learns_the_others_in_lessons) {
  auto work = session({true, false, false, 2});
  work.take(rows({"", "class c", "", "class c", ""}));
  EXPECT_THAT(heard, ElementsAre("1", "3", "5"));
  EXPECT_TRUE(model.predictor->labels().find("class c").has_value());
  EXPECT_EQ(model.predictor->remembered(), 102);
  work.take(rows({"class d"}));  // half a lesson
  EXPECT_FALSE(model.predictor->labels().find("class d").has_value());
  work.take(rows({"", ""}));
  work.finish();
  EXPECT_TRUE(model.predictor->labels().find("class d").has_value());
  EXPECT_EQ(model.predictor->remembered(), 103);
  EXPECT_THAT(heard, ElementsAre("1", "3", "5", "7", "8"));
  EXPECT_EQ(model.name_of(static_cast<SampleId>(0x80000001U)), "2");
}

TEST_F(SessionTest, answers_all_rows_unless_it_may_learn) {
  auto work = session({false, false, false, 1});
  work.take(rows({"class c", ""}));
  work.finish();
  EXPECT_THAT(heard, ElementsAre("1", "2"));
  EXPECT_EQ(model.predictor->remembered(), 100);
}

TEST_F(SessionTest, tells_the_row_of_a_change_once_until_the_next_lesson) {
  auto work = session({true, true, false, 2});
  // Watched: rows 1, 3, 4, then 5, which is the fourth.
  work.take(rows({"", "class a", "", ""}));
  work.take(rows({"", ""}));
  EXPECT_THAT(heard, ElementsAre("1", "3", "4", "5", "6", "changed 5 new_classes"));
  work.take(rows({"", ""}));
  EXPECT_THAT(heard, testing::SizeIs(8));  // not again
  heard.clear();
  // Row 10 completes a lesson; watched since: rows 11 to 15.
  work.take(rows({"", "class b", "", "", "", "", ""}));
  EXPECT_THAT(heard, ElementsAre("9", "11", "12", "13", "14", "15", "changed 14 new_classes"));
}

}  // namespace
}  // namespace tyto
