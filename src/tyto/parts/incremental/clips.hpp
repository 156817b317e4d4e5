// SPDX-License-Identifier: Apache-2.0
// The clips of a lesson: frames of its samples, gathered once where that is not too much.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tyto/parts/experience.hpp"

namespace tyto {

class Clips {
 public:
  // Frames to look at, of a sample `place` among the rows that has n frames.
  using Choose = std::function<std::vector<Index>(std::size_t place, Index n)>;

  // Rows of the experience, which must outlive this.
  Clips(const Experience& experience, std::vector<Index> rows);

  [[nodiscard]] Index size() const { return static_cast<Index>(rows_.size()); }

  // Rows of the experience that these clips are.
  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }

  [[nodiscard]] Index width() const { return width_; }

  // Of the clips numbered `which` the frames chosen, one clip after another.
  [[nodiscard]] Matrix frames(Rows which, const Choose& choose) const;

 private:
  const Experience& experience_;
  std::vector<Index> rows_;
  Index width_ = 0;
  std::optional<Frames> all_;
};

// The frames chosen of each sample, one after another. A frame that is not there is a row of zeros:
// -1.
Matrix chosen_frames(const Frames& frames,
                     const std::function<std::vector<Index>(Index sample, Index n)>& choose);

}  // namespace tyto
