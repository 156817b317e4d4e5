// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/evaluation_server.hpp"

#include <charconv>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <restinio/all.hpp>
#include <unistd.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// One thread has all sockets: a request that went from thread to thread with every step of its
// connection would cost more in waking them than in answering. Those that wait for the disk are
// given to others, and those that wait together share one turn of it.
constexpr int kWaitingThreads = 16;
constexpr int kSocketThreads = 1;
constexpr std::size_t kLongestTarget = 256U << 10U;
constexpr std::size_t kLongestField = 64U << 10U;
constexpr std::size_t kMostFields = 200;
constexpr std::size_t kLargestBody = 128U << 20U;    // a larger one is answered with a sentence,
constexpr std::uint64_t kLargestRead = 256U << 20U;  // a much larger one not read to its end

using ServerTraits =
    restinio::single_thread_traits_t<restinio::asio_timer_manager_t, restinio::null_logger_t>;

class AccessLog {
 public:
  explicit AccessLog(const std::filesystem::path& path) {
    if (!path.empty()) {
      file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
      if (file_ < 0) {
        throw Error(ErrorKind::io, fmt::format("{}: the log cannot be written", path.string()));
      }
    }
  }

  ~AccessLog() {
    if (file_ >= 0) {
      ::close(file_);
    }
  }

  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void add(const WireRequest& request, const WireAnswer& answer, Clock::duration took) const {
    if (file_ < 0) {
      return;
    }
    const double milliseconds = std::chrono::duration<double, std::milli>(took).count();
    const std::string line =
        fmt::format("{} {} {:.400} {} {} {:.2f} ms\n", time_now(), request.method, request.target,
                    answer.status, answer.body.size(), milliseconds);
    // One write a line: lines of several threads do not mix. A full disk must not stop the server.
    static_cast<void>(!::write(file_, line.data(), line.size()));
  }

 private:
  int file_ = -1;
};

restinio::http_status_line_t status_line(int status) {
  switch (status) {
    case 200: return restinio::status_ok();
    case 204: return restinio::status_no_content();
    case 400: return restinio::status_bad_request();
    case 404: return restinio::status_not_found();
    case 405: return restinio::status_method_not_allowed();
    default: return restinio::status_internal_server_error();
  }
}

restinio::asio_ns::ip::address address_of(const std::string& host) {
  std::error_code problem;
  const auto out =
      restinio::asio_ns::ip::make_address(host == "localhost" ? "127.0.0.1" : host, problem);
  if (problem) {
    throw Error(ErrorKind::config, fmt::format("\"{}\" is not an address to listen at", host));
  }
  return out;
}

}  // namespace

struct EvaluationServer::Impl {
  Impl(const EvaluationOptions& evaluation, const ListenOptions& listening)
      : api(evaluation), log(listening.log), listen(listening) {}

  EvaluationApi api;
  AccessLog log;
  ListenOptions listen;
  restinio::asio_ns::io_context sockets{kSocketThreads};
  // Until the last answer is written, whether or not a connection is open just now.
  restinio::asio_ns::executor_work_guard<restinio::asio_ns::io_context::executor_type> stay{
      sockets.get_executor()};
  std::unique_ptr<restinio::http_server_t<ServerTraits>> server;
  restinio::asio_ns::thread_pool waiting{kWaitingThreads};
  std::thread thread;

  void handle(const restinio::request_handle_t& request, const WireRequest& in) {
    const auto begin = Clock::now();
    WireAnswer out = in.body.size() > kLargestBody
                         ? refusal(400, "RequestTooLarge",
                                   fmt::format("a body may have {} bytes, this one has {}",
                                               kLargestBody, in.body.size()))
                         : api.answer(in);
    log.add(in, out, Clock::now() - begin);
    auto response = request->create_response(status_line(out.status));
    if (!out.content_type.empty()) {
      response.append_header(restinio::http_field::content_type, std::move(out.content_type));
    }
    for (auto& [name, value] : out.headers) {
      response.append_header(name, std::move(value));
    }
    response.set_body(std::move(out.body));
    response.done();
  }

