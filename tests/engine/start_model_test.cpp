// SPDX-License-Identifier: Apache-2.0
// Runs that begin with a model trained elsewhere, at a later increment.
#include <map>
#include <set>

#include "support/places.hpp"
#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/archive.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/use/renumber.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

using Ids = std::vector<std::int64_t>;

constexpr std::int64_t kFrom = 0x40000000, kNoWorld = 0x80000000;

TEST(RenumberSamples, gives_those_of_another_world_numbers_that_no_world_deals) {
  State predictor;
  predictor.set("fitted_by_need", Ids{7});
  State& memory = predictor.make_child("memory");
  memory.set("ids", Ids{7, 3, kNoWorld + 1, kFrom});
  memory.set("roles", Ids{0, 1, 1, 0});
  memory.set("groups", Ids{0, 5, 6, kFrom + 1});
  memory.set("times", Dense<double>(Dense<double>::Zero(1, 4)));
  State& pool = predictor.make_child("recogniser").make_child("pool");
  pool.set("ids", Ids{9, 7});
  pool.set("groups", Ids{0, 1});
  renumber_samples(predictor);
  // In their order: 3, 7, 9, then the one that had come from elsewhere before.
  EXPECT_THAT(predictor.child("memory").get<Ids>("ids"),
              ElementsAre(kFrom + 1, kFrom, kNoWorld + 1, kFrom + 3));
  EXPECT_THAT(predictor.get<Ids>("fitted_by_need"), ElementsAre(kFrom + 1));
  EXPECT_THAT(predictor.child("recogniser").child("pool").get<Ids>("ids"),
              ElementsAre(kFrom + 2, kFrom + 1));
  EXPECT_THAT(predictor.get<Ids>("held_elsewhere"), ElementsAre(kFrom));
  EXPECT_THAT(predictor.child("memory").get<Ids>("groups"),
              ElementsAre(0, kFrom + 5, kFrom + 6, kFrom + 1));
  EXPECT_THAT(predictor.child("recogniser").child("pool").get<Ids>("groups"), ElementsAre(0, 1));
}

// Classes 0 to 4 are known at the start of one world, 2 to 6 at that of another.
class StartModelTest : public testing::Test {
 protected:
  void SetUp() override {
    write("first.yaml", "[\"0\", \"1\", \"2\", \"3\", \"4\"]", "pixels seen before",
          "record: {states: true}\n");
    const auto run = tyto({"run", "first.yaml", "--out", "first", "--no-report", "--quiet"});
    ASSERT_EQ(run.code, 0) << run.err;
    const auto saved =
        tyto({"predict", "first:mean-50pct", "--increment", "0", "--save", "model.npz"});
    ASSERT_EQ(saved.code, 0) << saved.err;
  }

  void write(const std::string& file, const std::string& classes, const std::string& knowledge,
             const std::string& more) const {
    write_file(scratch / file,
               "name: e\nseed: 3\nprior_knowledge: " + knowledge +
                   "\ndata: digits\nworld: {kind: increments, start: {classes: " + classes +
                   "}, increments: 2}\nfeedback: [0.5]\npredictors: [{name: mean, preset: ncm, "
                   "memory: unlimited, detector: knn, folds: 0}]\n" +
                   more);
  }

  void write_second(const std::string& from, const std::string& more = "") const {
    write("second.yaml", "[\"2\", \"3\", \"4\", \"5\", \"6\"]", "none",
          "from: " + from + "\n" + more);
  }

  testing_support::Outcome tyto(std::vector<std::string> words,
                                std::function<bool()> kill_when = {}) const {
    words.insert(words.end(), {"--data", testing_support::in_tree("/datasets"), "--threads", "1"});
    return run_program(words, {scratch.path(), std::move(kill_when), RLIM_INFINITY, ""});
  }

  [[nodiscard]] std::map<std::string, std::string> files_of(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch / folder)) {
      const auto file = entry.path().filename();
      if (entry.is_regular_file() && file != "times.csv" && file != "warnings.txt") {
        files[entry.path().lexically_relative(scratch / folder).string()] = slurp(entry.path());
      }
    }
    return files;
  }

  Scratch scratch;
};

