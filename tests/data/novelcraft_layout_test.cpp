// SPDX-License-Identifier: Apache-2.0
// Folders in the layout of NovelCraft: which frames are samples, and their states as numbers.
#include <filesystem>
#include <fstream>

#include "support/scratch.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/import.hpp"
#include "tyto/data/novelcraft/selection.hpp"
#include "tyto/data/novelcraft/state_file.hpp"
#include "tyto/data/novelcraft/visible_shares.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Scratch;

struct SmallState {
  int logs = 0;
  std::string front = "air", hand = "air", more = {};
};

std::string state_text(const SmallState& state) {
  return fmt::format(
      R"({{"blockInFront":{{"name":"{}"}},"inventory":{{"0":{{"item":"log","count":{}}},)"
      R"("3":{{"item":"log","count":1}},"selectedItem":{{"slot":0,"item":"{}","count":1}}}},)"
      R"("map":{{"0,4,0":{{"name":"minecraft:air"}},"0,4,3":{{"name":"minecraft:tnt"}}}},)"
      R"("player":{{"pos":[0,4,0],"yaw":0,"pitch":0}}{}}})",
      state.front, state.logs, state.hand, state.more);
}

void put_frame(const Scratch& folder, const std::string& id, const SmallState& state = {}) {
  const std::filesystem::path path = folder / id;
  make_folder(path.parent_path());
  write_file(path.string() + ".json", state_text(state));
  write_file(path.string() + ".png", "picture");
}

// normal/0 trains, normal/1 tests; fence is normal in frames and new from episode 1 on in episodes;
// tnt is new in validation; thief is in episodes alone.
void put_layout(const Scratch& folder) {
  write_file(folder / "classes.csv",
             "class,role\nnormal,normal\nfence,normal\nitem_tnt,novel_valid\nitem_bed,novel_test\n"
             "item_bedrock,dropped\n");
  write_file(folder / "episode_classes.csv",
             "class,first_novel_episode,used_in_table4\nnormal,-1,1\nfence,1,1\nthief,1,1\n"
             "rotten,0,0\n");
  write_file(folder / "targets.csv",
             "id,novel_percent\nfence/1/2,0.5\nfence/1/10,0.005\nitem_tnt/0/0,0.01\n"
             "item_bed/0/0,0.2\nitem_bed/0/1,0.2\nitem_bedrock/0/0,1\n");
  write_file(folder / "splits.csv",
             "episode,split,num_frames\nnormal/0,train,3\nnormal/1,test,1\nfence/1,train,1\n");
  put_frame(folder, "normal/0/2", {.logs = 2, .front = "tree"});
  put_frame(folder, "normal/0/10", {.logs = 3, .hand = "axe"});
  put_frame(folder, "normal/0/9", {.logs = 2});
  put_frame(folder, "normal/1/0");
  put_frame(folder, "normal/normal_7/3/0", {.logs = 9});
  put_frame(folder, "fence/0/0");
  put_frame(folder, "fence/1/2");
  put_frame(folder, "fence/1/10", {.front = "fence"});
  put_frame(folder, "item_tnt/0/0");
  put_frame(folder, "item_tnt/0/5");  // of which targets.csv knows nothing
  put_frame(folder, "item_bed/0/0");
  put_frame(folder, "thief/0/0");
  put_frame(folder, "thief/1/0");
  put_frame(folder, "rotten/0/0");
}

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& problem) {
    return problem.what();
  }
  return "was taken";
}

ConfigNode yaml(const std::string& text) {
  return parse_yaml(text, "options");
}

TEST(NovelCraftLayout, lists_the_pictures_that_count_in_the_order_of_numbers) {
  const Scratch folder;
  put_layout(folder);
  EXPECT_EQ(list_csv("novelcraft", folder.path()),
            "id,video,label,group,split,time,novel,role,visible_share\n"
            "fence/1/2,fence/1/2,fence,fence/1,train,2,0,normal,0.5\n"
            "item_bed/0/0,item_bed/0/0,item_bed,item_bed/0,test,0,1,novel_test,0.2\n"
            "item_tnt/0/0,item_tnt/0/0,item_tnt,item_tnt/0,validate,0,1,novel_valid,0.01\n"
            "normal/0/2,normal/0/2,normal,normal/0,train,2,0,normal,\n"
            "normal/0/9,normal/0/9,normal,normal/0,train,9,0,normal,\n"
            "normal/0/10,normal/0/10,normal,normal/0,train,10,0,normal,\n"
            "normal/1/0,normal/1/0,normal,normal/1,test,0,0,normal,\n");
}

