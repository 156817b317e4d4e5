// SPDX-License-Identifier: Apache-2.0
// The evaluation protocol over HTTP.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "tyto/server/evaluation_api.hpp"

namespace tyto {

struct ListenOptions {
  std::string host = "127.0.0.1";  // a number, or localhost
  std::uint16_t port = 12345;      // 0: any that is free
  std::filesystem::path log;       // one line a request is appended; "": none
};

// Answers from construction to destruction: quick requests by the thread that has the sockets, all
// others by those of a pool. What is in work when it is destroyed is finished first.
class EvaluationServer {
 public:
  // Throws Error where a folder, the log or the port cannot be had.
  EvaluationServer(const EvaluationOptions& evaluation, const ListenOptions& listen);
  ~EvaluationServer();
  EvaluationServer(const EvaluationServer&) = delete;
  EvaluationServer& operator=(const EvaluationServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:12345"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "host:port" taken apart. Throws Error(config) where it is not that.
ListenOptions listen_at(const std::string& text);

}  // namespace tyto
