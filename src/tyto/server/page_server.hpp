// SPDX-License-Identifier: Apache-2.0
// Serves one page and the data it asks for again and again, to this machine alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tyto {

// GET / is the page, GET /data the data, as they were last published, with an ETag: who has them
// already gets 304. Answered by a thread of its own from memory, so that neither a slow reader nor
// the making of newer data holds anybody up. Listens on 127.0.0.1, and refuses requests that name
// another host: a page of somebody else's cannot read the data by way of the browser.
class PageServer {
 public:
  // Port 0: any that is free. Throws Error(io) naming the port if it cannot be had.
  PageServer(std::string page, std::string data, std::uint16_t port);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  // From any thread.
  void publish(std::string page, std::string data);

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string url() const;  // "http://127.0.0.1:8080/"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tyto
