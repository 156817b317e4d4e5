// SPDX-License-Identifier: Apache-2.0
// Names that classes came to bear after they were learned. Parts know nothing of it: what they say
// of a class is said under its new name, and what is taught under the new name of a class that was
// merely renamed is learned as that class.
#pragma once

#include <map>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/sample/label_change.hpp"
#include "tyto/sample/prediction.hpp"

namespace tyto {

class LaterNames {
 public:
  // New names enter the space. Names that are not in it are passed over.
  void add(const LabelChange& change, LabelSpace& space);

  // Labels of a lesson as parts are to learn them. A class that was split and is taught again under
  // its old name lives on.
  void learn(std::vector<Label>& labels);

  // Joins the columns of classes that bear one name now; those of a class that was split go to
  // `unknown`, since nobody has said which of its successors they mean.
  void apply(Prediction& prediction) const;

  // Nothing where no name has changed.
  void save(State& state) const;
  void load(const State& state);

 private:
  [[nodiscard]] Label called(Label label) const;

  std::map<Label, Label> called_;      // what parts learned, as it is called now; unknown: split
  std::map<Label, Label> learned_as_;  // new names of classes that were merely renamed
};

}  // namespace tyto
