// SPDX-License-Identifier: Apache-2.0
// What each domain's truth says in which column, and what feedback there is in it.
#pragma once

#include <span>
#include <string_view>

namespace tyto::sail_on {

enum class FeedbackRule {
  folded_label,   // the class; those beyond the known ones are one
  label,          // the class as the truth says it
  nearest,        // five names near the class
  score,          // share of the posted samples that are right, as one line
  novel,          // whether the sample is novel
  edit_distance,  // between the text and what was posted
  points,         // running total of what labels earned, as one line
  costly_label    // the class, for a point each
};

struct OfferedFeedback {
  std::string_view type;
  FeedbackRule rule;
  std::string_view results;  // type of the posted results it reads
  std::size_t column;        // of the truth, the id being 0
  bool budgeted;             // at most feedback_max_ids lines a round
  bool before_declared;      // told even before novelty was declared
  bool only_wrong;           // where no ids are named: about mistakes alone
};

struct Domain {
  std::string_view name;
  bool utf16;  // truth and rounds; others are UTF-8
  std::span<const OfferedFeedback> feedback;
};

// Null: no domain is called so.
const Domain* find_domain(std::string_view name);
const OfferedFeedback* find_feedback(const Domain& domain, std::string_view type);

}  // namespace tyto::sail_on
