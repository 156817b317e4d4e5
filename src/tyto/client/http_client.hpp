// SPDX-License-Identifier: Apache-2.0
// Calls to one HTTP server that may be slow, restarting or gone: connections are kept, tries
// bounded in time and number, pauses grow, and Ctrl-C ends any of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/client/transport.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/core/random.hpp"

namespace tyto::client {

struct ServerAddress {
  std::string url;  // "http://127.0.0.1:12345", also without http://
  TransportTimeouts timeouts;
  int tries = 8;  // of a call; with the pauses below a server may be away for about ten seconds
  double first_pause_s = 0.1;    // doubles with every try,
  double longest_pause_s = 5.0;  // up to this; of each, a random share between half and all
  std::uint64_t seed = 0;        // of these shares
};

struct HttpPart {
  std::string name, content;
};

struct HttpCall {
  std::string method, path;                                // "GET", "/session/dataset"
  std::vector<std::pair<std::string, std::string>> query;  // as meant; encoded when sent
  std::vector<HttpPart> parts;                             // of a multipart body; none: no body
};

struct HttpReply {
  ServerAnswer answer;
  bool repeated = false;  // an earlier try of this call may have reached the server
  int tries = 1;
  std::string what;  // "GET http://127.0.0.1:12345/session/dataset?...", for messages
};

// One thread at a time. The progress must live as long.
class HttpClient {
 public:
  // Throws Error(config) for an address that is none.
  HttpClient(const ServerAddress& address, Progress& progress);
  HttpClient(const ServerAddress& address, Progress& progress,
             std::unique_ptr<Transport> transport);

  // Tries again where no whole answer came, or one of 5xx that is not JSON: who answers in JSON
  // means it. Throws Error(io) where the last try brought no answer either.
  HttpReply send(const HttpCall& call);

 private:
  void pause(double seconds);

  ServerAddress address_;
  Progress* progress_;
  Rng rng_;
  std::string base_;  // of every URL, without a slash at its end
  std::unique_ptr<Transport> transport_;
};

// "http://host:port" of what a user typed. Throws Error(config).
std::string server_url(std::string_view typed);

// Seconds to wait after a call's first, second ... try.
double pause_after(int tries, const ServerAddress& address, Rng& rng);

}  // namespace tyto::client