  restinio::request_handling_status_t take(const restinio::request_handle_t& request) {
    WireRequest in;
    in.method = request->header().method().c_str();
    in.target = std::string(request->header().request_target());
    in.content_type = request->header().get_field_or(restinio::http_field::content_type, "");
    in.body = request->body();
    const bool quick = EvaluationApi::is_quick(in);
    const auto work = [this, request, in = std::move(in)] {
      try {
        handle(request, in);
      } catch (const std::exception&) {
        // No memory for an answer: the connection ends without one.
      }
    };
    // A quick one too is answered after this returns, from the queue of the same thread: RESTinio
    // asserts that no answer with `Connection: close` is given while it goes on to a request that
    // came with the one before.
    if (quick) {
      restinio::asio_ns::post(sockets, work);
    } else {
      restinio::asio_ns::post(waiting, work);
    }
    return restinio::request_accepted();
  }

  void open() {
    ::http_parser_set_max_header_size(kLongestTarget + kLongestField);  // else 80 kB in all
    auto settings = restinio::server_settings_t<ServerTraits>()
                        .address(address_of(listen.host))
                        .port(listen.port)
                        .read_next_http_message_timelimit(60s)
                        .write_http_response_timelimit(60s)
                        .handle_request_timeout(600s)
                        .buffer_size(16U << 10U)
                        .incoming_http_msg_limits(restinio::incoming_http_msg_limits_t()
                                                      .max_url_size(kLongestTarget)
                                                      .max_field_name_size(1024)
                                                      .max_field_value_size(kLongestField)
                                                      .max_field_count(kMostFields)
                                                      .max_body_size(kLargestRead))
                        .socket_options_setter([](auto& options) {
                          options.set_option(restinio::asio_ns::ip::tcp::no_delay(true));
                        })
                        .acceptor_post_bind_hook([this](restinio::asio_ns::ip::tcp::acceptor& at) {
                          listen.port = at.local_endpoint().port();
                        })
                        .request_handler([this](const restinio::request_handle_t& request) {
                          return take(request);
                        });
    server = std::make_unique<restinio::http_server_t<ServerTraits>>(
        restinio::external_io_context(sockets), std::move(settings));
    server->open_sync();
    thread = std::thread([this] { sockets.run(); });
  }
};

EvaluationServer::EvaluationServer(const EvaluationOptions& evaluation, const ListenOptions& listen)
    : impl_(std::make_unique<Impl>(evaluation, listen)) {
  try {
    impl_->open();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& problem) {
    throw Error(ErrorKind::io, fmt::format("port {} of {} cannot be had: {}", listen.port,
                                           listen.host, problem.what()));
  }
}

EvaluationServer::~EvaluationServer() {
  restinio::asio_ns::post(impl_->sockets, [impl = impl_.get()] { impl->server->close_sync(); });
  impl_->waiting.join();
  restinio::asio_ns::post(impl_->sockets, [impl = impl_.get()] { impl->sockets.stop(); });
  impl_->thread.join();
}

std::uint16_t EvaluationServer::port() const {
  return impl_->listen.port;
}

std::string EvaluationServer::url() const {
  const bool v6 = impl_->listen.host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}", v6 ? "[" : "", impl_->listen.host, v6 ? "]" : "", port());
}

ListenOptions listen_at(const std::string& text) {
  ListenOptions out;
  const std::size_t colon = text.rfind(':');
  unsigned port = 0;
  const char* begin = text.data() + std::min(colon + 1, text.size());
  const char* end = text.data() + text.size();
  if (colon == text.npos || colon == 0 || begin == end ||
      std::from_chars(begin, end, port).ptr != end || port > 65535) {
    throw Error(ErrorKind::config,
                fmt::format("--listen takes host:port, such as 127.0.0.1:12345, not \"{}\"", text));
  }
  out.host = text.substr(0, colon);
  if (out.host.starts_with('[') && out.host.ends_with(']')) {
    out.host = out.host.substr(1, out.host.size() - 2);
  }
  out.port = static_cast<std::uint16_t>(port);
  return out;
}

}  // namespace tyto
