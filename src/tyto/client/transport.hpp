// SPDX-License-Identifier: Apache-2.0
// The door to libtyto_client.so, which alone links libcurl and is opened when a server is first
// called. One try of one request; who tries again, and when, is HttpClient's business.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tyto/core/progress.hpp"

namespace tyto::client {

struct OutgoingRequest {
  std::string method, url;
  std::string content_type, body;  // no type: no body. A GET may have one
};

struct ServerAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in small letters
  std::string body;
};

struct TryOutcome {
  std::optional<ServerAnswer> answer;  // whole; none where the connection or the time ended before
  std::string problem;                 // why there is none
  // How often the request went out, at least in part. 2: a kept connection had died under the
  // first, and the library repeated it by itself. 0: nobody can have seen it.
  int sent = 0;
};

struct TransportTimeouts {
  double connect_s = 5.0;
  double whole_s = 60.0;  // of a try, the connection included
};

// Keeps connections for the next request. One thread at a time.
struct Transport : Interface {
  virtual TryOutcome exchange(const OutgoingRequest& request) = 0;
};

struct ClientModule : Interface {
  // The progress is asked again and again while an answer is awaited, and may throw.
  [[nodiscard]] virtual std::unique_ptr<Transport> make_transport(const TransportTimeouts& timeouts,
                                                                  Progress& progress) const = 0;
};

// Opens the module beside libtyto.so on the first call and keeps it. Thread safe. Throws Error(io)
// naming the file where it is missing or does not fit.
const ClientModule& client_module();

}  // namespace tyto::client
