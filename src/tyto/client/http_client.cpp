// SPDX-License-Identifier: Apache-2.0
#include "tyto/client/http_client.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"

namespace tyto::client {

namespace {

constexpr std::size_t kShownUrl = 300;  // of a target, which may have 12 kB

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != kPlain.npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// A word that stands in no part. The same parts get the same one.
std::string boundary_of(const std::vector<HttpPart>& parts) {
  std::uint64_t key = 0;
  for (const HttpPart& part : parts) {
    key = mix(mix(key, part.name), part.content);
  }
  const auto occurs_in = [&](const std::string& word) {
    return std::any_of(parts.begin(), parts.end(), [&](const HttpPart& part) {
      return part.content.find(word) != part.content.npos;
    });
  };
  std::string word;
  do {
    word = fmt::format("tyto{:016x}", key);
    key = mix(key, "again");
  } while (occurs_in(word));
  return word;
}

// As the public client sends it: a file name that equals the name, no type of its own.
void add_multipart(OutgoingRequest& request, const std::vector<HttpPart>& parts) {
  const std::string boundary = boundary_of(parts);
  request.content_type = "multipart/form-data; boundary=" + boundary;
  for (const HttpPart& part : parts) {
    request.body +=
        fmt::format("--{}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n\r\n",
                    boundary, part.name, part.name);
    request.body += part.content;
    request.body += "\r\n";
  }
  request.body += fmt::format("--{}--\r\n", boundary);
}

OutgoingRequest outgoing(const std::string& base, const HttpCall& call) {
  OutgoingRequest request{call.method, base + call.path, {}, {}};
  char mark = '?';
  for (const auto& [name, value] : call.query) {
    request.url += fmt::format("{}{}={}", mark, percent_encoded(name), percent_encoded(value));
    mark = '&';
  }
  if (!call.parts.empty()) {
    add_multipart(request, call.parts);
  }
  return request;
}

bool is_final(const ServerAnswer& answer) {
  return answer.status < 500 || nlohmann::json::accept(answer.body);
}

}  // namespace

std::string server_url(std::string_view typed) {
  constexpr std::string_view kScheme = "http://";
  const auto refuse = [&](std::string_view why) {
    return Error(
        ErrorKind::config,
        fmt::format("\"{}\" is no address of a server: {}; expected http://HOST:PORT", typed, why));
  };
  std::string_view rest = typed;
  if (rest.starts_with(kScheme)) {
    rest.remove_prefix(kScheme.size());
  } else if (rest.find("://") != rest.npos) {
    throw refuse("only http is spoken");
  }
  while (rest.ends_with('/')) {
    rest.remove_suffix(1);
  }
  const std::string_view host_and_port = rest.substr(0, rest.find('/'));
  const bool odd = std::any_of(rest.begin(), rest.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '?' || c == '#' || c == '@';
  });
  const auto bracket = host_and_port.rfind(']');  // of an IPv6 address
  const auto colon = host_and_port.find(':', bracket == rest.npos ? 0 : bracket);
  if (host_and_port.substr(0, colon).empty() || odd) {
    throw refuse(odd ? "it has a blank, ?, # or @" : "the host is missing");
  }
  if (colon != rest.npos) {
    const auto port = number_in<int>(host_and_port.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) {
      throw refuse("its port is no number from 1 to 65535");
    }
  }
  return std::string(kScheme).append(rest);
}

double pause_after(int tries, const ServerAddress& address, Rng& rng) {
  const double longest =
      std::min(address.longest_pause_s, std::ldexp(address.first_pause_s, tries - 1));
  return longest * (0.5 + 0.5 * rng.uniform());
}

HttpClient::HttpClient(const ServerAddress& address, Progress& progress,
                       std::unique_ptr<Transport> transport)
    : address_(address),
      progress_(&progress),
      rng_(address.seed, "pauses between tries"),
      base_(server_url(address.url)),
      transport_(std::move(transport)) {
  TYTO_ASSERT(address.tries > 0);
}

HttpClient::HttpClient(const ServerAddress& address, Progress& progress)
    : HttpClient(address, progress, client_module().make_transport(address.timeouts, progress)) {}

void HttpClient::pause(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {  // in slices, so that Ctrl-C is heard
    progress_->pulse();
    const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0.0) {
      return;
    }
    std::this_thread::sleep_for(std::min(left, std::chrono::duration<double>(0.05)));
  }
}

HttpReply HttpClient::send(const HttpCall& call) {
  const OutgoingRequest request = outgoing(base_, call);
  HttpReply reply;
  reply.what = fmt::format("{} {:.{}}{}", request.method, request.url, kShownUrl,
                           request.url.size() > kShownUrl ? "..." : "");
  int sent = 0;
  for (reply.tries = 1;; ++reply.tries) {
    progress_->pulse();
    TryOutcome outcome = transport_->exchange(request);
    sent += outcome.sent;
    const bool last = reply.tries == address_.tries;
    if (outcome.answer && (last || is_final(*outcome.answer))) {
      reply.answer = std::move(*outcome.answer);
      reply.repeated = sent > 1;
      return reply;
    }
    if (last) {
      throw Error(ErrorKind::io, fmt::format("{}: no answer in {} {}: {}", reply.what, reply.tries,
                                             reply.tries == 1 ? "try" : "tries", outcome.problem));
    }
    pause(pause_after(reply.tries, address_, rng_));
  }
}

}  // namespace tyto::client
