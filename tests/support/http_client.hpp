// SPDX-License-Identifier: Apache-2.0
// Bytes to and from a server on this machine, through a plain socket.
#pragma once

#include <cstdint>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace tyto::testing_support {

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    timeval limit{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }

  ~Client() { ::close(socket_); }

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }

  // As much as the other side takes.
  void send(const std::string& text) const {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t done = ::send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
      if (done <= 0) {
        return;
      }
      at += static_cast<std::size_t>(done);
    }
  }

  void end_sending() const { ::shutdown(socket_, SHUT_WR); }

  // Until the other side ends.
  [[nodiscard]] std::string rest() const {
    std::string out;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(socket_, buffer, sizeof(buffer), 0)) > 0;) {
      out.append(buffer, static_cast<std::size_t>(got));
    }
    return out;
  }

 private:
  int socket_;
  bool connected_ = false;
};

inline std::string fetch(std::uint16_t port, const std::string& target,
                         const std::string& more = "", const std::string& host = "127.0.0.1",
                         const std::string& method = "GET") {
  const Client client(port);
  client.send(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + more +
              "Connection: close\r\n\r\n");
  return client.rest();
}

inline std::string tag_in(const std::string& answer) {
  const auto at = answer.find("ETag: ");
  return at == answer.npos ? "" : answer.substr(at + 6, answer.find("\r\n", at) - at - 6);
}

}  // namespace tyto::testing_support
