// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/run_folder.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>

#include "support/scratch.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::Scratch;

// Every field differs from its default and from every other.
Phase rich_phase(const PhaseKey& key = {3, "pre", "test"}) {
  Phase phase;
  phase.key = key;
  phase.space.add_known("ant");
  phase.space.add_known("b\u00e9e, \"quoted\"/\n");
  const Label first = phase.space.add_discovered();
  const Label second = phase.space.add_discovered();
  phase.space.retire(first, second, "merged");
  phase.known = phase.space.known_names();
  phase.granted = {"ant"};
  phase.shown = {"ant", "b\u00e9e, \"quoted\"/\n", ""};
  phase.last_shown = {2, -1, 0};
  phase.task_of_class = {{"a", 0}, {"b", 2}};
  phase.labels_granted = 5'000'000'000;
  phase.feedback = {2.5, 7, 3};
  phase.sample = {SampleId{7}, SampleId{0}, SampleId{std::numeric_limits<std::uint32_t>::max()}};
  phase.top.resize(3, 2);
  phase.top << 1, 0, 2, -1, 4, 3;
  phase.top_probability.resize(3, 2);
  phase.top_probability << 0.5F, 0.25F, 1.0F, 0.0F, 0.1F, 0.3F;
  phase.p_true = {0.1F, 0.0F, 1.0F};
  phase.p_unknown = {0.2F, 1e-40F, 0.3F};
  phase.novelty = {-3.0F, std::numeric_limits<float>::infinity(), 1e30F};
  phase.p_value = {0.01F, 0.02F, 0.03F};
  phase.confidence = {0.5F, 0.6F, 0.7F};
  phase.changed = {0.9F, 0.8F, 0.95F};
  phase.probability = Matrix::Constant(3, 5, 0.2F);
  phase.probability(2, 4) = 0.7F;
  return phase;
}

void expect_same_phase(const Phase& a, const Phase& b) {
  EXPECT_EQ(a.key, b.key);
  ASSERT_EQ(a.space.size(), b.space.size());
  for (Index i = 0; i < a.space.size(); ++i) {
    const auto label = static_cast<Label>(i);
    EXPECT_EQ(a.space.name(label), b.space.name(label));
    EXPECT_EQ(a.space.kind(label), b.space.kind(label));
    EXPECT_EQ(a.space.merged_into(label), b.space.merged_into(label));
    EXPECT_EQ(a.space.why_retired(label), b.space.why_retired(label));
  }
  EXPECT_EQ(a.known, b.known);
  EXPECT_EQ(a.granted, b.granted);
  EXPECT_EQ(a.shown, b.shown);
  EXPECT_EQ(a.last_shown, b.last_shown);
  EXPECT_EQ(a.labels_granted, b.labels_granted);
  ASSERT_EQ(a.feedback.has_value(), b.feedback.has_value());
  if (a.feedback) {
    EXPECT_EQ(a.feedback->spent, b.feedback->spent);
    EXPECT_EQ(a.feedback->asked, b.feedback->asked);
    EXPECT_EQ(a.feedback->wrong, b.feedback->wrong);
  }
  EXPECT_EQ(a.task_of_class, b.task_of_class);
  EXPECT_EQ(a.sample, b.sample);
  const auto same = [](const auto& x, const auto& y) {
    return x.rows() == y.rows() && x.cols() == y.cols() && x == y;
  };
  EXPECT_TRUE(same(a.top, b.top));
  EXPECT_TRUE(same(a.top_probability, b.top_probability));
  EXPECT_TRUE(same(a.probability, b.probability));
  EXPECT_EQ(a.p_true, b.p_true);
  EXPECT_EQ(a.p_unknown, b.p_unknown);
  EXPECT_EQ(a.novelty, b.novelty);
  EXPECT_EQ(a.p_value, b.p_value);
  EXPECT_EQ(a.confidence, b.confidence);
  EXPECT_EQ(a.changed, b.changed);
}

