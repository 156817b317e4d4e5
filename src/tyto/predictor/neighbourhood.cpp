// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/neighbourhood.hpp"

#include "tyto/core/parallel.hpp"
#include "tyto/math/neighbours.hpp"

namespace tyto {

namespace {

constexpr Index kBlock = 8192;  // remembered rows represented at a time

class Nearest final : public Neighbourhood {
 public:
  Nearest(Matrix features, const Memory& memory, Represent represent, Index k)
      : features_(std::move(features)), memory_(memory), represent_(std::move(represent)), k_(k) {}

  const Neighbours& remembered() override {
    if (!found_) {
      std::vector<Index> fit;
      const auto& roles = memory_.roles();
      for (std::size_t i = 0; i < roles.size(); ++i) {
        if (roles[i] == Role::fit && memory_.labels()[i] != Label::unknown) {
          fit.push_back(static_cast<Index>(i));
        }
      }
      NearestK nearest(std::move(features_), k_);
      in_blocks(static_cast<Index>(fit.size()), kBlock, [&](Index begin, Index count) {
        const auto rows =
            Rows(fit).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
        nearest.add(represent_(memory_.samples().pick(rows)), begin);
      });
      found_ = nearest.result();
    }
    return *found_;
  }

 private:
  Matrix features_;
  const Memory& memory_;
  Represent represent_;
  Index k_;
  std::optional<Neighbours> found_;
};

}  // namespace

std::shared_ptr<Neighbourhood> nearest_remembered(const Matrix& features, const Memory& memory,
                                                  Represent represent, Index k) {
  return std::make_shared<Nearest>(features, memory, std::move(represent), k);
}

}  // namespace tyto
