// SPDX-License-Identifier: Apache-2.0
// libtyto_client.so: the only file that includes libcurl.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <exception>
#include <string_view>

#include <curl/curl.h>
#include <fmt/format.h>

#include "tyto/client/transport.hpp"
#include "tyto/core/build_info.hpp"
#include "tyto/core/error.hpp"

namespace tyto::client {

namespace {

constexpr std::size_t kLongestBody = std::size_t{1} << 28;

struct EasyCleanup {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

struct ListCleanup {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

long milliseconds(double seconds) {
  return std::max(1L, std::lround(seconds * 1e3));
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == text.npos ? std::string_view{}
                            : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// One try: what libcurl's functions below write into while it lasts.
class Try {
 public:
  explicit Try(Progress& progress) : progress_(&progress) {}

  ServerAnswer answer;
  int sent = 0;
  std::string refused;         // why the answer was not taken
  std::exception_ptr stopped;  // thrown below libcurl, to be thrown again above it

  // Runs `body` for libcurl, through which nothing may be thrown. False: it threw.
  template <class Body>
  bool guarded(const Body& body) noexcept {
    try {
      body();
      return true;
    } catch (...) {
      stopped = std::current_exception();
      return false;
    }
  }

  static std::size_t on_header(char* data, std::size_t, std::size_t size, void* self) {
    auto& call = *static_cast<Try*>(self);
    return call.guarded([&] { call.take_header({data, size}); }) ? size : 0;
  }

  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* self) {
    auto& call = *static_cast<Try*>(self);
    if (call.answer.body.size() + size > kLongestBody) {
      call.refused = fmt::format("the answer is longer than {} MiB", kLongestBody >> 20);
      return 0;
    }
    return call.guarded([&] { call.answer.body.append(data, size); }) ? size : 0;
  }

  static int on_wait(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& call = *static_cast<Try*>(self);
    return call.guarded([&] { call.progress_->pulse(); }) ? 0 : 1;
  }

  static int on_sending(void* self, char*, char*, int, int) {
    ++static_cast<Try*>(self)->sent;
    return CURL_PREREQFUNC_OK;
  }

 private:
  void take_header(std::string_view line) {
    if (line.starts_with("HTTP/")) {  // of the last answer, after 100 Continue and its like
      answer.headers.clear();
      return;
    }
    const auto colon = line.find(':');
    if (colon != line.npos) {
      std::string name(trimmed(line.substr(0, colon)));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      answer.headers.emplace_back(std::move(name), trimmed(line.substr(colon + 1)));
    }
  }

  Progress* progress_;
};

class CurlTransport final : public Transport {
 public:
  CurlTransport(const TransportTimeouts& timeouts, Progress& progress)
      : timeouts_(timeouts), progress_(&progress), handle_(curl_easy_init()) {
    if (handle_ == nullptr) {
      throw Error(ErrorKind::io, "libcurl cannot be started");
    }
  }

  TryOutcome exchange(const OutgoingRequest& request) override {
    Try call(*progress_);
    std::array<char, CURL_ERROR_SIZE> detail{};
    curl_easy_reset(handle_.get());  // connections stay
    std::unique_ptr<curl_slist, ListCleanup> headers;
    const auto add_header = [&](const std::string& line) {
      headers.reset(curl_slist_append(headers.release(), line.c_str()));
    };
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_PROTOCOLS_STR, "http");
    set(CURLOPT_PROXY, "");     // what the environment says of proxies does not matter
    set(CURLOPT_NOSIGNAL, 1L);  // signals are Progress' business
    set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(timeouts_.connect_s));
    set(CURLOPT_TIMEOUT_MS, milliseconds(timeouts_.whole_s));
    set(CURLOPT_USERAGENT, user_agent_.c_str());
    set(CURLOPT_ERRORBUFFER, detail.data());
    if (!request.content_type.empty()) {
      set(CURLOPT_POSTFIELDS, request.body.data());
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      add_header("Content-Type: " + request.content_type);
      add_header("Expect:");  // who asks first waits a second for servers that do not answer that
    }
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_HEADERFUNCTION, &Try::on_header);
    set(CURLOPT_HEADERDATA, &call);
    set(CURLOPT_WRITEFUNCTION, &Try::on_body);
    set(CURLOPT_WRITEDATA, &call);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Try::on_wait);
    set(CURLOPT_XFERINFODATA, &call);
    set(CURLOPT_PREREQFUNCTION, &Try::on_sending);
    set(CURLOPT_PREREQDATA, &call);
    const CURLcode code = curl_easy_perform(handle_.get());
    if (call.stopped) {
      std::rethrow_exception(call.stopped);
    }
    TryOutcome outcome;
    outcome.sent = call.sent;
    if (code == CURLE_OK) {
      long status = 0;
      curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
      call.answer.status = static_cast<int>(status);
      outcome.answer = std::move(call.answer);
    } else {
      outcome.problem = !call.refused.empty() ? call.refused
                        : detail[0] != '\0'   ? detail.data()
                                              : curl_easy_strerror(code);
    }
    return outcome;
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    if (const CURLcode code = curl_easy_setopt(handle_.get(), option, value); code != CURLE_OK) {
      throw Error(ErrorKind::io, fmt::format("libcurl refuses option {}: {}",
                                             static_cast<int>(option), curl_easy_strerror(code)));
    }
  }

  TransportTimeouts timeouts_;
  Progress* progress_;
  std::string user_agent_ = "tyto/" + build_info().version;
  std::unique_ptr<CURL, EasyCleanup> handle_;
};

struct CurlModule final : ClientModule {
  CurlModule() { curl_global_init(CURL_GLOBAL_NOTHING); }

  [[nodiscard]] std::unique_ptr<Transport> make_transport(const TransportTimeouts& timeouts,
                                                          Progress& progress) const override {
    return std::make_unique<CurlTransport>(timeouts, progress);
  }
};

}  // namespace

}  // namespace tyto::client

extern "C" const tyto::client::ClientModule* tyto_client_module() {
  static const tyto::client::CurlModule module;
  return &module;
}
