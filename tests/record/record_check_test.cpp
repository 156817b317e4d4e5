// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/record_check.hpp"

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::Scratch;

// Samples a to f: a and b are tested in increment 0, c and d in increment 1, e and f train there.
class CheckedRecord : public testing::Test {
 protected:
  Scratch scratch;
  RunFolder folder{scratch.path()};
  Truth truth;
  Manifest manifest;
  RecordFacts facts;

  void SetUp() override {
    truth.name = {"a", "b", "c", "d", "e", "f"};
    truth.label = {"x", "y", "x", "y", "x", "y"};
    write_file(folder.file("manifest.csv"),
               "id,label,increment,split,novelty\na,x,0,test,known\nb,y,0,test,known\n"
               "c,x,1,test,known\nd,y,1,test,known\ne,x,1,train,known\nf,y,1,train,known\n");
    manifest = Manifest::load(folder.file("manifest.csv"));
    write({0, "post", "test"}, {0, 1});
    write({1, "pre", "test", 1}, {2});
    write({1, "pre", "test", 2}, {3});
    write({1, "post", "test"}, {2, 3});
    facts = {{{"000_post_test", "001-0001_pre_test", "001-0002_pre_test", "001_post_test"}},
             true,
             &manifest,
             true};
  }

  void write(const PhaseKey& key, const std::vector<int>& samples,
             const std::string& arm = "arm") const {
    Phase phase;
    phase.key = key;
    for (const int sample : samples) {
      phase.sample.push_back(static_cast<SampleId>(sample));
    }
    folder.write_phase(arm, phase);
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder.record("arm") / (name + ".npz")).string();
  }

  [[nodiscard]] std::vector<std::string> problems() const {
    return record_problems(folder, "arm", &truth, facts);
  }
};

TEST_F(CheckedRecord, finds_nothing_in_what_a_run_wrote) {
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(CheckedRecord, names_a_phase_that_is_missing) {
  std::filesystem::remove(file("001-0002_pre_test"));
  EXPECT_THAT(problems(),
              ElementsAre(file("001-0002_pre_test") + " is missing: the run committed that phase"));
}

TEST_F(CheckedRecord, names_a_copy_under_another_name) {
  std::filesystem::copy_file(file("001_post_test"), file("001_post_test2"));
  EXPECT_THAT(problems(),
              ElementsAre(file("001_post_test2") + " is a copy: it holds the phase 001_post_test, "
                                                   "which has a file of its own"));
}

TEST_F(CheckedRecord, names_the_file_of_another_increment) {
  std::filesystem::rename(file("000_post_test"), file("001_post_test"));
  EXPECT_THAT(problems(),
              ElementsAre(file("000_post_test") + " is missing: the run committed that phase",
                          file("001_post_test") +
                              " is of another place: it holds the phase 000_post_test"));
}

TEST_F(CheckedRecord, names_the_file_of_another_arm) {
  write({1, "post", "test"}, {2, 3}, "other");
  std::filesystem::copy_file(folder.record("other") / "001_post_test.npz", file("001_post_test"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(problems(),
              ElementsAre(file("001_post_test") + " is of another arm: it was written for other"));
}

TEST_F(CheckedRecord, names_a_phase_that_was_never_committed_once_the_run_is_done) {
  write({2, "pre", "test"}, {2});
  EXPECT_THAT(problems(), ElementsAre(file("002_pre_test") +
                                      " is one too many: the run committed no such phase"));
  facts.complete = false;  // the run goes on: it is not committed yet
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(CheckedRecord, names_samples_that_are_foreign_missing_or_double) {
  write({1, "post", "test"}, {2, 2, 4});
  const std::string where = folder.record("arm").string() + ": increment 1, phase post, split test";
  EXPECT_THAT(
      problems(),
      ElementsAre(
          where + ": 1 of its 3 samples is not shown there by manifest.csv, the first of them e",
          where + ": 1 of its 3 samples is double, the first of them c",
          where + ": 1 samples that manifest.csv shows there are missing, the first of them d"));
  write({1, "post", "test"}, {2, 99});
  EXPECT_THAT(problems(), ElementsAre(file("001_post_test") +
                                      " is of another world: it holds sample 99, and the run has "
                                      "6 samples"));
}

TEST_F(CheckedRecord, lets_a_protocol_make_its_own_splits_of_what_was_shown) {
  write({1, "post", "test"}, {0, 4});
  facts.whole_splits = false;
  EXPECT_THAT(problems(), IsEmpty());
  write({0, "post", "test"}, {0, 4});  // e is shown in increment 1
  EXPECT_THAT(problems(), ElementsAre(folder.record("arm").string() +
                                      ": increment 0, phase post, split test: 1 of its 2 samples "
                                      "is not shown there by manifest.csv, the first of them e"));
}

TEST_F(CheckedRecord, checks_what_there_is_to_check_by) {
  write({1, "post", "test"}, {2, 2, 4});
  write({7, "post", "test"}, {0});
  facts.manifest = nullptr;
  facts.committed.reset();
  EXPECT_THAT(problems(), IsEmpty());
}

}  // namespace
}  // namespace tyto
