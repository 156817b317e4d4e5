// SPDX-License-Identifier: Apache-2.0
// What a predictor sees of the world: samples as rows of a store, without label, name or path. It
// learns neither which rows they are nor what else the store holds: both are private, and whoever
// saves and loads samples has the key, store_access.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/sample/feature_store.hpp"

namespace tyto {

enum class SampleId : std::uint32_t {};  // opaque: a name such as v_Surfing_g22 tells the class

// May the store be referred to after the call?
enum class Lifetime { lasting, lent };

// A frame made of consecutive ones of a sample: their mean by weights that are not negative and add
// up to one. A single weight: that frame as it is.
struct FrameMean {
  Index first = 0;
  std::vector<float> weight{1.0F};
};

// A cheap value: copies share the rows. Each sample is one row of the store or a run of frames.
class Samples {
 public:
  struct Table {
    std::vector<SampleId> id;
    std::vector<Index> row;            // of the store
    std::vector<Index> first;          // sample i has rows [first[i], first[i+1]); empty: one each
    std::vector<std::uint32_t> group;  // opaque: episode, subject or source video; may be empty
    std::vector<double> time;          // may be empty
  };

  Samples() = default;  // no samples
  Samples(std::shared_ptr<const FeatureStore> store, Table table,
          Lifetime lifetime = Lifetime::lasting);

  [[nodiscard]] Index size() const { return table_ ? static_cast<Index>(table_->id.size()) : 0; }

  [[nodiscard]] bool empty() const { return size() == 0; }

  [[nodiscard]] SampleId id(Index i) const { return table_->id[static_cast<std::size_t>(i)]; }

  [[nodiscard]] Index frame_count(Index i) const { return std::ssize(frames(i)); }

  [[nodiscard]] std::uint32_t group(Index i) const;  // 0 where the world has no groups
  [[nodiscard]] double time(Index i) const;          // 0 where the world has no times

  [[nodiscard]] bool one_row_each() const { return !table_ || table_->first.empty(); }

  [[nodiscard]] Samples pick(Rows which) const;
  [[nodiscard]] Samples slice(Index begin, Index count) const;

  [[nodiscard]] Index width(std::string_view source = "features") const;
  // Floats of the sample with the most frames, in the widest source there is.
  [[nodiscard]] Index widest() const;
  [[nodiscard]] Matrix frame_rows(std::string_view source = "features") const;  // a row per frame
  [[nodiscard]] Matrix rows(std::string_view source = "features") const;  // a row per sample: mean
  [[nodiscard]] std::vector<std::string> column_names(std::string_view source) const;

  [[nodiscard]] Lifetime lifetime() const { return lifetime_; }

  [[nodiscard]] Samples lent() const;  // the same samples, for one call only

  // The same samples; where "features" is asked for, this source of the store is read.
  [[nodiscard]] Samples reading(std::string_view source) const;

  [[nodiscard]] std::string read_source() const { return std::string(named("features")); }

  // Of each sample at most `most` frames: the centres of as many runs of equal length, in order. A
  // sample with no more frames keeps them all.
  [[nodiscard]] Samples thinned(Index most) const;

  // The same samples with these frames instead, a list for each; an empty list: as it is. Rows stay
  // references as long as every frame is one of the sample's own; else all is copied into a lasting
  // store that holds nothing else.
  [[nodiscard]] Samples reframed(std::span<const std::vector<FrameMean>> frames) const;

  static bool share_store(const Samples& a, const Samples& b) { return a.store_ == b.store_; }

  // Appends b's samples; both must share one store.
  static Samples joined(const Samples& a, const Samples& b);

  // Samples of any stores, piece after piece, copied into a lasting one that holds nothing else. It
  // has the `sources` asked for; none named: those that all pieces have. A piece without a store
  // adds nothing. Throws Error(data) where a source has another width or other column names in two
  // pieces, or there is none to copy.
  static Samples stacked(std::span<const Samples> pieces,
                         std::span<const std::string> sources = {});

 private:
  friend class StoreAccess;

  [[nodiscard]] Rows frames(Index i) const;       // rows of the store, in time order
  [[nodiscard]] Samples with(Table table) const;  // the rest as it is here

  [[nodiscard]] std::string_view named(std::string_view source) const {
    return features_ && source == "features" ? *features_ : source;
  }

  // Every row written anew, source by source, as the lists say.
  [[nodiscard]] Samples averaged(std::span<const std::vector<FrameMean>> frames) const;
  static Table table_of(std::span<const Samples> pieces);
  static std::vector<std::string> shared_sources(std::span<const Samples> pieces);

  std::shared_ptr<const FeatureStore> store_;
  std::shared_ptr<const Table> table_;
  Lifetime lifetime_ = Lifetime::lasting;
  std::shared_ptr<const std::string> features_;  // source read as features; null: that of the name
};

}  // namespace tyto

// Example:
//
//   Samples::Table table;
//   table.id = {SampleId{0}, SampleId{1}};
//   table.row = {0, 1};
//   const Samples samples(std::make_shared<DenseStore>(Matrix::Random(2, 8)), table);
//   const Matrix features = samples.rows();
