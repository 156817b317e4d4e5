// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

// Four triples on a line of two scales: two partitions without early exit.
class ClusterFolder {
 public:
  ClusterFolder() {
    std::string bare;
    std::string named = "x,y,class\n";
    for (const char* corner : {"0,0", "20,0", "0,20", "20,20"}) {
      const std::string text(corner);
      const double x = text.starts_with("20") ? 20.0 : 0.0;
      const std::string y = text.substr(text.find(',') + 1);
      for (const double step : {0.0, 1.0, 2.1}) {
        const std::string row = std::to_string(x + step) + "," + y;
        bare += row + "\n";
        named += row + "," + (y == "0" ? "low" : "high") + "\n";
      }
    }
    write_file(scratch_ / "bare.csv", bare);
    write_file(scratch_ / "named.csv", named);
  }

  [[nodiscard]] std::string file(std::string_view name) const { return (scratch_ / name).string(); }

  [[nodiscard]] Outcome run(const std::string& features, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"cluster", file(features), "--out", file("out.csv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

 private:
  Scratch scratch_;
};

TEST(ClusterVerb, writes_a_column_per_partition_and_says_what_they_are) {
  const ClusterFolder folder;
  const Outcome outcome = folder.run("bare.csv", {"--metric", "euclidean", "--no-early-exit"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(slurp(folder.file("out.csv")),
            "level_0,level_1\n0,0\n0,0\n0,0\n1,0\n1,0\n1,0\n2,1\n2,1\n2,1\n3,1\n3,1\n3,1\n");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("12 rows of 2 numbers"), HasSubstr("level_1"),
                                 HasSubstr("silhouette of the means by level")));
}

TEST(ClusterVerb, keeps_the_early_exit_unless_told) {
  const ClusterFolder folder;
  ASSERT_EQ(folder.run("bare.csv", {"--metric", "euclidean"}).code, 0);
  EXPECT_THAT(slurp(folder.file("out.csv")), testing::StartsWith("level_0\n0\n"));
}

TEST(ClusterVerb, gives_the_number_asked_for_a_column_of_its_own) {
  const ClusterFolder folder;
  const Outcome outcome =
      folder.run("bare.csv", {"--metric", "euclidean", "--clusters", "3", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(slurp(folder.file("out.csv")),
            "level_0,clusters_3\n0,0\n0,0\n0,0\n1,0\n1,0\n1,0\n2,1\n2,1\n2,1\n3,2\n3,2\n3,2\n");
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["chosen"], "clusters_3");
  EXPECT_EQ(json["levels"][1]["sizes"], nlohmann::json::parse("[6, 3, 3]"));
}

TEST(ClusterVerb, chooses_the_level_by_labels_from_a_column_or_a_file) {
  const ClusterFolder folder;
  const std::vector<std::string> late{"--metric", "euclidean", "--no-early-exit", "--json"};
  const auto chosen = [&](const std::string& features, std::vector<std::string> more) {
    more.insert(more.end(), late.begin(), late.end());
    const Outcome outcome = folder.run(features, more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["chosen"].get<std::string>();
  };
  EXPECT_EQ(chosen("named.csv", {"--labels-column", "class"}), "level_1");
  write_file(folder.file("labels.txt"), "a\na\na\nb\nb\nb\nc\n\n\nd\nd\nd\n");
  EXPECT_EQ(chosen("bare.csv", {"--labels", folder.file("labels.txt")}), "level_0");
  EXPECT_EQ(chosen("bare.csv", {"--labels", folder.file("named.csv"), "--labels-column", "class"}),
            "level_1");
}

TEST(ClusterVerb, reads_npy_and_datasets) {
  const ClusterFolder folder;
  Matrix rows(4, 2);
  rows << 0, 1, 0, 2, 1, 0, 2, 0;
  write_npy(folder.file("rows.npy"), rows);
  ASSERT_EQ(folder.run("rows.npy").code, 0);
  EXPECT_EQ(slurp(folder.file("out.csv")), "level_0\n0\n0\n1\n1\n");
  write_file(folder.file("dataset.yaml"),
             "name: toy\nsummary: toy\nindex: index.csv\nfeatures:\n"
             "  - {source: features, columns: [x, y]}\n");
  write_file(folder.file("index.csv"), "id,label,x,y\na,l,0,1\nb,l,0,2\nc,m,1,0\nd,m,2,0\n");
  const Outcome outcome = folder.run(".", {"--labels-column", "label"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(slurp(folder.file("out.csv")), "id,level_0\na,0\nb,0\nc,1\nd,1\n");
  EXPECT_THAT(outcome.out, HasSubstr("2 classes known"));
}

TEST(ClusterVerb, of_one_row_is_one_group) {
  const ClusterFolder folder;
  write_file(folder.file("one.csv"), "1,2,3\n");
  const Outcome outcome = folder.run("one.csv");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(slurp(folder.file("out.csv")), "level_0\n0\n");
}

TEST(ClusterVerb, says_what_is_wrong_in_a_sentence_and_writes_nothing) {
  const ClusterFolder folder;
  const auto complaint = [&](const std::string& features, std::vector<std::string> more, int code) {
    const Outcome outcome = folder.run(features, std::move(more));
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder.file("out.csv")));
    return outcome.err;
  };
  write_file(folder.file("text.csv"), "1,2\n3,four\n");
  write_file(folder.file("short.csv"), "1,2\n3\n");
  write_file(folder.file("nan.csv"), "1,2\nnan,4\n");
  write_file(folder.file("empty.csv"), "x,y\n");
  write_file(folder.file("few.txt"), "a\nb\n");
  EXPECT_THAT(complaint("absent.csv", {}, 1), HasSubstr("absent.csv"));
  EXPECT_THAT(complaint("text.csv", {}, 1),
              HasSubstr("line 2, column 2: \"four\" is not a number"));
  EXPECT_THAT(complaint("short.csv", {}, 1), HasSubstr("line 2: 1 numbers, but line 1 has 2"));
  EXPECT_THAT(complaint("nan.csv", {}, 1), HasSubstr("row 2, column 1 (from 1): nan"));
  EXPECT_THAT(complaint("empty.csv", {}, 1), HasSubstr("holds no numbers to cluster"));
  EXPECT_THAT(complaint("named.csv", {}, 1), HasSubstr("low"));
  EXPECT_THAT(complaint("bare.csv", {"--clusters", "13"}, 2), HasSubstr("has only 12 rows"));
  EXPECT_THAT(complaint("bare.csv", {"--clusters", "0"}, 2), HasSubstr("clusters"));
  EXPECT_THAT(complaint("bare.csv", {"--labels", folder.file("few.txt")}, 1),
              HasSubstr("2 labels for the 12 rows"));
  EXPECT_THAT(complaint("bare.csv", {"--labels-column", "class"}, 2),
              HasSubstr("has no column names"));
  EXPECT_THAT(complaint("named.csv", {"--labels-column", "clas"}, 1), HasSubstr("class"));
  EXPECT_THAT(complaint("bare.csv", {"--method", "finhc"}, 2), HasSubstr("finch"));
  EXPECT_THAT(complaint("bare.csv", {"--set", "metrik=cosine"}, 2),
              HasSubstr("has no option \"metrik\" (did you mean \"metric\"?)"));
  EXPECT_THAT(complaint("bare.csv", {"--set", "level"}, 2),
              HasSubstr("--set level: must be key=value"));
  EXPECT_THAT(complaint("bare.csv", {"--metric", "cosinus"}, 2), HasSubstr("cosine"));
}

TEST(ClusterVerb, loses_no_row_to_a_header_that_is_none) {
  const ClusterFolder folder;
  write_file(folder.file("bad.csv"), "0,o\n1,0\n2,0\n");
  const Outcome bad = folder.run("bad.csv", {"--metric", "euclidean"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.csv: line 1, column 2: \"o\" is not a number"));
  // Quotes, a mark of the byte order and a blank line make no word of a number.
  write_file(folder.file("odd.csv"), "\xEF\xBB\xBF\r\n\"0\",0\r\n1,0\r\n20,0\r\n21,0\r\n");
  const Outcome odd = folder.run("odd.csv", {"--metric", "euclidean"});
  EXPECT_EQ(odd.code, 0) << odd.err;
  EXPECT_EQ(slurp(folder.file("out.csv")), "level_0\n0\n0\n1\n1\n");
  write_file(folder.file("numbered.csv"), "0,1,kind\n0,0,a\n1,0,a\n20,0,b\n21,0,b\n");
  EXPECT_EQ(folder.run("numbered.csv", {"--metric", "euclidean", "--labels-column", "kind"}).code,
            0);
  EXPECT_EQ(slurp(folder.file("out.csv")), "level_0\n0\n0\n1\n1\n");
}

TEST(ClusterVerb, prints_the_groups_where_they_go_to_the_standard_output) {
  const ClusterFolder folder;
  const Outcome outcome = run_program(
      {"cluster", folder.file("bare.csv"), "--metric", "euclidean", "--out", "/dev/stdout"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "level_0\n0\n0\n0\n1\n1\n1\n2\n2\n2\n3\n3\n3\n");
  EXPECT_THAT(outcome.err, HasSubstr("12 rows of 2 numbers"));
  EXPECT_EQ(run_program({"cluster", folder.file("bare.csv"), "--out", "/dev/null"}).code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace tyto
