// SPDX-License-Identifier: Apache-2.0
// tyto report, as a user runs it.
#include "support/page_reader.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::Outcome;
using testing_support::page_bytes;
using testing_support::read_page;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::section_of;
using testing_support::slurp;

constexpr const char* kSmall =
    "name: small\nseed: 3\nprior_knowledge: none\ndata: digits\n"
    "world: {kind: increments, start: {classes: 5}, increments: 2}\n"
    "feedback: [0, 0.5]\npredictors: [ncm]\n";

class ReportTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {  // one run for all of them, in the folder `one`
    shared_ = std::make_unique<Scratch>();
    write_file(*shared_ / "small.yaml", kSmall);
    made_ = run_program({"run", "small.yaml", "--quiet", "--data",
                         testing_support::in_tree("/datasets"), "--out", "one"},
                        {shared_->path(), {}, RLIM_INFINITY, ""});
  }

  static void TearDownTestSuite() { shared_.reset(); }

  ReportTest() {
    write_file(scratch / "small.yaml", kSmall);
    copy_run("one");
  }

  void copy_run(const std::string& to) const {
    std::filesystem::copy(*shared_ / "one", scratch / to, std::filesystem::copy_options::recursive);
  }

  Outcome tyto(const std::vector<std::string>& arguments) const {
    return run_program(arguments, {scratch.path(), {}, RLIM_INFINITY, ""});
  }

  Outcome run(const std::string& out, std::vector<std::string> more = {}) const {
    std::vector<std::string> all{
        "run",   "small.yaml", "--quiet", "--data", testing_support::in_tree("/datasets"),
        "--out", out};
    all.insert(all.end(), more.begin(), more.end());
    return tyto(all);
  }

  Outcome report(std::vector<std::string> more) const {
    std::vector<std::string> all{"report", "--quiet", "--data",
                                 testing_support::in_tree("/datasets")};
    all.insert(all.end(), more.begin(), more.end());
    return tyto(all);
  }

  void set_info(const std::string& key, const nlohmann::ordered_json& value) const {
    auto info = nlohmann::ordered_json::parse(slurp(scratch / "one/run.json"));
    info[key] = value;
    write_file(scratch / "one/run.json", info.dump(1));
  }

  nlohmann::json page(const std::string& file) const { return read_page(slurp(scratch / file)); }

  Scratch scratch;
  static inline std::unique_ptr<Scratch> shared_;
  static inline Outcome made_;
};

