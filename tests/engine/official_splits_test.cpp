// SPDX-License-Identifier: Apache-2.0
// Datasets that take turns, and the published experiments that are averaged over official splits.
#include <map>

#include "support/places.hpp"
#include "support/program.hpp"
#include "support/toy_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/config.hpp"
#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/catalog.hpp"
#include "tyto/engine/page/report_source.hpp"
#include "tyto/engine/run/experiment.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::run_program;
using testing_support::Scratch;

std::string turns(const std::string& more) {
  return "name: e\nprior_knowledge: none\nworld: {kind: increments}\npredictors: [ncm]\n" + more;
}

Experiment read_turns(const std::string& more) {
  return read_experiment(parse_yaml(turns(more), "e.yaml"));
}

std::string refused_turns(const std::string& more) {
  try {
    read_turns(more);
  } catch (const Error& error) {
    return error.what();
  }
  return "was read";
}

TEST(DatasetsInTurn, get_a_seed_each) {
  EXPECT_THAT(read_turns("each: [a, b, c]\n").seeds, ElementsAre(1, 2, 3));
  EXPECT_THAT(read_turns("each: [a, b, c]\nseed: 7\n").seeds, ElementsAre(7, 8, 9));
  EXPECT_THAT(read_turns("each: [a, b]\nseeds: [5, 3]\n").seeds, ElementsAre(5, 3));
  const Experiment back = read_experiment(write_experiment(read_turns("each: [a, b]\n")));
  EXPECT_THAT(back.each, ElementsAre("a", "b"));
  EXPECT_THAT(back.seeds, ElementsAre(1, 2));
}

TEST(DatasetsInTurn, of_which_there_is_one_are_plain_data) {
  const Experiment one = read_turns("each: [a]\nseed: 4\n");
  EXPECT_THAT(one.data, ElementsAre("a"));
  EXPECT_TRUE(one.each.empty());
  EXPECT_TRUE(one.seeds.empty());
  EXPECT_EQ(one.seed, 4U);
}

TEST(DatasetsInTurn, that_do_not_fit_the_seeds_or_stand_beside_data_are_refused) {
  EXPECT_THAT(refused_turns("each: [a, b]\nseeds: [1, 2, 3]\n"),
              HasSubstr("each: 2 datasets take turns with 3 seeds"));
  EXPECT_THAT(refused_turns("each: [a, b]\ndata: c\n"), HasSubstr("each: stands beside data"));
  EXPECT_THAT(refused_turns(""), HasSubstr("data: is missing"));
}

std::string folds(const std::string& more, const std::string& split = "{by: folds, folds: 3}") {
  return "name: e\nprior_knowledge: none\ndata: digits\nworld: {kind: increments, start: {classes: "
         "4}, increments: 1, split: " +
         split + "}\npredictors: [ncm]\n" + more;
}

TEST(FoldsInTurn, get_a_seed_each) {
  const Experiment read = read_experiment(parse_yaml(folds("each_fold: true\nseed: 7\n"), "e"));
  EXPECT_THAT(read.seeds, ElementsAre(7, 8, 9));
  const Experiment back = read_experiment(write_experiment(read));
  EXPECT_TRUE(back.each_fold);
  EXPECT_THAT(back.seeds, ElementsAre(7, 8, 9));
  const Experiment own =
      read_experiment(parse_yaml(folds("each_fold: true\nseeds: [4, 2, 9]\n"), "e"));
  EXPECT_THAT(own.seeds, ElementsAre(4, 2, 9));
  const Experiment world = read_experiment(parse_yaml(folds("seed: 2\nworld_seed: 5\n"), "e"));
  EXPECT_EQ(world.seed_of_world(), 5U);
  EXPECT_EQ(read_experiment(write_experiment(world)).seed_of_world(), 5U);
}

