// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/feedback/group_answers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "tyto/core/random.hpp"

namespace tyto {

namespace {

struct AskedGroup {
  Index asked = 0;             // row
  std::vector<Index> members;  // rows, without that one
};

std::vector<AskedGroup> asked_groups(const OracleRequest& request, const Decisions& decisions) {
  std::map<Label, std::size_t> place;
  std::vector<AskedGroup> groups;
  for (const Index row : request.order) {
    const Label label = decisions.label[at(row - request.begin)];
    if (decisions.space->kind(label) != LabelKind::discovered || place.contains(label)) {
      continue;
    }
    if (std::ssize(groups) == request.answers) {
      break;
    }
    place.emplace(label, groups.size());
    groups.push_back({row, {}});
  }
  for (Index row = request.begin; row < request.end; ++row) {
    const auto found = place.find(decisions.label[at(row - request.begin)]);
    if (found != place.end() && groups[found->second].asked != row) {
      groups[found->second].members.push_back(row);
    }
  }
  return groups;
}

// The most frequent name, the first of them by name; "" where they differ and must not.
std::string group_name(const std::vector<std::string>& names, bool unanimous) {
  std::map<std::string, Index> counts;
  for (const std::string& name : names) {
    ++counts[name];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;  // of equals the first
      });
  return unanimous && counts.size() > 1 ? std::string() : most->first;
}

// In the order of a hash of their ids, so that neither the file nor the predictor chooses.
std::vector<Index> drawn_members(std::vector<Index> rows, const Samples& samples, double share) {
  std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) {
    const auto hash = [&](Index row) {
      return mix(static_cast<std::uint32_t>(samples.id(row)), "group member");
    };
    return hash(a) < hash(b);
  });
  rows.resize(static_cast<std::size_t>(std::llround(share * static_cast<double>(rows.size()))));
  return rows;
}

}  // namespace

void GroupOptions::describe(OptionVisitor& visitor) {
  static constexpr std::array<std::string_view, 2> kAnswers{"majority", "unanimous"};
  static constexpr std::array<std::string_view, 2> kLearned{"members", "asked"};
  visitor.field("answer", answer, kAnswers,
                "majority: the class most samples of the group are of, by name where two are as "
                "frequent; unanimous: nothing, unless all are of one class");
  visitor.field("learn", learn, kLearned,
                "members: the samples of the group are learned under that name; asked: only the "
                "sample by which the group was asked for");
  visitor.field("weight", weight, {0, 1},
                "share of the other members that is learned, drawn by a hash of their ids: what "
                "they weigh against samples asked about one by one");
}

OracleAnswers group_answers(const OracleRequest& request, const GroupOptions& options,
                            const Speak& speak, Work& work) {
  if (request.answers == 0 || request.order.empty()) {
    return {};
  }
  const Samples& samples = request.train.samples;
  const Decisions decisions =
      decided(request.predictor, samples.slice(request.begin, request.end - request.begin), work);
  const std::vector<AskedGroup> groups = asked_groups(request, decisions);
  OracleAnswers answers{std::ssize(groups)};
  std::vector<Index> told;
  for (const AskedGroup& group : groups) {
    std::vector<Index> rows{group.asked};
    rows.insert(rows.end(), group.members.begin(), group.members.end());
    const LookedUp all = request.world.look_up(request.train, rows);
    const std::string name = group_name(all.label, options.answer == "unanimous");
    if (name.empty()) {
      continue;
    }
    rows = {group.asked};
    if (options.learn == "members") {
      const auto drawn = drawn_members(group.members, samples, options.weight);
      rows.insert(rows.end(), drawn.begin(), drawn.end());
    }
    const LookedUp learned = request.world.look_up(request.train, rows);
    answers.truth.insert(answers.truth.end(), learned.label.begin(), learned.label.end());
    answers.words.resize(answers.words.size() + rows.size(),
                         {speak(name, samples.id(group.asked))});
    told.insert(told.end(), rows.begin(), rows.end());
  }
  answers.samples = samples.pick(told);
  return answers;
}

}  // namespace tyto