TEST(NovelCraftLayout, takes_less_visible_frames_and_those_of_plus_where_asked) {
  const Scratch folder;
  put_layout(folder);
  const std::string csv =
      list_csv("novelcraft", folder.path(), yaml("{visible: 0.001, plus: true}"));
  EXPECT_THAT(csv, HasSubstr("\nfence/1/10,fence/1/10,fence,fence/1,train,10,0,normal,0.005\n"));
  EXPECT_THAT(csv, HasSubstr("\nnormal/normal_7/3/0,normal/normal_7/3/0,normal,"
                             "normal/normal_7/3,train,0,0,normal,\n"));
  EXPECT_THAT(refusal_of([&] { list_csv("novelcraft", folder.path(), yaml("{visible: 2}")); }),
              HasSubstr("visible"));
  EXPECT_THAT(refusal_of([&] { list_csv("hmdb51", folder.path(), yaml("{visible: 2}")); }),
              HasSubstr("hmdb51 has no options, but \"visible\" was given"));
}

TEST(NovelCraftLayout, labels_episodes_before_the_first_novel_one_normal) {
  const Scratch folder;
  put_layout(folder);
  EXPECT_EQ(list_csv("novelcraft", folder.path(), yaml("{of: episodes}")),
            "id,video,label,group,split,time,class,novel\n"
            "fence/0/0,fence/0/0,normal,fence/0,test,0,fence,0\n"
            "fence/1/2,fence/1/2,fence,fence/1,test,2,fence,1\n"
            "fence/1/10,fence/1/10,fence,fence/1,test,10,fence,1\n"
            "normal/0/2,normal/0/2,normal,normal/0,train,2,normal,0\n"
            "normal/0/9,normal/0/9,normal,normal/0,train,9,normal,0\n"
            "normal/0/10,normal/0/10,normal,normal/0,train,10,normal,0\n"
            "normal/1/0,normal/1/0,normal,normal/1,test,0,normal,0\n"
            "thief/0/0,thief/0/0,normal,thief/0,test,0,thief,0\n"
            "thief/1/0,thief/1/0,thief,thief/1,test,0,thief,1\n");
}

TEST(NovelCraftLayout, has_the_published_roles_where_no_table_tells_them) {
  const Scratch folder;
  put_layout(folder);
  const std::string with = list_csv("novelcraft", folder.path());
  std::filesystem::remove(folder / "classes.csv");
  EXPECT_EQ(list_csv("novelcraft", folder.path()), with);
  std::filesystem::remove(folder / "episode_classes.csv");
  const std::string csv = list_csv("novelcraft", folder.path(), yaml("{of: episodes}"));
  EXPECT_THAT(csv, HasSubstr("thief/1/0,thief/1/0,normal,"));  // new from 16 on
}

TEST(NovelCraftLayout, tells_of_frames_on_one_side_only) {
  const Scratch folder;
  put_layout(folder);
  const NovelCraftSelection found = select_novelcraft(folder.path(), ".png", NovelCraftOptions());
  EXPECT_EQ(found.about.at("not_in_targets"),
            "2 frames that targets.csv does not name were left out: fence/0/0, item_tnt/0/5");
  EXPECT_THAT(found.about.at("not_on_disk"),
              HasSubstr("2 frames of targets.csv are not there: item_bed/0/1, item_bedrock/0/0"));
  EXPECT_THAT(found.about.at("in_no_role"), HasSubstr("rotten, thief"));
  std::vector<std::string> notes;
  list_csv("novelcraft", folder.path(), {}, &notes);
  EXPECT_THAT(notes, testing::Contains(found.about.at("not_in_targets")));
}

