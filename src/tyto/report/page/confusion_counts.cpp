// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/confusion_counts.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "tyto/measure/table.hpp"

namespace tyto {

namespace {

using Cells = std::vector<std::array<std::int32_t, 3>>;

void sort_up(Cells& cells) {  // equal pairs become one
  std::sort(cells.begin(), cells.end());
  std::size_t kept = 0;
  for (const auto& cell : cells) {
    if (kept > 0 && cells[kept - 1][0] == cell[0] && cells[kept - 1][1] == cell[1]) {
      cells[kept - 1][2] += cell[2];
    } else {
      cells[kept++] = cell;
    }
  }
  cells.resize(kept);
}

// Names of the truth by sample, each looked up once for a whole record.
class TruthNames {
 public:
  TruthNames(const Truth& truth, NameList& names) : truth_(truth), names_(names) {}

  std::int32_t of(SampleId id) {
    const std::string& label = truth_.label_of(id);
    const auto found = places_.find(label);
    return found != places_.end()
               ? found->second
               : places_.emplace(label, static_cast<std::int32_t>(names_.of(label))).first->second;
  }

 private:
  const Truth& truth_;
  NameList& names_;
  std::unordered_map<std::string_view, std::int32_t> places_;
};

void add_phase(Cells& cells, const Phase& phase, TruthNames& truth, NameList& names) {
  std::vector<std::int32_t> of_entry(static_cast<std::size_t>(phase.space.size()), -1);
  for (Index i = 0; i < phase.size(); ++i) {
    std::int32_t& name = of_entry.at(static_cast<std::size_t>(phase.top(i, 0)));
    if (name < 0) {
      name = static_cast<std::int32_t>(names.of(phase.decision(i)));
    }
    cells.push_back({truth.of(phase.sample[static_cast<std::size_t>(i)]), name, 1});
  }
  sort_up(cells);
}

std::size_t cell_count(const std::vector<PageMatrix>& matrices) {
  std::size_t count = 0;
  for (const PageMatrix& matrix : matrices) {
    count += matrix.cells.size();
  }
  return count;
}

// One matrix for all steps of an arm, phase and split, where `which` says so.
template <class Which>
void sum_steps(std::vector<PageMatrix>& matrices, const Which& which) {
  std::vector<PageMatrix> out;
  std::map<std::tuple<Index, std::string, std::string>, std::size_t> places;
  for (PageMatrix& matrix : matrices) {
    if (!which(matrix)) {
      out.push_back(std::move(matrix));
      continue;
    }
    const auto [found, is_new] =
        places.try_emplace({matrix.arm, matrix.key.phase, matrix.key.split}, out.size());
    if (is_new) {
      out.push_back(std::move(matrix));
      out.back().key.step = kAllSteps;
    } else {
      PageMatrix& sum = out[found->second];
      sum.known = std::move(matrix.known);
      sum.cells.insert(sum.cells.end(), matrix.cells.begin(), matrix.cells.end());
      sort_up(sum.cells);
    }
  }
  matrices = std::move(out);
}

}  // namespace

std::vector<PageMatrix> count_confusions(const RunRecord& record, Index arm, NameList& names,
                                         Progress& progress) {
  TruthNames truth(truth_of(record), names);
  std::vector<PageMatrix> matrices;
  for (const std::vector<PhaseKey>& batches : by_increment(record.phases())) {
    PageMatrix& matrix = matrices.emplace_back();
    matrix.arm = arm;
    matrix.key = batches.front();
    matrix.key.batch = 0;
    for (const PhaseKey& key : batches) {
      progress.pulse();
      const Phase phase = record.phase(key);
      if (key == batches.front()) {
        for (const std::string& name : phase.known) {
          matrix.known.push_back(names.of(name));
        }
        std::sort(matrix.known.begin(), matrix.known.end());
      }
      add_phase(matrix.cells, phase, truth, names);
    }
  }
  return matrices;
}

std::string coarsen(std::vector<PageMatrix>& matrices, std::size_t most) {
  const auto is_test = [](const PageMatrix& matrix) { return matrix.key.split == "test"; };
  const auto is_other = [&](const PageMatrix& matrix) { return !is_test(matrix); };
  if (cell_count(matrices) <= most) {
    return "";
  }
  sum_steps(matrices, is_other);
  if (cell_count(matrices) <= most) {
    return "To keep the page small, splits other than test are summed over the increments; a class "
           "counts as known there if it was at the last one.";
  }
  if (std::any_of(matrices.begin(), matrices.end(), is_test)) {
    std::erase_if(matrices, is_other);
  }
  if (cell_count(matrices) <= most) {
    return "To keep the page small, only the test split is here.";
  }
  sum_steps(matrices, is_test);
  return "To keep the page small, only the test split is here, summed over the increments; a class "
         "counts as known if it was at the last one.";
}

}  // namespace tyto
