// SPDX-License-Identifier: Apache-2.0
#include "protocol/letter_run.hpp"

#include "tyto/core/error.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

OwlRun discover_run(const std::vector<OwlDeal>& deals, const std::string& options = "{}") {
  return OwlRun(deals, [options] {
    return find_protocol("discover").make(parse_yaml(options, "test"), "protocol");
  });
}

std::string discover_refusal(OwlRun run) {
  try {
    run.all();
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

TEST(Discover, learns_train_shows_test_without_labels_and_asks_about_it) {
  OwlRun run = discover_run({{"aabb", "", "abc"}});
  EXPECT_THAT(run.all().of_predictor(), ElementsAre("learn 0t0=a 0t1=a 0t2=b 0t3=b",
                                                    "observe 0e0 0e1 0e2", "predict 0e0 0e1 0e2"));
  EXPECT_THAT(run.calls({"begin"}),
              ElementsAre("begin 000_discover_test: granted ab (4), shown abc"));
}

TEST(Discover, keeps_from_view_what_is_not_to_be_shown) {
  OwlRun run = discover_run({{"ab", "", "abcabcabc"}}, "{shown: 0}");
  EXPECT_THAT(run.all().of_predictor(),
              ElementsAre("learn 0t0=a 0t1=b", "predict 0e0 0e1 0e2 0e3 0e4 0e5 0e6 0e7 0e8"));
  EXPECT_THAT(run.calls({"begin"}),
              ElementsAre("begin 000_discover_unseen: granted ab (2), shown abc"));
}

TEST(Discover, goes_on_where_it_was_cut) {
  OwlRun whole = discover_run({{"aabb", "", "abc"}});
  whole.all();
  OwlRun cut = discover_run({{"aabb", "", "abc"}});
  while (cut.step()) {
    cut.restart();
  }
  EXPECT_EQ(cut.log().calls, whole.log().calls);
}

TEST(Discover, refuses_what_it_cannot_do_with_a_sentence) {
  EXPECT_THAT(discover_refusal(discover_run(kTwo)),
              HasSubstr("protocol discover: the world shows a second"));
  EXPECT_THAT(discover_refusal(discover_run({{"", "a", "b"}})), HasSubstr("no labelled sample"));
  EXPECT_THAT(discover_refusal(discover_run({{"ab", "a", ""}})), HasSubstr("no test sample"));
}

}  // namespace
}  // namespace tyto