Truth small_truth() {
  Truth truth;
  truth.name = {"clip 1", "clip 2", ""};
  truth.label = {"ant", "b\u00e9e", ""};
  truth.annotations = {{"camera", {"left", "", "right"}}, {"name", {"x", "y", "z"}}};
  return truth;
}

RunFolder folder_with(const Scratch& scratch, const std::vector<PhaseKey>& keys) {
  const RunFolder folder(scratch.path());
  write_archive(folder.file("truth.npz"), truth_to_state(small_truth()));
  for (const PhaseKey& key : keys) {
    folder.write_phase("arm", rich_phase(key));
  }
  return folder;
}

void write_plainly(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PhaseState, comes_back_equal_in_every_field) {
  const Phase phase = rich_phase();
  expect_same_phase(phase_from_state(phase_to_state(phase)), phase);
  const std::string bytes = to_archive(phase_to_state(phase));
  const Phase read = phase_from_state(from_archive(bytes, "test"));
  expect_same_phase(read, phase);
  EXPECT_EQ(to_archive(phase_to_state(read)), bytes);
}

TEST(PhaseState, comes_back_equal_where_columns_are_empty) {
  Phase bare;  // nothing but a key
  bare.key = {0, "post", "validate"};
  Phase none = bare;  // no samples, but two entries each
  none.top.resize(0, 2);
  none.top_probability.resize(0, 2);
  Phase some = rich_phase();  // no truth, no alarm, no whole rows, nothing granted
  some.p_true.clear();
  some.changed.clear();
  some.probability.resize(0, 0);
  some.granted.clear();
  some.shown.clear();
  some.last_shown.clear();
  for (const Phase& phase : {bare, none, some}) {
    expect_same_phase(phase_from_state(phase_to_state(phase)), phase);
    expect_same_phase(phase_from_state(from_archive(to_archive(phase_to_state(phase)), "test")),
                      phase);
  }
}

TEST(PhaseState, of_classes_that_do_not_all_say_when_they_were_shown_is_refused) {
  State state = phase_to_state(rich_phase());
  state.set("last_shown", std::vector<std::int64_t>{2, -1});
  EXPECT_THROW(static_cast<void>(phase_from_state(state)), Error);
}

TEST(TruthState, comes_back_equal) {
  for (const Truth& truth : {small_truth(), Truth()}) {
    const Truth read = truth_from_state(from_archive(to_archive(truth_to_state(truth)), "test"));
    EXPECT_EQ(read.name, truth.name);
    EXPECT_EQ(read.label, truth.label);
    EXPECT_EQ(read.annotations, truth.annotations);
    EXPECT_TRUE(read.time.empty());
  }
  Truth timed = small_truth();
  timed.time = {1.0 / 3, 1.7e9 + 0.125};
  timed.group = {"first", ""};
  const Truth read = truth_from_state(from_archive(to_archive(truth_to_state(timed)), "test"));
  EXPECT_EQ(read.time, timed.time);
  EXPECT_EQ(read.group, timed.group);
  timed.annotations["group"] = timed.group;  // as it was written before groups had a place
  EXPECT_FALSE(truth_to_state(timed).has("group"));
  EXPECT_EQ(truth_from_state(truth_to_state(timed)).group, timed.group);
  EXPECT_EQ(small_truth().label_of(SampleId{1}), "b\u00e9e");
}

TEST(PhaseKey, names_its_file_with_the_step_in_three_digits) {
  EXPECT_EQ((PhaseKey{3, "pre", "test"}).name(), "003_pre_test");
  EXPECT_EQ((PhaseKey{1234, "post", "train"}).name(), "1234_post_train");
  EXPECT_EQ((PhaseKey{3, "pre", "test", 12}).name(), "003-0012_pre_test");
}

const PhaseOrder kEvents{{"pre", "post"}, {"train", "validate", "test"}};

