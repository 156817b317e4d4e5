// SPDX-License-Identifier: Apache-2.0
// tyto predict as a user runs it.
#include "support/environment.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>

#include "tyto/core/files/files.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

// A running program with a pipe at its input and one at its output.
class Piped {
 public:
  Piped(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
        const std::string& stdin_file = "", const std::string& stdout_file = "") {
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe");
    }
    child_ = ::fork();
    if (child_ == 0) {
      const int from = stdin_file.empty() ? in[0] : ::open(stdin_file.c_str(), O_RDONLY);
      const int to = stdout_file.empty()
                         ? out[1]
                         : ::open(stdout_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      ::dup2(from, 0);
      ::dup2(to, 1);
      std::vector<std::string> copies = arguments;
      copies.insert(copies.begin(), testing_support::built_program());
      std::vector<char*> argv;
      for (std::string& argument : copies) {
        argv.push_back(argument.data());
      }
      argv.push_back(nullptr);
      if (::chdir(folder.c_str()) == 0) {
        ::execv(argv.front(), argv.data());
      }
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = out[0];
  }

  ~Piped() {
    if (child_ > 0) {
      finish();
    }
  }

  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;

  void say(const std::string& text) const {
    ASSERT_EQ(::write(input_, text.data(), text.size()), std::ssize(text));
  }

  // The next line, or what came of it within half a minute.
  std::string hear() {
    while (heard_.find('\n') == heard_.npos) {
      pollfd wait{output_, POLLIN, 0};
      char buffer[4096];
      const ssize_t got = ::poll(&wait, 1, 30000) > 0 ? ::read(output_, buffer, 4096) : 0;
      if (got <= 0) {
        return std::exchange(heard_, "");
      }
      heard_.append(buffer, static_cast<std::size_t>(got));
    }
    const auto end = heard_.find('\n');
    std::string line = heard_.substr(0, end);
    heard_.erase(0, end + 1);
    return line;
  }

  // Ends its input and waits; the exit code.
  int finish() {
    ::close(input_);
    int status = 0;
    rusage used{};
    ::wait4(child_, &status, 0, &used);
    ::close(output_);
    child_ = -1;
    largest_kib_ = used.ru_maxrss;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  [[nodiscard]] long largest_kib() const { return largest_kib_; }

 private:
  pid_t child_ = -1;
  int input_ = -1, output_ = -1;
  std::string heard_;
  long largest_kib_ = 0;
};

class PredictVerb : public testing::Test {
 protected:
  static std::unique_ptr<Scratch> place;  // one run for all tests

  static void SetUpTestSuite() {
    place = std::make_unique<Scratch>();
    std::filesystem::create_directories(*place / "datasets/toy");
    std::string csv = "id,label,split,x0,x1\n";
    for (int i = 0; i < 240; ++i) {  // x0 about 0, 4, 8, 12 by class, x1 anywhere in [0, 2.4]
      csv += "t" + std::to_string(i) + ",c" + std::to_string(i % 4) + "," +
             (i / 4 % 4 == 0 ? "test" : "train") + "," +
             std::to_string((i % 4) * 4 + (i * 37 % 11) / 7.0) + "," +
             std::to_string((i * 53 % 13) / 5.0) + "\n";
    }
    write_file(*place / "datasets/toy/index.csv", csv);
    write_file(*place / "datasets/toy/dataset.yaml",
               "name: toy\nindex: index.csv\n"
               "features:\n  - {source: features, columns: [x0, x1]}\n");
    write_file(*place / "e.yaml",
               "name: e\nprior_knowledge: none\ndata: toy\nworld: {kind: increments, increments: "
               "2}\nrecord: {states: true}\npredictors: [{preset: slda, memory: none}, {name: "
               "near, classifier: ncm, accepted_error: 0.1, "
               "detector: {name: knn, k: 1}, memory: unlimited}]\nfeedback: [1.0]\n");
    const Outcome outcome =
        run_program({"run", "e.yaml", "--quiet"}, {place->path(), {}, RLIM_INFINITY, ""});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }

  static void TearDownTestSuite() { place.reset(); }

  static Outcome tyto(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "predict");
    return run_program(arguments, {place->path(), {}, RLIM_INFINITY, ""});
  }

  static void put(std::string_view name, std::string_view text) { write_file(*place / name, text); }
};

std::unique_ptr<Scratch> PredictVerb::place;

TEST_F(PredictVerb, finds_columns_by_name_and_calls_the_far_row_novel) {
  put("q.csv", "x1,name,x0,note\n1.2,first,0.7,a\n1.2,\"far, far\",500,b\n1.2,third,8.7,\n");
  const Outcome outcome =
      tyto({"runs/e", "q.csv", "--id-column", "name", "--ignore", "note", "--top", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "id,label,probability,novelty,p_value,novel,class_1,probability_1,class_2,"
            "probability_2");
  EXPECT_THAT(lines[1], AllOf(StartsWith("first,c0,"), HasSubstr(",0,c0,")));
  EXPECT_THAT(lines[2], AllOf(StartsWith("\"far, far\",unknown,"), HasSubstr(",1,unknown,")));
  EXPECT_THAT(lines[3], StartsWith("third,c2,"));
  EXPECT_THAT(outcome.err, HasSubstr("using the arm near-100pct of slda-100pct, near-100pct"));
}

TEST_F(PredictVerb, notes_a_promise_that_so_few_samples_cannot_support) {
  put("c.yaml",
      "name: c\nprior_knowledge: none\ndata: toy\nworld: {kind: increments, increments: 2}\n"
      "predictors: [{name: bold, classifier: ncm, detector: mahalanobis, memory: unlimited, "
      "accepted_error: 0.001}]\nfeedback: [1.0]\n");
  const Outcome ran =
      run_program({"run", "c.yaml", "--quiet"}, {place->path(), {}, RLIM_INFINITY, ""});
  ASSERT_EQ(ran.code, 0) << ran.err;
  put("one.csv", "0.7,1.2\n");
  EXPECT_THAT(tyto({"runs/c", "one.csv"}).err,
              HasSubstr("# an accepted error of 0.1 % cannot be promised from "));
  EXPECT_THAT(tyto({"runs/e", "one.csv"}).err, testing::Not(HasSubstr("cannot be promised")));
}

TEST_F(PredictVerb, knows_its_columns_by_name_whether_or_not_it_remembers_samples) {
  ASSERT_EQ(tyto({"runs/e:slda-100pct", "--save", "plain.npz"}).code, 0);
  put("right.csv", "x0,x1\n0.7,1.2\n8.7,0.2\n40,1.2\n");
  put("turned.csv", "x1,x0\n1.2,0.7\n0.2,8.7\n1.2,40\n");
  put("foreign.csv", "x0,height\n0.7,1.2\n");
  put("more.csv", "x0,x1,height\n0.7,1.2,3\n");
  std::filesystem::create_directories(*place / "datasets/turned");
  put("datasets/turned/index.csv", "id,x1,x0\na,1.2,0.7\n");
  put("datasets/turned/dataset.yaml",
      "name: turned\nindex: index.csv\nfeatures:\n  - {source: features, columns: [x1, x0]}\n");
  for (const std::string model :
       {"runs/e:slda-100pct", "runs/e:near-100pct", "plain.npz"}) {  // none, all, none remembered
    const Outcome right = tyto({model, "right.csv"});
    ASSERT_EQ(right.code, 0) << right.err;
    EXPECT_THAT(right.out, AllOf(HasSubstr("\n1,c0,"), HasSubstr("\n2,c2,")));
    EXPECT_EQ(tyto({model, "turned.csv"}).out, right.out) << model;
    const Outcome foreign = tyto({model, "foreign.csv"});
    EXPECT_EQ(foreign.code, 1);
    EXPECT_THAT(foreign.err, AllOf(HasSubstr("foreign.csv: there is no column \"x1\""),
                                   HasSubstr("which the predictor learned from\n")));
    EXPECT_THAT(tyto({model, "more.csv"}).err,
                AllOf(HasSubstr("more.csv: column \"height\" is none the predictor learned from"),
                      HasSubstr("--ignore")));
    EXPECT_THAT(tyto({model, "turned"}).err,
                HasSubstr("turned: its column 1 is \"x1\", where the predictor learned from "
                          "\"x0\""));
  }
  EXPECT_THAT(tyto({"runs/e:slda-100pct", "foreign.csv", "--increment", "0"}).err,
              HasSubstr("no column \"x1\""));
}

TEST_F(PredictVerb, reads_rows_without_a_header_npy_and_datasets_alike) {
  put("bare.csv", "0.7,1.2\r\n8.7,1.2");
  Matrix rows(2, 2);
  rows << 0.7F, 1.2F, 8.7F, 1.2F;
  write_npy(*place / "q.npy", rows);
  const Outcome bare = tyto({"runs/e", "bare.csv"});
  ASSERT_EQ(bare.code, 0) << bare.err;
  EXPECT_THAT(lines_of(bare.out)[2], StartsWith("2,c2,"));
  EXPECT_EQ(tyto({"runs/e", "q.npy"}).out, bare.out);
  const Outcome all = tyto({"runs/e", "toy"});
  ASSERT_EQ(all.code, 0) << all.err;
  const auto lines = lines_of(all.out);
  ASSERT_EQ(lines.size(), 241U);
  EXPECT_THAT(lines[1], StartsWith("t0,"));
}

TEST_F(PredictVerb, takes_an_arm_and_an_increment) {
  put("one.csv", "0.7,1.2\n");
  const Outcome arm = tyto({"runs/e", "one.csv", "--arm", "slda-100pct"});
  EXPECT_EQ(arm.code, 0) << arm.err;
  EXPECT_THAT(arm.err, Not(HasSubstr("using the arm")));
  EXPECT_EQ(tyto({"runs/e:slda-100pct", "one.csv"}).out, arm.out);
  EXPECT_EQ(tyto({"runs/e", "one.csv", "--increment", "0"}).code, 0);
  const Outcome late = tyto({"runs/e", "one.csv", "--increment", "9"});
  EXPECT_EQ(late.code, 2);
  EXPECT_THAT(late.err, HasSubstr("did not get past increment 9"));
  const Outcome typo = tyto({"runs/e", "one.csv", "--arm", "slda-100pc"});
  EXPECT_EQ(typo.code, 2);
  EXPECT_THAT(typo.err, HasSubstr("did you mean \"slda-100pct\""));
  EXPECT_EQ(tyto({"runs/none", "one.csv"}).code, 2);
}

TEST_F(PredictVerb, explains_what_is_novel) {
  put("why.csv", "x0,x1\n0.7,1.2\n40,1.2\n");
  const Outcome text = tyto({"runs/e", "why.csv", "--why"});
  ASSERT_EQ(text.code, 0) << text.err;
  const auto lines = lines_of(text.out);
  ASSERT_EQ(lines.size(), 3U + 1 + 3 + 2);  // a score, three exemplars, two features
  EXPECT_THAT(lines[3], StartsWith("  score knn = "));
  EXPECT_THAT(lines[4], AllOf(StartsWith("  near t"), HasSubstr(" of class c3, distance ")));
  EXPECT_THAT(lines[7], AllOf(StartsWith("  unusual x0 = 40, there 1"), HasSubstr(" deviations")));
  const Outcome json = tyto({"runs/e", "why.csv", "--why", "--json"});
  const auto known = nlohmann::json::parse(lines_of(json.out).at(0));
  EXPECT_EQ(known["row"], 1);
  EXPECT_EQ(known["novel"], false);
  EXPECT_EQ(known["top"].size(), 3U);
  EXPECT_FALSE(known.contains("why"));
  const auto novel = nlohmann::json::parse(lines_of(json.out).at(1));
  EXPECT_EQ(novel["label"], "unknown");
  EXPECT_EQ(novel["why"]["scores"][0]["score"], "knn");
  EXPECT_EQ(novel["why"]["nearest"][0]["class"], "c3");
  EXPECT_EQ(novel["why"]["features"][0]["name"], "x0");
  EXPECT_GT(novel["why"]["features"][0]["deviation"], 10.0);
}

TEST_F(PredictVerb, says_what_is_wrong_with_the_rows) {
  const auto problem = [&](std::string_view text, std::vector<std::string> more = {}) {
    put("bad.csv", text);
    more.insert(more.begin(), {"runs/e", "bad.csv"});
    const Outcome outcome = tyto(more);
    EXPECT_EQ(outcome.code, 1);
    return outcome.err;
  };
  EXPECT_THAT(problem("1,2,3\n"), HasSubstr("bad.csv: line 1 has 3 columns of features"));
  EXPECT_THAT(problem("x0,y\n1,2\n"), HasSubstr("bad.csv: there is no column \"x1\""));
  EXPECT_THAT(problem("x0,x1,y\n1,2,3\n"), HasSubstr("column \"y\" is none"));
  EXPECT_THAT(problem("x0,x1\n1,2\n1,two\n"),
              HasSubstr("bad.csv: line 3, column \"x1\": \"two\" is not a finite number"));
  EXPECT_THAT(problem("1,two\n1,2\n"),
              HasSubstr("bad.csv: line 1, column 2: \"two\" is not a number, and the line is no"));
  EXPECT_THAT(problem("1,2\n1,\n"), HasSubstr("bad.csv: line 2, column 2: \"\" is not"));
  EXPECT_THAT(problem("1,2\n1,nan\n"), HasSubstr("line 2, column 2: \"nan\" is not"));
  EXPECT_THAT(problem("x0,x1\n1,2\n1\n"), HasSubstr("line 3 has 1 columns, the first line has 2"));
  EXPECT_THAT(problem("x0,x1\n\"1,2\n"), HasSubstr("line 2, column 1: a quote that is never"));
  EXPECT_THAT(problem("x0,x1\n1,2\n", {"--id-column", "id"}), HasSubstr("no column \"id\""));
  EXPECT_THAT(problem("x0,x1\n1,2\n", {"--learn"}), HasSubstr("no column \"label\""));
  write_npy(*place / "wide.npy", Matrix::Zero(1, 3));
  EXPECT_THAT(tyto({"runs/e", "wide.npy"}).err,
              HasSubstr("wide.npy: rows have 3 columns, the predictor learned from 2"));
  EXPECT_THAT(tyto({"runs/e", "missing.csv"}).err, HasSubstr("missing.csv: cannot be opened"));
}

TEST_F(PredictVerb, refuses_wrong_use) {
  EXPECT_EQ(tyto({"runs/e"}).code, 2);
  EXPECT_EQ(tyto({"runs/e", "q.csv", "--stream"}).code, 2);
  put("one.csv", "0.7,1.2\n");
  const Outcome observe = tyto({"runs/e", "one.csv", "--observe"});
  EXPECT_EQ(observe.code, 2);
  EXPECT_THAT(observe.err, HasSubstr("neither a recogniser nor an alarm"));
  const Outcome other = tyto({"datasets/toy/index.csv", "one.csv"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("datasets/toy/index.csv"));
  EXPECT_THAT(tyto({"--help"}).out, HasSubstr("Example:"));
}

TEST_F(PredictVerb, learns_a_class_and_keeps_it_in_a_file_that_needs_no_data) {
  std::string csv = "x0,x1,label\n100.5,1,\n";
  for (int i = 0; i < 25; ++i) {
    csv += std::to_string(100 + i % 5 * 0.3) + "," + std::to_string(i % 7 * 0.3) + ",far\n";
  }
  put("learn.csv", csv + "100.5,1,\n0.7,1.2,\n");
  const Outcome learned =
      tyto({"runs/e", "learn.csv", "--learn", "--lesson", "10", "--save", "far.npz"});
  ASSERT_EQ(learned.code, 0) << learned.err;
  const auto lines = lines_of(learned.out);  // labelled rows are learned, not answered
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[1], StartsWith("1,unknown,"));
  EXPECT_THAT(lines[2], StartsWith("27,far,"));
  EXPECT_THAT(lines[3], StartsWith("28,c0,"));

  const Scratch elsewhere;  // no dataset here
  const auto there = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "predict");
    return run_program(arguments, {elsewhere.path(), {}, RLIM_INFINITY, ""});
  };
  const std::string model = (*place / "far.npz").string();
  write_file(elsewhere / "q.csv", "x1,x0\n1,100.5\n1.2,0.7\n1.2,40\n");
  const Outcome again = there({model, "q.csv", "--why"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("\n1,far,"), HasSubstr("\n2,c0,"), HasSubstr("near t")));
  // What was learned later is remembered under names and numbers of its own.
  write_file(elsewhere / "more.csv", "x0,x1,label\n200,1,further\n201,1,further\n202,1,further\n");
  EXPECT_EQ(there({model, "more.csv", "--learn", "--save", "more.npz"}).code, 0);
  write_file(elsewhere / "both.csv", "101,1\n201,1\n");
  const Outcome both = there({"more.npz", "both.csv"});
  EXPECT_THAT(both.out, AllOf(HasSubstr("\n1,far,"), HasSubstr("\n2,further,")));
}

