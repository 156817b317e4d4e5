// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/neighbourhood.hpp"

#include <limits>
#include <map>
#include <optional>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/neighbours.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kRememberedRows = 8192;        // remembered rows represented at a time
constexpr Index kMostKept = Index{192} << 20;  // bytes of them kept for the next search

// The rows of one set that are nearest to each other: the first of its own neighbours is the row
// itself, unless equal rows stand before it.
Neighbours without_self(const Neighbours& found) {
  const Index k = std::max<Index>(found.row.cols() - 1, 0);
  Neighbours out{Dense<std::int32_t>(found.row.rows(), k), Matrix(found.row.rows(), k)};
  for (Index i = 0; i < found.row.rows(); ++i) {
    Index to = 0;
    for (Index from = 0; from < found.row.cols() && to < k; ++from) {
      if (found.row(i, from) != i) {
        out.row(i, to) = found.row(i, from);
        out.distance(i, to++) = found.distance(i, from);
      }
    }
  }
  return out;
}

class FoundNeighbours final : public Neighbourhood {
 public:
  FoundNeighbours(Matrix features, const Memory* memory, Represent represent, NeighbourWants wants,
                  NeighbourCache* cache)
      : features_(std::move(features)),
        memory_(memory),
        represent_(std::move(represent)),
        wants_(wants),
        cache_(cache) {
    if (memory_ != nullptr && wants_.remembered > 0) {
      for (std::size_t i = 0; i < memory_->roles().size(); ++i) {
        if (memory_->roles()[i] == Role::fit && memory_->labels()[i] != Label::unknown) {
          fit_.push_back(static_cast<Index>(i));
          labels_.push_back(memory_->labels()[i]);
        }
      }
    }
  }

  const Neighbours& remembered() override {
    if (!remembered_) {
      const auto search = [this](const Matrix& queries) {
        if (keeps_rows()) {
          const auto kept = cache_->references([this] { return represented(fit_); });
          return nearest_rows(queries, *kept, wants_.remembered);
        }
        return nearest(queries, fit_, wants_.remembered);
      };
      remembered_ = cache_ == nullptr ? search(features_) : cache_->remembered(features_, search);
    }
    return *remembered_;
  }

  std::span<const Label> remembered_labels() override { return labels_; }

  const Neighbours& rivals() override {
    if (!rivals_) {
      rivals_ = find_rivals();
    }
    return *rivals_;
  }

  const Neighbours& batch() override {
    TYTO_ASSERT(wants_.batch > 0);
    if (!batch_) {
      const auto search = [this](const Matrix& rows) {
        return without_self(nearest_rows(rows, rows, wants_.batch + 1));
      };
      batch_ = cache_ == nullptr ? search(features_) : cache_->batch(features_, search);
    }
    return *batch_;
  }

 private:
  // Whether the remembered rows, all that were fitted on, may be kept as the parts see them.
  [[nodiscard]] bool keeps_rows() const {
    return cache_ != nullptr && !fit_.empty() &&
           std::ssize(fit_) * features_.cols() <= kMostKept / Index{sizeof(float)};
  }

  // Rows of the memory as the parts see them.
  [[nodiscard]] Matrix represented(Rows rows) const {
    Matrix out;
    const Index most = samples_per_block(memory_->samples(), kRememberedRows);
    in_blocks(std::ssize(rows), most, [&](Index begin, Index count) {
      const Matrix block = represent_(memory_->samples().pick(rows.subspan(at(begin), at(count))));
      if (begin == 0) {
        out.resize(std::ssize(rows), block.cols());
      }
      out.middleRows(begin, count) = block;
    });
    return out;
  }

  // `rows` are rows of the memory; the answer counts along them.
  [[nodiscard]] Neighbours nearest(const Matrix& queries, Rows rows, Index k) const {
    NearestK found(queries, k);
    const Index most = samples_per_block(memory_->samples(), kRememberedRows);
    in_blocks(static_cast<Index>(rows.size()), most, [&](Index begin, Index count) {
      const auto block =
          rows.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
      found.add(represent_(memory_->samples().pick(block)), begin);
    });
    return found.result();
  }

  // The nearest of `rows` of the memory, which are these `counts` of the fitted ones.
  [[nodiscard]] Neighbours nearest_of(const Matrix& queries, Rows rows, Rows counts) const {
    if (!keeps_rows()) {
      return nearest(queries, rows, 1);
    }
    const auto kept = cache_->references([this] { return represented(fit_); });
    NearestK found(queries, 1);
    in_blocks(std::ssize(counts), kRememberedRows, [&](Index begin, Index count) {
      found.add(kept->rows(counts.subspan(at(begin), at(count)), Eigen::all), begin);
    });
    return found.result();
  }

  [[nodiscard]] Neighbours find_rivals() {
    const Neighbours& near = remembered();
    const Index n = near.row.rows();
    Neighbours out{Dense<std::int32_t>::Constant(n, 1, -1),
                   Matrix::Constant(n, 1, std::numeric_limits<float>::infinity())};
    std::map<Label, std::vector<Index>> lacking;  // queries all of whose neighbours are of a class
    for (Index i = 0; i < n && near.row.cols() > 0; ++i) {
      const Label own = labels_[static_cast<std::size_t>(near.row(i, 0))];
      Index j = 1;
      while (j < near.row.cols() && labels_[static_cast<std::size_t>(near.row(i, j))] == own) {
        ++j;
      }
      if (j < near.row.cols()) {
        out.row(i, 0) = near.row(i, j);
        out.distance(i, 0) = near.distance(i, j);
      } else {
        lacking[own].push_back(i);
      }
    }
    for (const auto& [own, queries] : lacking) {
      std::vector<Index> rows;    // of the memory
      std::vector<Index> counts;  // their place among the fitted ones
      for (std::size_t r = 0; r < labels_.size(); ++r) {
        if (labels_[r] != own) {
          rows.push_back(fit_[r]);
          counts.push_back(static_cast<Index>(r));
        }
      }
      if (rows.empty()) {
        continue;
      }
      Matrix asked(static_cast<Index>(queries.size()), features_.cols());
      for (std::size_t q = 0; q < queries.size(); ++q) {
        asked.row(static_cast<Index>(q)) = features_.row(queries[q]);
      }
      const Neighbours found = nearest_of(asked, rows, counts);
      for (std::size_t q = 0; q < queries.size(); ++q) {
        const auto at = static_cast<Index>(q);
        out.row(queries[q], 0) =
            static_cast<std::int32_t>(counts[static_cast<std::size_t>(found.row(at, 0))]);
        out.distance(queries[q], 0) = found.distance(at, 0);
      }
    }
    return out;
  }

  Matrix features_;
  const Memory* memory_;
  Represent represent_;
  NeighbourWants wants_;
  NeighbourCache* cache_;      // may be null
  std::vector<Index> fit_;     // rows of the memory that were fitted on
  std::vector<Label> labels_;  // and their classes
  std::optional<Neighbours> remembered_, rivals_, batch_;
};

}  // namespace

std::shared_ptr<Neighbourhood> find_neighbours(const Matrix& features, const Memory* memory,
                                               Represent represent, NeighbourWants wants,
                                               NeighbourCache* cache) {
  return std::make_shared<FoundNeighbours>(features, memory, std::move(represent), wants, cache);
}

}  // namespace tyto
