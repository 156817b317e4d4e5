// SPDX-License-Identifier: Apache-2.0
// An HTTP server on this machine that does what a test says, also what no good server does, and
// keeps every request it got.
#pragma once

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tyto::testing_support {

struct SeenPart {
  std::string name, filename, content;
  bool typed = false;  // has a content type of its own
};

struct SeenRequest {
  std::string method, target, body;
  std::map<std::string, std::string> headers;  // names in small letters
  int connection = 0;                          // from 1, in the order they were made

  [[nodiscard]] std::string path() const { return target.substr(0, target.find('?')); }

  [[nodiscard]] std::map<std::string, std::string> query() const {
    std::map<std::string, std::string> out;
    std::string_view rest = target;
    const auto mark = rest.find('?');
    rest.remove_prefix(mark == rest.npos ? rest.size() : mark + 1);
    while (!rest.empty()) {
      const std::string_view item = rest.substr(0, rest.find('&'));
      const auto equal = item.find('=');
      out[decoded(item.substr(0, equal))] = decoded(item.substr(equal + 1));
      rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    }
    return out;
  }

  [[nodiscard]] std::vector<SeenPart> parts() const {
    std::vector<SeenPart> out;
    const auto type = headers.find("content-type");
    if (type == headers.end() || type->second.find("boundary=") == std::string::npos) {
      return out;
    }
    const std::string mark = "--" + type->second.substr(type->second.find("boundary=") + 9);
    for (auto at = body.find(mark); at != body.npos;) {
      const auto next = body.find("\r\n" + mark, at);
      if (next == body.npos) {
        break;
      }
      const std::string part = body.substr(at + mark.size() + 2, next - at - mark.size() - 2);
      const auto blank = part.find("\r\n\r\n");
      const std::string head = part.substr(0, blank);
      out.push_back({quoted_after(head, " name="), quoted_after(head, "filename="),
                     part.substr(blank + 4), head.find("Content-Type") != head.npos});
      at = next + 2;
    }
    return out;
  }

  static std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '%' && i + 2 < text.size()) {
        out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
        i += 2;
      } else {
        out += text[i];
      }
    }
    return out;
  }

 private:
  static std::string quoted_after(const std::string& head, const std::string& name) {
    const auto at = head.find(name + "\"");
    const auto begin = at + name.size() + 1;
    return at == head.npos ? "" : head.substr(begin, head.find('"', begin) - begin);
  }
};

struct Reaction {
  std::string bytes;   // sent as they are
  bool close = false;  // then the connection is closed; otherwise kept, and nothing more said
};

inline Reaction answer(int status, std::string_view body, std::string_view type = "text/html") {
  return {"HTTP/1.1 " + std::to_string(status) + " WORD\r\nContent-Type: " + std::string(type) +
              "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body),
          false};
}

inline Reaction answer_json(int status, std::string_view body) {
  return answer(status, body, "application/json");
}

inline Reaction refuse(int status, const std::string& reason, const std::string& message = "no") {
  return answer_json(status, "{\"message\":\"" + message + "\",\"reason\":\"" + reason +
                                 "\",\"stack_trace\":\"\"}\n");
}

inline Reaction drop() {
  return {"", true};
}

inline Reaction never_answer() {
  return {"", false};
}

inline Reaction half_an_answer() {
  return {"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this", true};
}

class ScriptedServer {
 public:
  using Script = std::function<Reaction(const SeenRequest&)>;

  explicit ScriptedServer(Script script) : script_(std::move(script)) {
    listening_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    ::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    ::listen(listening_, 16);
    socklen_t size = sizeof(address);
    ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    if (::pipe(wake_) == 0) {
      thread_ = std::thread([this] { serve(); });
    }
  }

  // Reacts in this order; the last reaction serves all that follow.
  explicit ScriptedServer(std::vector<Reaction> reactions)
      : ScriptedServer(
            [reactions = std::move(reactions), at = std::size_t{0}](const SeenRequest&) mutable {
              return reactions[std::min(at++, reactions.size() - 1)];
            }) {}

  ~ScriptedServer() {
    ::close(wake_[1]);
    thread_.join();
    ::close(wake_[0]);
    ::close(listening_);
  }

  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  [[nodiscard]] std::vector<SeenRequest> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  struct Connection {
    int socket, number;
    std::string received;
  };

  void serve() {
    std::vector<Connection> open;
    for (int made = 0;;) {
      std::vector<pollfd> waiting{{wake_[0], POLLIN, 0}, {listening_, POLLIN, 0}};
      for (const Connection& connection : open) {
        waiting.push_back({connection.socket, POLLIN, 0});
      }
      ::poll(waiting.data(), waiting.size(), -1);
      if (waiting[0].revents != 0) {
        break;
      }
      for (std::size_t i = open.size(); i-- > 0;) {
        if (waiting[i + 2].revents != 0 && !attend(open[i])) {
          ::close(open[i].socket);
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      if (waiting[1].revents != 0) {
        open.push_back({::accept(listening_, nullptr, nullptr), ++made, ""});
      }
    }
    for (const Connection& connection : open) {
      ::close(connection.socket);
    }
  }

  // False: the connection is to be closed.
  bool attend(Connection& connection) {
    char buffer[65536];
    const ssize_t got = ::recv(connection.socket, buffer, sizeof(buffer), 0);
    if (got <= 0) {
      return false;
    }
    connection.received.append(buffer, static_cast<std::size_t>(got));
    SeenRequest request;
    if (!parse(connection.received, request)) {
      return true;
    }
    connection.received.clear();
    request.connection = connection.number;
    const Reaction reaction = script_(request);
    {
      const std::lock_guard lock(mutex_);
      seen_.push_back(std::move(request));
    }
    for (std::string_view left = reaction.bytes; !left.empty();) {
      const ssize_t sent = ::send(connection.socket, left.data(), left.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return false;
      }
      left.remove_prefix(static_cast<std::size_t>(sent));
    }
    return !reaction.close;
  }

  static bool parse(const std::string& text, SeenRequest& request) {
    const auto end = text.find("\r\n\r\n");
    if (end == text.npos) {
      return false;
    }
    std::string head = text.substr(0, end + 2);
    const auto blank = head.find(' ');
    request.method = head.substr(0, blank);
    request.target = head.substr(blank + 1, head.find(' ', blank + 1) - blank - 1);
    for (auto at = head.find("\r\n") + 2; at < head.size();) {
      const auto line_end = head.find("\r\n", at);
      const auto colon = head.find(": ", at);
      std::string name = head.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      request.headers[name] = head.substr(colon + 2, line_end - colon - 2);
      at = line_end + 2;
    }
    const auto length = request.headers.find("content-length");
    request.body = text.substr(end + 4);
    return length == request.headers.end() || request.body.size() >= std::stoul(length->second);
  }

  Script script_;
  int listening_ = -1, port_ = 0;
  int wake_[2] = {-1, -1};
  mutable std::mutex mutex_;
  std::vector<SeenRequest> seen_;
  std::thread thread_;
};

}  // namespace tyto::testing_support