TEST_F(StartModelTest, begins_at_the_increment_with_what_it_learned_elsewhere) {
  write_second("{model: model.npz, increment: 1}");
  const auto run = tyto({"run", "second.yaml", "--out", "second", "--no-report", "--quiet"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto files = files_of("second");
  // Nothing of the start is recorded, and both phases of the increments are.
  std::set<std::string> phases;
  for (const auto& [name, bytes] : files) {
    if (name.starts_with("record/mean-50pct/")) {
      phases.insert(std::filesystem::path(name).stem().string());
    }
  }
  EXPECT_TRUE(phases.contains("001_pre_test") && phases.contains("002_post_test"));
  EXPECT_TRUE(phases.lower_bound("001") == phases.begin()) << *phases.begin();
  // Classes are matched by name, and those that do not fit are listed.
  const std::string cautions = files.at("arms/mean-50pct/cautions.txt");
  EXPECT_EQ(cautions,
            "the model model.npz knows what the world had not shown before increment 1: 0, 1\n"
            "the model model.npz has not learned what the world had shown before increment 1: 5, "
            "6\n");
  EXPECT_THAT(run.out + run.err, HasSubstr("knows what the world had not shown before"));
  // What it knew is stated and taken over.
  const auto arm = nlohmann::json::parse(files.at("run.json")).at("arms").at(0);
  EXPECT_EQ(arm.at("prior_knowledge"),
            "the model model.npz, which learned 5 classes elsewhere (its own prior knowledge: "
            "pixels seen before)");
  // What it remembers of 0 to 4 was not taken for samples of this world: all of them are there
  // at the end, with what was granted here.
  const State state = read_archive(scratch / "model.npz");
  const auto learned = state.child("predictor").child("memory").get<Ids>("ids").size();
  const auto properties = nlohmann::json::parse(files.at("properties.json")).at("mean-50pct");
  const auto remembered = properties.at("experience").at("samples_remembered").get<Ids>();
  ASSERT_FALSE(remembered.empty());
  EXPECT_EQ(static_cast<std::size_t>(remembered.front()), learned);  // before any grant here
  // Half of the 285 and of the 657 training samples of the two increments.
  EXPECT_EQ(static_cast<std::size_t>(remembered.back()), learned + 142 + 328);
}

TEST_F(StartModelTest, ends_with_the_same_bytes_when_it_is_resumed) {
  write_second("{model: model.npz, increment: 1}");
  ASSERT_EQ(tyto({"run", "second.yaml", "--out", "whole", "--no-report", "--quiet"}).code, 0);
  const auto cut = tyto({"run", "second.yaml", "--out", "cut", "--no-report", "--quiet"}, [&] {
    return std::filesystem::exists(scratch / "cut/checkpoints") &&
           !std::filesystem::is_empty(scratch / "cut/checkpoints");
  });
  EXPECT_TRUE(cut.code == -SIGKILL || cut.code == 0);
  const auto again =
      tyto({"run", "second.yaml", "--out", "cut", "--no-report", "--quiet", "--resume"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(files_of("cut"), files_of("whole"));
}

TEST_F(StartModelTest, that_does_not_fit_is_refused_before_the_folder_is_touched) {
  const auto refusal = [&](const std::string& from, const std::string& more = "") {
    write_second(from, more);
    const auto run = tyto({"run", "second.yaml", "--out", "refused", "--quiet"});
    EXPECT_NE(run.code, 0);
    EXPECT_FALSE(std::filesystem::exists(scratch / "refused"));
    return run.err;
  };
  EXPECT_THAT(refusal("{model: model.npz, increment: 7}"),
              HasSubstr("from.increment: 7 is beyond the world's last increment, 2"));
  EXPECT_THAT(refusal("{model: model.npz, run: first}"),
              HasSubstr("from: a run and a model are named; name one of them"));
  EXPECT_THAT(refusal("{model: none.npz}"), HasSubstr("from.model: none.npz is not a file"));
  write("second.yaml", "[\"2\", \"3\"]", "none", "from: {model: model.npz}\n");
  const auto other =
      tyto({"run", "second.yaml", "--out", "refused", "--quiet", "--set", "predictors=[slda]"});
  EXPECT_THAT(other.err, HasSubstr("from.model: the predictor \"slda\" is not that of model.npz, "
                                   "which is \"mean\""));
}

TEST_F(StartModelTest, published_options_of_the_protocol_that_differ_are_told) {
  write("first.yaml", "5", "none", "");
  const auto run = tyto({"run", "first.yaml", "--out", "told", "--no-report", "--quiet", "--set",
                         "predictors=[{preset: ncm, expects: {observe_order: in_turn, observe: "
                         "[train], rounds: 3}}]"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(slurp(scratch / "told/arms/ncm-50pct/cautions.txt"),
            "it was published with observe_order: in_turn, and the protocol here has together\n"
            "it was published with rounds: 3, an option that the protocol owl does not have\n");
}

}  // namespace
}  // namespace tyto
