// SPDX-License-Identifier: Apache-2.0
// What was taken for what, as counts; the page works out views and sums.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "tyto/report/page/confusion_counts.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

// A cell takes about four bytes of the page, so this is some 8 MB.
constexpr std::size_t kMostCells = 2'000'000;

Json matrix_json(const PageMatrix& matrix) {
  Json::array_t cells;
  cells.reserve(matrix.cells.size() * 3);
  for (const auto& [actual, predicted, count] : matrix.cells) {
    cells.emplace_back(actual);
    cells.emplace_back(predicted);
    cells.emplace_back(count);
  }
  return {{"arm", matrix.arm},         {"step", matrix.key.step}, {"phase", matrix.key.phase},
          {"split", matrix.key.split}, {"known", matrix.known},   {"cells", std::move(cells)}};
}

bool has_batches(const RunRecord& record) {
  const auto keys = record.phases();
  return std::any_of(keys.begin(), keys.end(), [](const PhaseKey& key) { return key.batch > 1; });
}

std::optional<Json> build_confusion(const PageSource& source, Progress& progress) {
  std::vector<PageMatrix> matrices;
  bool batches = false;
  for (const PageArm& arm : source.arms) {
    const RunRecord& record = *arm.seeds.front().record;
    batches = batches || has_batches(record);
    for (PageMatrix& matrix : count_confusions(record, arm.number, *source.names, progress)) {
      matrices.push_back(std::move(matrix));
    }
  }
  std::string note = coarsen(matrices, kMostCells);
  if (batches) {
    note += std::string(note.empty() ? "" : " ") +
            "Where an increment came in batches, a class counts as known if it was when the first "
            "of them came.";
  }
  Json all = Json::array();
  for (PageMatrix& matrix : matrices) {
    all.push_back(matrix_json(matrix));
    matrix = {};
  }
  return Json{{"matrices", std::move(all)}, {"note", note}};
}

}  // namespace

SectionSpec confusion_section() {
  return {"confusion",
          "What is taken for what",
          "Actual against predicted classes, for any increment, phase and view.",
          {},
          40,
          build_confusion,
          true};
}

}  // namespace tyto