TEST(RunFolder, writes_equal_phases_as_equal_bytes_and_holds_a_run_once_run_json_is_there) {
  const Scratch scratch;
  const RunFolder folder(scratch / "runs");
  EXPECT_FALSE(folder.exists());
  folder.write_phase("one arm", rich_phase());
  folder.write_phase("another", rich_phase());
  const RunFolder again(scratch / "again");
  again.write_phase("one arm", rich_phase());
  EXPECT_EQ(names_in(folder.record("one arm")), (std::set<std::string>{"003_pre_test.npz"}));
  EXPECT_EQ(read_file(scratch / "runs/record/one arm/003_pre_test.npz"),
            read_file(again.record("one arm") / "003_pre_test.npz"));
  EXPECT_EQ(read_stored_phase(folder, "another", {3, "pre", "test"}).arm, "another");
  EXPECT_EQ(folder.checkpoint("another"), scratch / "runs/checkpoints/another.npz");
  EXPECT_FALSE(folder.exists());
  write_file(folder.file("run.json"), "{}");
  EXPECT_TRUE(folder.exists());
}

TEST(RunFolder, names_the_folder_that_it_cannot_make) {
  const Scratch scratch;
  write_file(scratch / "record", "a file, not a folder");
  EXPECT_THAT(error_of([&] { RunFolder(scratch.path()).write_phase("arm", rich_phase()); }),
              HasSubstr((scratch / "record/arm").string()));
}

TEST(RunFolder, cuts_what_no_commit_names_and_files_half_written) {
  const Scratch scratch;
  const RunFolder folder =
      folder_with(scratch, {{0, "post", "test"}, {1, "pre", "test"}, {1, "post", "test"}});
  folder.write_phase("other", rich_phase({1, "post", "test"}));
  // What a process killed in the middle of a write leaves behind, also of a phase that is kept.
  write_plainly(folder.record("arm") / "000_post_test.npz.4711.part", "half");
  write_plainly(folder.record("arm") / "002_pre_test.npz.4711.part", "");
  write_plainly(folder.record("arm") / "000_post_test", "no npz");
  folder.cut_record("arm", {"000_post_test", "001_pre_test", "009_pre_test"});
  EXPECT_EQ(names_in(folder.record("arm")),
            (std::set<std::string>{"000_post_test.npz", "001_pre_test.npz"}));
  EXPECT_EQ(names_in(folder.record("other")), (std::set<std::string>{"001_post_test.npz"}));
  expect_same_phase(StoredRecord(folder, "arm", kEvents).phase({1, "pre", "test"}),
                    rich_phase({1, "pre", "test"}));
  folder.cut_record("arm", {});
  EXPECT_THAT(names_in(folder.record("arm")), IsEmpty());
  EXPECT_NO_THROW(folder.cut_record("never begun", {}));
  EXPECT_TRUE(std::filesystem::exists(folder.file("truth.npz")));
}

TEST(StoredRecord, lists_phases_in_the_order_of_events_and_reads_them) {
  // By name 1000 would come before 999, post before pre, and test before train.
  const std::vector<PhaseKey> events{
      {0, "post", "train"},  {0, "post", "validate"}, {0, "post", "test"},
      {2, "pre", "train"},   {2, "pre", "test"},      {2, "post", "train"},
      {2, "post", "test"},   {999, "pre", "test", 1}, {999, "pre", "test", 2},
      {999, "post", "test"}, {1000, "pre", "train"},  {1000, "pre", "validate"}};
  std::vector<PhaseKey> written = events;
  std::sort(written.begin(), written.end(),
            [](const PhaseKey& a, const PhaseKey& b) { return a.name() < b.name(); });
  ASSERT_NE(written, events);
  const Scratch scratch;
  const RunFolder folder = folder_with(scratch, written);
  for (const std::string name :
       {"003_pre_test.npz.1.part", "notes.txt", "notes.npz", "x_pre_test.npz", "003_pre.npz"}) {
    write_plainly(folder.record("arm") / name, "no phase");
  }
  const StoredRecord record(folder, "arm", kEvents);
  EXPECT_EQ(record.phases(), events);
  for (const PhaseKey& key : events) {
    expect_same_phase(record.phase(key), rich_phase(key));
  }
  ASSERT_NE(record.truth(), nullptr);
  EXPECT_EQ(record.truth()->label, small_truth().label);
}

