// SPDX-License-Identifier: Apache-2.0
// The model of the Extreme Value Machine: points of the known classes, each with the distribution
// of its margins to other classes. It grows lesson by lesson.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tyto/core/state.hpp"
#include "tyto/parts/extremes/inclusion.hpp"

namespace tyto {

struct EvmSettings {
  InclusionForm form;
  Index tail = 50;          // margins fitted per point
  double multiplier = 0.5;  // from distance to margin
  double cover = 0.7;       // psi from which one point stands for another; >= 1: all are kept
  Index fuse = 1;           // psi of a class: mean of so many largest; 1: the largest
  // False: there is one lesson only. Tails may then be as long as there are points, since none is
  // kept; more lessons are not to be added.
  bool keeps_tails = true;
};

class ExtremeVectors {
 public:
  explicit ExtremeVectors(EvmSettings settings) : settings_(settings) {}

  struct Change {
    std::vector<Index> refitted;  // vectors as counted before: a new point entered their tail
    Index fitted = 0;             // new points
  };

  // Fits new points against the vectors and each other; refits the vectors whose tail is hit, and
  // no other; then thins out the classes that got points. Nothing is thinned out while there is one
  // class, which has no margins. O((m + n) n d) time for n points and m vectors.
  //
  // A vector's tail is that of all points ever seen, also those since covered by others; a new
  // point meets only the vectors. So without cover several lessons give what one lesson gives, and
  // with it the vectors from earlier lessons have the parameters they would have then.
  Change add(Matrix points, const std::vector<std::int32_t>& classes,
             const std::function<void()>& pulse);

  [[nodiscard]] const std::vector<std::int32_t>& classes() const { return classes_; }  // ascending

  // ln(-ln P) per query and class; see strangeness(). O(n m d) time.
  [[nodiscard]] Dense<double> strangeness_of(const MatrixView& queries) const;

  // The vectors, by class and then by age; their classes; their distributions.
  [[nodiscard]] const Matrix& points() const { return points_; }

  [[nodiscard]] const std::vector<std::int32_t>& owners() const { return owners_; }

  [[nodiscard]] const std::vector<Inclusion>& inclusions() const { return inclusions_; }

  void save(State& state) const;
  void load(const State& state);

 private:
  void keep(const std::vector<Index>& rows);
  [[nodiscard]] std::vector<Index> thinned(const std::vector<std::uint8_t>& fresh, bool all) const;
  void index_classes();
  [[nodiscard]] double spread() const;
  // The same tails, fitted and forgotten row by row: O(n^2 d) time, O(n) memory.
  void fit_at_once(double unit, const std::function<void()>& pulse);

  EvmSettings settings_;
  Matrix points_, tails_;
  std::vector<std::int32_t> owners_, classes_;
  std::vector<Index> first_;  // first vector of each class, and their number
  std::vector<Inclusion> inclusions_;
};

}  // namespace tyto
