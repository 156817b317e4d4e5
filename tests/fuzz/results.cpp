// SPDX-License-Identifier: Apache-2.0
// Rows as an agent posts them: checked, compared with what was posted, and asked about.
#include <cstdlib>
#include <string_view>
#include <vector>

#include "fuzz/entry_points.hpp"
#include "support/small_test.hpp"

#include "tyto/sail_on/evaluator.hpp"
#include "tyto/sail_on/feedback.hpp"
#include "tyto/sail_on/refused.hpp"
#include "tyto/sail_on/result_rules.hpp"

namespace tyto {

int fuzz_results(const std::uint8_t* bytes, std::size_t size) {
  using namespace sail_on;
  static const auto test = small_test();
  const std::string rows(reinterpret_cast<const char*>(bytes), size);
  for (const auto* type : {"detection", "classification", "labels", "transcription"}) {
    try {
      check_results(type, rows, [](std::string_view id) { return id.size() == 1; });
    } catch (const Refused&) {
      continue;
    }
  }
  const std::vector<ResultFile> files{{"detection", rows}, {"classification", rows}};
  for (const Form form : {Form::sound, Form::released}) {
    PostedResults posted;
    posted.rounds[0] = {"notes"};
    try {
      const auto added = added_by_post(posted, 0, files, form);
      posted.rounds[0] = {"detection", "classification"};
      posted.files = {{"detection", added[0]}, {"classification", added[1]}};
      const auto again = added_by_post(posted, 0, files, form);
      if (form == Form::sound && !(again[0].empty() && again[1].empty())) {
        std::abort();  // equal rows are stored once
      }
    } catch (const Refused&) {
      if (form == Form::sound) {
        std::abort();
      }
    }
    const auto metadata = read_metadata(test->metadata, {});
    for (const auto* type : {"classification", "score", "detection"}) {
      for (const auto& ids : {std::vector<std::string>(), std::vector<std::string>{"a", rows}}) {
        try {
          const auto answer =
              give_feedback(*test, metadata, {0.5, true}, posted, {}, type, ids, form);
          if (form == Form::sound && answer.charged > 10) {
            std::abort();
          }
        } catch (const Refused&) {
          continue;
        }
      }
    }
  }
  return 0;
}

}  // namespace tyto