TEST_F(PredictVerb, learns_rows_with_a_header_where_the_data_had_none) {
  std::filesystem::create_directories(*place / "datasets/bare");
  std::string index = "id,label,split\n";
  Matrix rows(80, 2);
  for (int i = 0; i < 80; ++i) {
    index +=
        std::to_string(i) + ",c" + std::to_string(i % 4) + (i % 16 < 4 ? ",test\n" : ",train\n");
    rows.row(i) << static_cast<float>(i % 4 * 4) + static_cast<float>(i * 37 % 11) / 7.0F,
        static_cast<float>(i * 53 % 13) / 5.0F;
  }
  put("datasets/bare/index.csv", index);
  write_npy(*place / "datasets/bare/x.npy", rows);
  write_npy(*place / "datasets/bare/y.npy", rows);  // a source that CSV does not give
  put("datasets/bare/dataset.yaml",
      "name: bare\nindex: index.csv\nfeatures:\n  - {source: features, file: x.npy}\n"
      "  - {source: other, file: y.npy}\n");
  put("b.yaml",
      "name: b\nprior_knowledge: none\ndata: bare\nworld: {kind: increments, increments: 2}\n"
      "predictors: [{name: near, classifier: ncm, detector: {name: knn, k: 1}, "
      "memory: unlimited}]\nfeedback: [1.0]\n");
  const Outcome ran =
      run_program({"run", "b.yaml", "--quiet"}, {place->path(), {}, RLIM_INFINITY, ""});
  ASSERT_EQ(ran.code, 0) << ran.err;
  put("named.csv", "u,v,label\n100,1,far\n101,1,far\n102,1,far\n101,1,\n");
  const Outcome learned = tyto({"runs/b", "named.csv", "--learn", "--lesson", "3"});
  EXPECT_EQ(learned.code, 0) << learned.err;
  EXPECT_THAT(learned.out, HasSubstr("\n4,far,"));
}

