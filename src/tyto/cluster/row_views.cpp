// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/row_views.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tyto/core/parallel.hpp"
#include "tyto/math/unit_rows.hpp"

namespace tyto {

void ViewOptions::describe(OptionVisitor& v) {
  v.field("neighbours", neighbours, {0, 1e4},
          "a view is one of so many nearest rows or the row itself; 0: always the row");
  v.field("noise", noise, {0.0, 1e3},
          "added to every column of a view, as a share of its standard deviation");
  v.field("dropout", dropout, {0.0, 0.95}, "share of the columns that are 0 in a view");
}

RowViews::RowViews(const Matrix& rows, const ViewOptions& options, Work& work)
    : rows_(rows), options_(options), key_(work.rng.fork("views").key()) {
  const Eigen::RowVectorXd mean = rows.cast<double>().colwise().mean();
  const Eigen::RowVectorXd square = rows.cast<double>().cwiseAbs2().colwise().mean();
  spread_ = (square - mean.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt().transpose().cast<float>();
  const Index wanted = std::min(options.neighbours, rows.rows() - 1);
  if (wanted > 0) {  // the row itself is its nearest
    near_ = nearest_rows(rows, rows, wanted + 1).row;
  }
}

Matrix RowViews::draw(const Rows& batch, std::uint64_t number) const {
  Matrix out(std::ssize(batch), rows_.cols());
  const auto noise = static_cast<float>(std::sqrt(3.0) * options_.noise);  // uniform, variance 1
  const auto dropped = static_cast<std::uint32_t>(options_.dropout * 65536.0);
  const float kept = 1.0F / (1.0F - static_cast<float>(options_.dropout));
  share_loop(out.rows(), 8 * rows_.cols(), [&](Index i) {
    const Index row = batch[static_cast<std::size_t>(i)];
    const std::uint64_t lane =
        number * static_cast<std::uint64_t>(rows_.rows()) + static_cast<std::uint64_t>(row);
    Index source = row;
    if (near_.cols() > 0) {
      const std::uint32_t which = philox(key_, ~std::uint64_t{0}, lane)[0];
      source = near_(row, which % static_cast<std::uint32_t>(near_.cols()));
    }
    for (Index j = 0; j < rows_.cols(); j += 4) {
      const auto bits = philox(key_, static_cast<std::uint64_t>(j), lane);
      for (Index l = 0; l < 4 && j + l < rows_.cols(); ++l) {
        const std::uint32_t word = bits[static_cast<std::size_t>(l)];
        const float shift = static_cast<float>(word >> 16) / 32768.0F - 1.0F;
        const float value = rows_(source, j + l) + noise * spread_[j + l] * shift;
        out(i, j + l) = (word & 0xFFFFU) < dropped ? 0.0F : kept * value;
      }
    }
  });
  return unit_rows(std::move(out));
}

}  // namespace tyto