TEST_F(ReportTest, comes_with_every_run_and_can_be_made_again) {
  ASSERT_EQ(made_.code, 0) << made_.err;
  EXPECT_THAT(made_.out, HasSubstr("one/report.html\n"));
  const std::string first = slurp(scratch / "one/report.html");
  const auto data = read_page(first);
  EXPECT_EQ(data.at("title"), "small");
  EXPECT_EQ(data.at("runs")[0].at("done"), true);
  ASSERT_EQ(data.at("arms").size(), 2U);
  EXPECT_EQ(data.at("arms")[1].at("name"), "ncm-50pct");
  EXPECT_EQ(data.at("arms")[1].at("feedback"), "50 %");
  for (const char* kind :
       {"summary", "progress", "world", "confusion", "novelty", "cost", "provenance"}) {
    EXPECT_FALSE(section_of(data, kind).is_null()) << kind;
  }
  const auto provenance = section_of(data, "provenance").at("runs")[0];
  EXPECT_EQ(provenance.at("datasets")[0].at("name"), "digits");
  EXPECT_EQ(provenance.at("datasets")[0].at("samples"), 1797);
  EXPECT_EQ(provenance.at("properties").size(), 2U);
  const Outcome again = report({"one/"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("one/report.html ("));
  EXPECT_EQ(slurp(scratch / "one/report.html"), first);
}

TEST_F(ReportTest, says_what_the_run_printed) {
  const auto info = nlohmann::json::parse(slurp(scratch / "one/run.json"));
  const auto summary = section_of(page("one/report.html"), "summary");
  for (std::size_t arm = 0; arm < 2; ++arm) {
    for (std::size_t i = 0; i < summary.at("columns").size(); ++i) {
      const auto& said =
          info.at("arms")[arm].at("headline").at(summary.at("columns")[i].at("name"));
      const auto& shown = summary.at("rows")[arm].at("values")[i][0];
      ASSERT_EQ(said.is_null(), shown.is_null());
      if (!said.is_null()) {
        EXPECT_NEAR(said.get<double>(), shown.get<double>(), 1e-6);
      }
    }
  }
  // A matrix holds every sample once.
  const auto manifest = slurp(scratch / "one/manifest.csv");
  const auto rows = std::count(manifest.begin(), manifest.end(), '\n') - 1;
  std::int64_t samples = 0;
  const auto confusion = section_of(page("one/report.html"), "confusion");
  for (const auto& matrix : confusion.at("matrices")) {
    if (matrix.at("arm") == 0 && matrix.at("phase") == "post") {
      for (std::size_t i = 2; i < matrix.at("cells").size(); i += 3) {
        samples += matrix.at("cells")[i].get<std::int64_t>();
      }
    }
  }
  EXPECT_EQ(samples, rows);
}

TEST_F(ReportTest, is_left_out_on_request_and_goes_when_the_run_is_replaced) {
  ASSERT_TRUE(std::filesystem::exists(scratch / "one/report.html"));
  const Outcome flag = run("one", {"--force", "--no-report"});
  ASSERT_EQ(flag.code, 0) << flag.err;
  EXPECT_FALSE(std::filesystem::exists(scratch / "one/report.html"));
  EXPECT_THAT(flag.out, Not(HasSubstr("report.html")));
  ASSERT_EQ(run("key", {"--set", "report=false"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(scratch / "key/report.html"));
  // The same run twice: its page differs by its times alone.
  copy_run("first");
  std::vector<std::string> pages;
  for (const std::string folder : {"one", "first"}) {
    std::filesystem::remove(scratch / folder / "times.csv");
    std::filesystem::remove_all(scratch / folder / "arms");
    std::filesystem::rename(scratch / folder, scratch / "place");
    ASSERT_EQ(report({"place"}).code, 0);
    pages.push_back(slurp(scratch / "place/report.html"));
    std::filesystem::rename(scratch / "place", scratch / folder);
  }
  EXPECT_EQ(pages[0], pages[1]);
}

TEST_F(ReportTest, of_several_seeds_is_one_page_with_bands) {
  const Outcome made = run("seeds", {"--set", "seeds=[3, 4]"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("seeds/report.html\n"));
  const auto data = page("seeds/report.html");
  EXPECT_EQ(data.at("runs").size(), 1U);
  ASSERT_EQ(data.at("arms").size(), 2U);
  EXPECT_EQ(data.at("arms")[0].at("seeds"), nlohmann::json::parse("[3,4]"));
  const auto value = section_of(data, "summary").at("rows")[0].at("values")[0];
  EXPECT_LE(value[1].get<double>(), value[0].get<double>());
  EXPECT_GE(value[2].get<double>(), value[0].get<double>());
  // One of them is a run like any other.
  EXPECT_EQ(report({"seeds/seed-4"}).code, 0);
  EXPECT_EQ(page("seeds/seed-4/report.html").at("arms")[0].at("seeds"),
            nlohmann::json::parse("[4]"));
}

TEST_F(ReportTest, sets_runs_side_by_side) {
  ASSERT_EQ(run("two", {"--no-report", "--set", "name=other"}).code, 0);
  const Outcome both = report({"one", "two:ncm-50pct"});
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_THAT(both.out, testing::StartsWith("report.html ("));
  const auto data = page("report.html");
  EXPECT_EQ(data.at("title"), "small, other");
  EXPECT_EQ(data.at("runs").size(), 2U);
  ASSERT_EQ(data.at("arms").size(), 3U);
  EXPECT_EQ(data.at("arms")[2].at("run"), 1);
  EXPECT_EQ(data.at("arms")[2].at("name"), "ncm-50pct");
  EXPECT_TRUE(section_of(data, "summary").at("warnings").empty());  // the same samples
  EXPECT_EQ(section_of(data, "summary").at("paragraphs").size(), 2U);
  // Two arms of one run are one run; runs of one name go by their folders.
  ASSERT_EQ(report({"one:ncm-0pct", "one:ncm-50pct", "--out", "arms.html"}).code, 0);
  EXPECT_EQ(page("arms.html").at("runs").size(), 1U);
  EXPECT_EQ(page("arms.html").at("arms").size(), 2U);
  copy_run("three");
  ASSERT_EQ(report({"one", "three"}).code, 0);
  EXPECT_EQ(page("report.html").at("runs")[1].at("name"), "three");
}

TEST_F(ReportTest, of_an_unfinished_run_shows_what_is_committed) {
  set_info("done", false);
  std::filesystem::remove_all(scratch / "one/record/ncm-50pct");
  std::filesystem::remove(scratch / "one/checkpoints/ncm-50pct.npz");
  std::filesystem::remove(scratch / "one/checkpoints/ncm-50pct.before.npz");
  // A phase that no commit names does not count.
  std::filesystem::copy(scratch / "one/record/ncm-0pct/001_pre_test.npz",
                        scratch / "one/record/ncm-0pct/007_pre_test.npz");
  const Outcome made = report({"one"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("small is not finished"));
  const auto data = page("one/report.html");
  EXPECT_EQ(data.at("runs")[0].at("done"), false);
  ASSERT_EQ(data.at("arms").size(), 1U);
  const auto summary = section_of(data, "summary");
  EXPECT_THAT(summary.at("warnings")[0], HasSubstr("is not finished"));
  EXPECT_EQ(summary.at("warnings")[1], "Not begun yet in small: ncm-50pct.");
  EXPECT_THAT(summary.at("paragraphs")[0].at("text"),
              HasSubstr("So far ncm-0pct is committed up to increment 2."));
  const auto confusion = section_of(data, "confusion");
  for (const auto& matrix : confusion.at("matrices")) {
    EXPECT_LT(matrix.at("step"), 7);
  }
  // The run goes on unharmed, and its page is then whole.
  EXPECT_EQ(run("one", {"--resume"}).code, 0);
  EXPECT_EQ(page("one/report.html").at("runs")[0].at("done"), true);
  EXPECT_EQ(page("one/report.html").at("arms").size(), 2U);
}

TEST_F(ReportTest, says_where_nothing_is_committed_yet) {
  set_info("done", false);
  std::filesystem::remove_all(scratch / "one/checkpoints");
  const Outcome outcome = report({"one"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("one: nothing of it is committed yet"));
}

TEST_F(ReportTest, refuses_what_it_cannot_read_with_a_sentence) {
  const auto expect = [&](const std::vector<std::string>& arguments, int code,
                          const std::string& sentence) {
    const Outcome outcome = report(arguments);
    EXPECT_EQ(outcome.code, code) << sentence;
    EXPECT_THAT(outcome.err, HasSubstr(sentence));
    EXPECT_EQ(outcome.out, "");
  };
  make_folder(scratch / "empty");
  expect({"nowhere"}, 2, "nowhere: there is no such folder");
  expect({"empty"}, 1, "empty: a folder without a run (no run.json in it)");
  expect({"one:ncm-50pc"}, 2,
         "no arm of one is called \"ncm-50pc\" (did you mean \"ncm-50pct\"?); there are: ncm-0pct, "
         "ncm-50pct");
  expect({"one", "--out", "empty"}, 2, "--out empty: is a folder");
  write_file(scratch / "notes.html", "<p>mine</p>");
  expect({"one", "--out", "notes.html"}, 2, "notes.html: is there already and is no report page");
  EXPECT_EQ(slurp(scratch / "notes.html"), "<p>mine</p>");
  EXPECT_EQ(report({"one", "--out", "notes.html", "--force"}).code, 0);
  EXPECT_EQ(report({"one", "--out", "notes.html"}).code, 0);  // now it is a page

  const auto file = scratch / "one/record/ncm-50pct/001_pre_test.npz";
  const std::string whole = slurp(file);
  std::filesystem::resize_file(file, 300);
  expect({"one", "--out", "x.html"}, 1,
         "one/record/ncm-50pct/001_pre_test.npz: truncated or not a Tyto archive");
  EXPECT_FALSE(std::filesystem::exists(scratch / "x.html"));
  write_file(file, whole);

  set_info("tyto_run", 1);
  expect({"one"}, 1, "one/run.json: format 1 of a run; this program reads format 2");
  write_file(scratch / "one/run.json", "{");
  expect({"one"}, 1, "one/run.json: not the file of a run");
  EXPECT_EQ(report({}).code, 2);
}

TEST_F(ReportTest, warns_of_a_run_of_another_version) {
  set_info("version", "0.0.1");
  const Outcome made = report({"one"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("small was run by Tyto 0.0.1"));
  EXPECT_THAT(section_of(page("one/report.html"), "summary").at("warnings")[0], HasSubstr("0.0.1"));
}

TEST_F(ReportTest, helps_with_examples) {
  const Outcome help = tyto({"report", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, HasSubstr("Example: tyto report runs/quickstart"));
}

TEST_F(ReportTest, shows_groups_by_the_columns_of_another_table) {
  const CsvTable manifest = CsvTable::load(scratch / "one/manifest.csv");
  std::string notes = "id,size,word,text\n";
  for (Index row = 0; row < manifest.rows(); ++row) {
    if (row % 4 != 0) {  // of the others nothing is noted
      notes += std::string(manifest.text(row, manifest.column("id"))) + "," + std::to_string(row) +
               (row % 2 == 0 ? ",even" : ",odd") + ",t" + std::to_string(row) + "\n";
    }
  }
  write_file(scratch / "notes.csv", notes);
  const auto columns = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"one", "--out", "g.html", "--annotations", "notes.csv"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome made = report(all);
    EXPECT_EQ(made.code, 0) << made.err;
    return section_of(page("g.html"), "groups").at("columns");
  };
  const auto all = columns({});
  ASSERT_EQ(all.size(), 2U);  // not the text, of which no two are alike
  EXPECT_EQ(all[0].at("column"), "size:3");
  EXPECT_EQ(all[1].at("column"), "word");
  EXPECT_EQ(all[0].at("rows").size(), 2 * 4U);  // two arms, three thirds and N/A
  EXPECT_EQ(all[0].at("rows")[3].at("group"), "N/A");
  EXPECT_THAT(all[0].at("note").get<std::string>(), HasSubstr("size cut into 3 parts"));
  const auto one = columns({"--by", "size:2"});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].at("column"), "size:2");

  const auto refused = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"one", "--out", "g.html"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = report(arguments);
    EXPECT_NE(outcome.code, 0);
    return outcome.err;
  };
  EXPECT_THAT(refused({"--annotations", "notes.csv", "--by", "size"}),
              HasSubstr("more than 40; size:3 cuts a number into thirds"));
  EXPECT_THAT(refused({"--annotations", "notes.csv", "--by", "sizz"}),
              HasSubstr("did you mean \"size\"?"));
  EXPECT_THAT(refused({"--by", "size:1"}), HasSubstr("2 parts or more are needed"));
  EXPECT_THAT(refused({"--csv", "--by", "word"}), HasSubstr("--by"));
}

}  // namespace
}  // namespace tyto