TEST_F(PredictVerb, saves_a_predictor_of_a_run_without_predicting) {
  ASSERT_EQ(tyto({"runs/e:slda-100pct", "--save", "slda.npz"}).code, 0);
  put("one.csv", "0.7,1.2\n");
  EXPECT_EQ(tyto({"slda.npz", "one.csv"}).out, tyto({"runs/e:slda-100pct", "one.csv"}).out);
}

TEST_F(PredictVerb, answers_each_row_of_a_stream_before_the_next) {
  Piped piped(place->path(), {"predict", "runs/e:near-100pct", "--stream", "--top", "1"});
  piped.say("x0,x1\n");
  piped.say("0.7,1.2\n");
  EXPECT_THAT(piped.hear(), StartsWith("row,label,"));
  EXPECT_THAT(piped.hear(), StartsWith("1,c0,"));
  piped.say("8.7,");
  piped.say("1.2\n40,1.2\n");
  EXPECT_THAT(piped.hear(), StartsWith("2,c2,"));
  EXPECT_THAT(piped.hear(), StartsWith("3,unknown,"));
  piped.say("4.7,1.2");  // without a line end
  EXPECT_EQ(piped.finish(), 0);
}

TEST_F(PredictVerb, keeps_its_memory_along_a_stream) {
  // A sanitiser would keep freed memory for a while; without one this says nothing to anybody.
  const char* options = std::getenv("ASAN_OPTIONS");
  const testing_support::Variable no_quarantine(
      "ASAN_OPTIONS", std::string(options != nullptr ? options : "") +
                          ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0");
  const auto largest = [&](Index rows) {
    std::string csv;
    for (Index i = 0; i < rows; ++i) {
      csv += std::to_string(i % 13) + ",1.2\n";
    }
    put("long.csv", csv);
    Piped piped(place->path(), {"predict", "runs/e:slda-100pct", "--stream"},
                (*place / "long.csv").string(), (*place / "long.out").string());
    EXPECT_EQ(piped.finish(), 0);
    EXPECT_EQ(std::ssize(lines_of(slurp(*place / "long.out"))), rows + 1);
    return piped.largest_kib();
  };
  const long few = largest(2000);
  EXPECT_LT(largest(100000), few + 4096);  // the rows alone would be 1.6 MB of text and more
}

TEST_F(PredictVerb, needs_no_torch) {
  put("one.csv", "0.7,1.2\n");
  const std::string opened = testing_support::opened_libraries([&] {
    EXPECT_EQ(tyto({"runs/e", "one.csv", "--why"}).code, 0);
  });
  EXPECT_THAT(opened, testing::AllOf(HasSubstr("libtyto"), testing::Not(HasSubstr("libtorch"))));
}

}  // namespace
}  // namespace tyto