TEST(NovelCraftLayout, without_frames_is_refused) {
  const Scratch folder;
  put_layout(folder);
  for (const char* name : {"normal", "fence", "item_tnt", "item_bed"}) {
    std::filesystem::remove_all(folder / name);
  }
  EXPECT_THAT(refusal_of([&] { list_csv("novelcraft", folder.path()); }),
              HasSubstr("is a sample of the frames; 3 such files are there"));
}

TEST(NovelCraftStates, are_runs_of_counts_and_words_known_from_training) {
  const Scratch folder;
  put_layout(folder);
  const Dataset data = import_dataset("novelcraft", folder.path(), "states", yaml("{history: 1}"));
  EXPECT_THAT(
      data.store->column_names("state"),
      ElementsAre("inventory:log", "inventory.selectedItem.item=air",
                  "inventory.selectedItem.item=axe", "inventory.selectedItem.item=unknown",
                  "blockInFront.name=air", "blockInFront.name=tree", "blockInFront.name=unknown"));
  EXPECT_EQ(data.about.at("state_numeric"), "1");
  EXPECT_EQ(data.about.at("state_categorical"), "3, 3");
  ASSERT_EQ(data.table.id[3], "normal/0/2");
  ASSERT_EQ(data.table.id[5], "normal/0/10");
  // An episode of one frame has no history, nor has the first frame of one.
  EXPECT_THAT(data.table.frames, ElementsAre(1, 1, 2, 1, 2, 2, 1, 1, 1));
  Matrix rows(3, 7);
  const std::vector<Index> last_of_fence{3, 7, 8};  // its second frame; the last run of normal/0
  data.store->gather("state", last_of_fence, rows);
  Matrix expected(3, 7);
  expected << 1, 1, 0, 0, 0, 0, 1,  // a fence in front was never seen in training
      3, 1, 0, 0, 1, 0, 0,          // normal/0/9: 2 logs in one slot and 1 in another
      4, 0, 1, 0, 1, 0, 0;          // normal/0/10
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(data.about.at("state_unknown"),
            "1 items and words in 1 frames are not of the standard training episodes");
  const Scratch out;
  save_dataset(data, out / "saved");
  EXPECT_EQ(load_dataset(out / "saved").store->rows(), data.store->rows());
}

TEST(NovelCraftStates, are_described_in_yaml) {
  const Scratch folder;
  put_layout(folder);
  const auto import = [&](const std::string& description) {
    write_file(folder / "state.yaml", description);
    return import_dataset(
        "novelcraft", folder.path(), "states",
        yaml(fmt::format("{{history: 0, state: {}}}", (folder / "state.yaml").string())));
  };
  const Dataset data = import(
      "numeric: [{key: player.yaw}, {key: health, or: 20}, {counts: inventory}]\n"
      "categorical: [{key: mood, or: calm}]\n");
  EXPECT_THAT(data.store->column_names("state"),
              ElementsAre("player.yaw", "health", "inventory:log", "mood=calm", "mood=unknown"));
  Matrix row(1, 5);
  data.store->gather("state", std::vector<Index>{5}, row);
  EXPECT_EQ(row, (Matrix(1, 5) << 0, 20, 4, 1, 0).finished());
  EXPECT_THAT(refusal_of([&] { import("numeric: [{key: health}]\n"); }),
              HasSubstr(".json: the state has no \"health\""));
  EXPECT_THAT(refusal_of([&] { import("numeric: [{key: blockInFront.name}]\n"); }),
              HasSubstr("blockInFront.name is not a number but \"air\""));
  EXPECT_THAT(refusal_of([&] { import("numeric: [{key: health, or: much}]\n"); }),
              HasSubstr("\"or: much\" is no number"));
  EXPECT_THAT(refusal_of([&] { import("numbers: [{key: health}]\n"); }),
              HasSubstr("not \"numbers\""));
  EXPECT_THAT(refusal_of([&] { import("numeric: [{kee: health}]\n"); }), HasSubstr("\"kee\""));
}

TEST(NovelCraftStates, ignore_and_count_keys_they_do_not_know) {
  const Scratch folder;
  put_layout(folder);
  put_frame(folder, "thief/1/0", {.more = R"(,"weather":{"rain":[1,2,{"deep":[]}]})"});
  const Dataset data = import_dataset("novelcraft", folder.path(), "states");
  EXPECT_EQ(data.about.at("unknown_keys"), "weather in 1 frames");
}

