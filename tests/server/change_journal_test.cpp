// SPDX-License-Identifier: Apache-2.0
// A program that is killed leaves its journal and some of the changes; what comes after finishes
// them. Killing is played by putting the journal's bytes there by hand.
#include "tyto/server/change_journal.hpp"

#include <thread>

#include "support/program.hpp"
#include "support/scratch.hpp"
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/server/change_records.hpp"

namespace tyto {
namespace {

using testing_support::Scratch;
using testing_support::slurp;
using Kind = FileChange::Kind;

std::string digest_of(const std::string& text) {
  return text.empty() ? "" : digest(std::as_bytes(std::span(text)));
}

void leave_journal(const Scratch& scratch, const std::string& bytes) {
  make_folder(scratch / ".tyto");
  write_file(scratch / ".tyto/journal-0", bytes + std::string(4096, '\0'));
}

TEST(ChangeJournal, carries_changes_out_and_leaves_nothing_behind) {
  const Scratch scratch;
  {
    ChangeJournal journal(scratch.path());
    journal.apply(
        {{Kind::append, "a/b.csv", "one\n", 0, ""}, {Kind::replace, "state.json", "{}", 0, ""}},
        true);
    journal.apply({{Kind::append, "a/b.csv", "two\n", 4, ""},
                   {Kind::replace, "state.json", "{1}", 0, digest_of("{}")}},
                  false);
    EXPECT_EQ(slurp(scratch / "a/b.csv"), "one\ntwo\n");
    EXPECT_EQ(slurp(scratch / "state.json"), "{1}");
    EXPECT_THROW(ChangeJournal second(scratch.path()), Error);  // one program at a time
    journal.apply({{Kind::remove, "a/b.csv", "", 0, ""}}, true);
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "a/b.csv"));
  EXPECT_FALSE(std::filesystem::exists(scratch / ".tyto/journal-0"));
}

TEST(ChangeJournal, finishes_what_was_begun_wherever_it_was_cut) {
  const std::vector<FileChange> first{{Kind::append, "t.csv", "one\n", 0, ""},
                                      {Kind::replace, "t.json", "{1}", 0, ""}};
  const std::vector<FileChange> second{{Kind::append, "t.csv", "two\n", 4, ""},
                                       {Kind::replace, "t.json", "{2}", 0, digest_of("{1}")}};
  const std::string bytes = record_bytes(7, first) + record_bytes(8, second);

  struct Left {
    std::string csv, json;
  };

  // What kill -9 can leave: changes happen in their order, a text may be cut.
  const std::vector<Left> lefts{{"", ""},
                                {"on", ""},
                                {"one\n", ""},
                                {"one\n", "{1}"},
                                {"one\nt", "{1}"},
                                {"one\ntwo\n", "{1}"},
                                {"one\ntwo\n", "{2}"}};
  for (const auto& left : lefts) {
    const Scratch scratch;
    leave_journal(scratch, bytes);
    if (!left.csv.empty()) {
      write_file(scratch / "t.csv", left.csv);
    }
    if (!left.json.empty()) {
      write_file(scratch / "t.json", left.json);
    }
    const ChangeJournal journal(scratch.path());
    EXPECT_EQ(slurp(scratch / "t.csv"), "one\ntwo\n") << left.csv << left.json;
    EXPECT_EQ(slurp(scratch / "t.json"), "{2}");
  }
}

TEST(ChangeJournal, leaves_alone_what_somebody_has_gone_on_with) {
  const Scratch scratch;
  leave_journal(scratch, record_bytes(1, {{Kind::append, "t.csv", "one\n", 0, ""},
                                          {Kind::replace, "t.json", "{1}", 0, ""}}));
  write_file(scratch / "t.csv", "one\nmore\n");
  write_file(scratch / "t.json", "{9}");
  const ChangeJournal journal(scratch.path());
  EXPECT_EQ(slurp(scratch / "t.csv"), "one\nmore\n");
  EXPECT_EQ(slurp(scratch / "t.json"), "{9}");
}

TEST(ChangeJournal, reads_records_up_to_the_first_that_is_not_whole) {
  const std::string whole = record_bytes(3, {{Kind::replace, "x", "y", 0, ""}});
  EXPECT_EQ(change_records(whole).size(), 1U);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_TRUE(change_records(whole.substr(0, cut)).empty()) << cut;
    std::string broken = whole;
    broken[cut] = static_cast<char>(broken[cut] ^ 1);
    EXPECT_TRUE(change_records(broken).empty()) << cut;
  }
  EXPECT_EQ(change_records(whole + whole).size(), 1U);  // the second does not follow the first
}

TEST(ChangeJournal, is_shared_by_many_threads) {
  const Scratch scratch;
  {
    ChangeJournal journal(scratch.path());
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        const std::string name = "f" + std::to_string(t);
        for (std::uint64_t i = 0; i < 50; ++i) {
          journal.apply({{Kind::append, name, "x\n", 2 * i, ""}}, true);
        }
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
  }
  for (int t = 0; t < 8; ++t) {
    EXPECT_EQ(slurp(scratch / ("f" + std::to_string(t))).size(), 100U);
  }
}

}  // namespace
}  // namespace tyto