TEST(FoldsInTurn, that_cannot_be_are_refused) {
  const auto problem = [](const std::string& yaml) {
    try {
      read_experiment(parse_yaml(yaml, "e.yaml"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("was read");
  };
  EXPECT_THAT(problem(folds("each_fold: true\n", "{test: 0.2}")),
              HasSubstr("each_fold: the world increments must be split by folds"));
  EXPECT_THAT(problem(folds("each_fold: true\nseeds: [1, 2]\n")),
              HasSubstr("each_fold: 3 folds take turns with 2 seeds"));
  EXPECT_THAT(problem(folds("world_seed: soon\n")),
              HasSubstr("world_seed: \"soon\" is no whole number"));
  EXPECT_THAT(problem("name: e\nprior_knowledge: none\neach: [a, b, c]\neach_fold: true\nworld: "
                      "{kind: increments, split: {by: folds, folds: 3}}\npredictors: [ncm]\n"),
              HasSubstr("each_fold: stands beside each"));
}

TEST(FoldsInTurn, test_every_sample_once_and_give_mean_and_spread) {
  const Scratch scratch;
  write_file(scratch / "e.yaml", folds("each_fold: true\nfeedback: [1]\nreport: false\n"));
  const auto outcome = run_program({"run", "e.yaml", "--quiet", "--threads", "1", "--data",
                                    testing_support::in_tree("/datasets"), "--out", "run"},
                                   {scratch.path(), {}, RLIM_INFINITY, ""});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("3 folds in turn; the world of the first"));
  std::map<std::string, int> tested;
  std::map<std::string, int> shown;
  for (const char* seed : {"seed-1", "seed-2", "seed-3"}) {
    const CsvTable manifest = CsvTable::load(scratch / "run" / seed / "manifest.csv");
    for (Index row = 0; row < manifest.rows(); ++row) {
      const std::string id(manifest.text(row, manifest.column("id")));
      ++shown[id];
      tested[id] += manifest.text(row, manifest.column("split")) == "test" ? 1 : 0;
    }
  }
  EXPECT_GT(shown.size(), 100U);
  for (const auto& [id, times] : tested) {
    EXPECT_EQ(times, 1) << id;
    EXPECT_EQ(shown.at(id), 3) << id;
  }
  EXPECT_TRUE(std::filesystem::exists(scratch / "run/spread.csv"));
  const std::vector<std::string> run{(scratch / "run").string()};
  const PageSource page =
      read_page_source(parse_run_references(run), Catalog({testing_support::in_tree("/datasets")}));
  EXPECT_EQ(page.runs[0].repeat, "fold");
  EXPECT_EQ(page.repeats(), "folds");
}

TEST(FoldsInTurn, of_data_with_splits_of_their_own_are_refused) {
  const Scratch scratch;
  write_file(
      scratch / "e.yaml",
      "name: e\nprior_knowledge: none\nworld: {kind: gaussians, samples: 1, start_samples: 10, "
      "rounds: 2, increments: 2, split: {by: folds, folds: 2}}\npredictors: [ncm]\n"
      "each_fold: true\nreport: false\n");
  const auto outcome = run_program({"run", "e.yaml", "--quiet", "--threads", "1", "--out", "run"},
                                   {scratch.path(), {}, RLIM_INFINITY, ""});
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("each_fold: the first two folds show the same samples"));
}

// Lists of two classes and twelve films in three splits, and what two networks said of the videos.
void write_small_hmdb(const std::filesystem::path& lists) {
  std::map<std::string, std::string> files;
  std::string index = "id,z,wave,sit\n";
  for (int film = 0; film < 12; ++film) {
    for (const std::string label : {"wave", "sit"}) {
      const bool is_wave = label == "wave";
      for (int clip = 0; clip < 4; ++clip) {
        const std::string id =
            "film" + std::to_string(film) + "_" + label + "_" + std::to_string(clip);
        for (int split = 1; split <= 3; ++split) {
          files[label + "_test_split" + std::to_string(split) + ".txt"] +=
              id + ".avi " + (film % 3 == split - 1 ? "2" : "1") + "\n";
        }
        const bool is_right = (film + clip) % 4 != 0;
        index += id + "," + std::to_string(clip) + (is_wave == is_right ? ",3,0\n" : ",0,2\n");
      }
    }
  }
  make_folder(lists / "features");
  for (const auto& [name, text] : files) {
    write_file(lists / name, text);
  }
  write_file(lists / "features/index.csv", index);
  write_file(lists / "features/dataset.yaml",
             "index: index.csv\nfeatures:\n  - {source: features, columns: [z]}\n"
             "  - {source: logits, columns: [wave, sit]}\n");
}

TEST(OfficialSplits, of_hmdb51_are_run_in_turn_and_averaged) {
  const Scratch scratch;
  write_small_hmdb(scratch / "lists");
  const testing_support::Conditions here{scratch.path(), {}, RLIM_INFINITY, ""};
  for (const std::string split : {"split1", "split2", "split3"}) {
    const auto made = run_program({"data", "import", "hmdb51", "lists", "--variant", split}, here);
    ASSERT_EQ(made.code, 0) << made.err;
  }
  const std::string yaml = testing_support::in_tree("/experiments/reliability/hmdb51.yaml");
  const auto ran = run_program({"run", yaml, "--quiet", "--no-report", "--out", "r", "--set",
                                "predictors=[{preset: native, classifier: precomputed, "
                                "representation: none}]"},
                               here);
  ASSERT_EQ(ran.code, 0) << ran.err;
  double sum = 0;
  for (const std::string turn : {"1", "2", "3"}) {
    const auto folder = scratch.path() / "r" / ("seed-" + turn);
    EXPECT_THAT(testing_support::slurp(folder / "experiment.yaml"),
                HasSubstr("hmdb51_split" + turn));
    const CsvTable table = CsvTable::load(folder / "reliability.csv");
    for (Index row = 0; row < table.rows(); ++row) {
      const auto cell = [&](const char* column) { return table.text(row, table.column(column)); };
      if (cell("split") == "test" && cell("classes") == "all" && cell("measure") == "nll") {
        sum += table.number(row, table.column("value"));
      }
    }
  }
  const CsvTable spread = CsvTable::load(scratch.path() / "r/spread.csv");
  int found = 0;
  for (Index row = 0; row < spread.rows(); ++row) {
    const auto cell = [&](const char* column) { return spread.text(row, spread.column(column)); };
    if (cell("split") == "test" && cell("measure") == "nll" && cell("view") == "classification" &&
        cell("step") == "all" && cell("phase") == "post" && cell("novel_to") == "predictor") {
      EXPECT_NEAR(spread.number(row, spread.column("mean")), sum / 3, 1e-6);
      ++found;
    }
  }
  EXPECT_EQ(found, 1);
}

TEST(OfficialSplits, without_their_features_are_refused_by_name) {
  const Scratch scratch;
  for (const auto& [file, dataset] :
       {std::pair<std::string, std::string>{"hmdb51", "hmdb51_split1"},
        {"drive_and_act", "drive_and_act_chunks_split0"}}) {
    const auto ran = run_program(
        {"run", testing_support::in_tree("/experiments/reliability/") + file + ".yaml", "--quiet"},
        {scratch.path(), {}, RLIM_INFINITY, ""});
    EXPECT_NE(ran.code, 0);
    EXPECT_THAT(ran.err, HasSubstr("no dataset is called \"" + dataset + "\""));
  }
}

}  // namespace
}  // namespace tyto