TEST(NovelCraftStates, that_cannot_be_are_refused_with_their_file) {
  const Scratch folder;
  put_layout(folder);
  const auto refused = [&](const std::string& text) {
    write_file(folder / "thief/1/0.json", text);
    return refusal_of([&] { import_dataset("novelcraft", folder.path(), "states"); });
  };
  const std::string whole = state_text({});
  EXPECT_THAT(refused(whole.substr(0, whole.size() / 2)),
              HasSubstr("thief/1/0.json: is not JSON at byte"));
  EXPECT_THAT(refused("[1, 2]"), HasSubstr("thief/1/0.json: is JSON, but no state"));
  EXPECT_THAT(refused(R"({"inventory":{"0":{"item":"log"}},"blockInFront":{"name":"air"}})"),
              HasSubstr("inventory.0 has no \"item\" with a \"count\""));
  EXPECT_THAT(refused(R"({"blockInFront":{"name":"air"}})"),
              HasSubstr("thief/1/0.json: the state has no \"inventory\""));
  // 100 MB that are never read.
  write_file(folder / "thief/1/0.json", "{");
  std::filesystem::resize_file(folder / "thief/1/0.json", 100'000'000);
  EXPECT_THAT(refusal_of([&] { import_dataset("novelcraft", folder.path(), "states"); }),
              HasSubstr("thief/1/0.json: has 100000000 bytes; the state of a frame has at most "
                        "8388608"));
}

TEST(NovelCraftStates, without_standard_training_episodes_are_refused) {
  const Scratch folder;
  put_layout(folder);
  write_file(folder / "splits.csv", "episode,split,num_frames\nnormal/0,test,3\n");
  EXPECT_THAT(refusal_of([&] { import_dataset("novelcraft", folder.path(), "states"); }),
              HasSubstr("no standard training episodes"));
}

TEST(NovelCraftScene, of_a_state_that_tells_none_is_refused) {
  const auto refused = [&](const std::string& text) {
    const Scratch folder;
    write_file(folder / "s.json", text);
    return refusal_of([&] { scene_of(read_state_file(folder / "s.json"), "s.json"); });
  };
  const std::string player = R"(,"player":{"pos":[0,4,0],"yaw":0,"pitch":0}})";
  EXPECT_THAT(refused(R"({"map":{})" + player), HasSubstr("s.json: its map has no cells"));
  EXPECT_THAT(refused(R"({"map":{"0,4":{"name":"a"}})" + player), HasSubstr("\"0,4\""));
  EXPECT_THAT(refused(R"({"map":{"0,4,1":{"name":"a"},"0,5,1":{"name":"a"}})" + player),
              HasSubstr("at the heights 4 and 5"));
  EXPECT_THAT(refused(R"({"map":{"0,4,1":{}})" + player),
              HasSubstr("the state has no \"map.0,4,1.name\""));
  EXPECT_THAT(refused(R"({"map":{"0,4,1":{"name":"a"},"99999999,4,1":{"name":"a"}})" + player),
              HasSubstr("at most 4096"));
  EXPECT_THAT(refused(R"({"map":{"0,4,1":{"name":"a"}}})"),
              HasSubstr("the state has no \"player\""));
}

TEST(NovelCraftVisible, shares_need_states_beside_pictures) {
  const Scratch folder;
  Progress silent;
  put_frame(folder, "item_tnt/0/0");
  EXPECT_THAT(refusal_of([&] { visible_shares(folder.path(), 0, silent); }),
              HasSubstr("0.png: is no PNG"));
  const auto shares = visible_shares(folder.path(), 256, silent);
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_NEAR(shares[0].share(), 0.0894, 1e-3);  // worked out in the test of the rays
  write_file(folder / "item_tnt/0/0.json", "{}");
  EXPECT_EQ(visible_shares(folder.path(), 256, silent)[0].pixels, 0);  // no map, nothing to see
  std::filesystem::remove(folder / "item_tnt/0/0.json");
  EXPECT_THAT(refusal_of([&] { visible_shares(folder.path(), 256, silent); }),
              HasSubstr("with a .json beside it"));
}

}  // namespace
}  // namespace tyto
