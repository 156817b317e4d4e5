// SPDX-License-Identifier: Apache-2.0
// The first line is the content type, the rest the body.
#include "tyto/server/multipart.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "fuzz/entry_points.hpp"

#include "tyto/sail_on/refused.hpp"
#include "tyto/server/wire_request.hpp"

namespace tyto {

int fuzz_multipart(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(bytes), size);
  const std::size_t end = std::min(all.find('\n'), all.size());
  const std::string_view body = all.substr(std::min(end + 1, all.size()));
  const FormParts form = parse_multipart(body, boundary_of(all.substr(0, end)));
  std::size_t held = 0;
  for (const auto& part : form.parts) {
    held += part.content.size();
    const bool inside = part.content.empty() ||
                        (part.content.data() >= body.data() &&
                         part.content.data() + part.content.size() <= body.data() + body.size());
    if (!inside) {
      std::abort();
    }
  }
  if (held > body.size() || (!form.problem.empty() && !form.parts.empty())) {
    std::abort();
  }
  const WireRequest request{"POST", std::string(all.substr(0, end)),
                            std::string(all.substr(0, end)), std::string(body)};
  try {
    const RequestValues values(request);
    static_cast<void>(values.find("configuration"));
    static_cast<void>(values.query("session_id"));
  } catch (const sail_on::Refused&) {
    return 0;
  }
  return 0;
}

}  // namespace tyto