TEST(RunFolder, finds_the_folders_of_its_seeds) {
  const Scratch scratch;
  const RunFolder folder(scratch.path());
  EXPECT_EQ(folder.seed(12).path(), scratch / "seed-12");
  make_folder(scratch / "seed-2");
  make_folder(scratch / "seed-1");
  make_folder(scratch / "record");
  ASSERT_EQ(folder.seeds().size(), 2u);
  EXPECT_EQ(folder.seeds()[0].path(), scratch / "seed-1");
  EXPECT_TRUE(RunFolder(scratch / "nowhere").seeds().empty());
}

TEST(StoredRecord, reads_phases_from_before_arms_were_written_and_refuses_those_to_come) {
  const Scratch scratch;
  const PhaseKey key{1, "pre", "test"};
  const RunFolder folder = folder_with(scratch, {key});
  const auto file = folder.record("arm") / "001_pre_test.npz";
  write_archive(file, phase_to_state(rich_phase(key)));
  EXPECT_FALSE(read_stored_phase(folder, "arm", key).arm);
  expect_same_phase(StoredRecord(folder, "arm", kEvents).phase(key), rich_phase(key));
  State later = phase_to_state(rich_phase(key));
  later.set("format", std::int64_t{3});
  write_archive(file, later);
  EXPECT_EQ(error_of([&] { static_cast<void>(read_stored_phase(folder, "arm", key)); }),
            file.string() + ": a phase of format 3; this program reads up to 2");
}

TEST(StoredRecord, names_a_missing_phase_and_has_no_truth_where_none_was_revealed) {
  const Scratch scratch;
  const RunFolder folder = folder_with(scratch, {{1, "pre", "test"}});
  const StoredRecord record(folder, "arm", kEvents);
  EXPECT_THAT(error_of([&] {
                static_cast<void>(record.phase({1, "post", "test"}));
              }),
              HasSubstr((folder.record("arm") / "001_post_test.npz").string()));
  std::filesystem::remove(folder.file("truth.npz"));
  EXPECT_EQ(StoredRecord(folder, "arm", kEvents).truth(), nullptr);
}

TEST(StoredRecord, names_a_damaged_file_wherever_the_damage_is) {
  const Scratch scratch;
  const PhaseKey key{1, "pre", "test"};
  const RunFolder folder = folder_with(scratch, {key});
  const auto path = folder.record("arm") / "001_pre_test.npz";
  const std::string bytes = read_file(path);
  const StoredRecord record(folder, "arm", kEvents);
  const auto read = [&] { return error_of([&] { static_cast<void>(record.phase(key)); }); };
  for (std::size_t length = 0; length < bytes.size(); length += 97) {
    write_plainly(path, bytes.substr(0, length));
    EXPECT_THAT(read(), HasSubstr(path.string())) << "cut to " << length << " bytes";
  }
  Index noticed = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x11);
    write_plainly(path, damaged);
    const std::string error = read();
    if (error == "no error") {  // dates, versions and flags of a zip entry say nothing
      expect_same_phase(record.phase(key), rich_phase(key));
    } else {
      ++noticed;
      ASSERT_THAT(error, HasSubstr(path.string())) << "byte " << i;
    }
  }
  EXPECT_GT(noticed, static_cast<Index>(bytes.size()) / 14);  // half of them
  write_plainly(path, bytes);
  EXPECT_EQ(read(), "no error");
  const auto truth = folder.file("truth.npz");
  write_plainly(truth, read_file(truth).substr(1));
  EXPECT_THAT(error_of([&] { StoredRecord(folder, "arm", kEvents); }), HasSubstr(truth.string()));
}

}  // namespace
}  // namespace tyto
