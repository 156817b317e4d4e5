// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/page_server.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <restinio/all.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

constexpr const char* kAddress = "127.0.0.1";

struct Document {
  std::string bytes, tag;
};

struct Documents {
  std::shared_ptr<const Document> page, data;
};

std::shared_ptr<const Document> document_of(std::string bytes) {
  auto out = std::make_shared<Document>();
  out->bytes = std::move(bytes);
  out->tag = fmt::format("\"{}\"", digest(std::as_bytes(std::span(out->bytes))));
  return out;
}

bool is_this_machine(std::string host) {
  host.erase(std::min(host.find(':'), host.size()));
  std::transform(host.begin(), host.end(), host.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return host == kAddress || host == "localhost";
}

// Whether one of the tags of If-None-Match is this one.
bool holds_tag(std::string_view tags, std::string_view tag) {
  return tags == "*" || tags.find(tag) != tags.npos;
}

using Traits = restinio::default_single_thread_traits_t;

}  // namespace

struct PageServer::Impl {
  std::uint16_t port = 0;
  restinio::asio_ns::io_context work;
  std::unique_ptr<restinio::http_server_t<Traits>> server;
  std::thread thread;

  void publish(Documents newer) {
    const std::lock_guard guard(mutex_);
    documents_ = std::move(newer);
  }

  restinio::request_handling_status_t answer(const restinio::request_handle_t& request) const {
    const auto& header = request->header();
    if (!is_this_machine(header.get_field_or(restinio::http_field::host, ""))) {
      return plain(request, restinio::status_forbidden(),
                   "this page is served to 127.0.0.1 and localhost alone\n");
    }
    if (header.method() != restinio::http_method_get()) {
      return plain(request, restinio::status_method_not_allowed(), "GET is the one method here\n");
    }
    const std::string_view target(header.path().data(), header.path().size());
    if (target == "/") {
      return send(request, documents().page, "text/html; charset=utf-8");
    }
    if (target == "/data") {
      return send(request, documents().data, "application/octet-stream");
    }
    return plain(request, restinio::status_not_found(), "there are / and /data\n");
  }

 private:
  [[nodiscard]] Documents documents() const {
    const std::lock_guard guard(mutex_);
    return documents_;
  }

  static restinio::request_handling_status_t plain(const restinio::request_handle_t& request,
                                                   restinio::http_status_line_t status,
                                                   std::string text) {
    return request->create_response(std::move(status))
        .append_header(restinio::http_field::content_type, "text/plain; charset=utf-8")
        .set_body(std::move(text))
        .done();
  }

  static restinio::request_handling_status_t send(const restinio::request_handle_t& request,
                                                  const std::shared_ptr<const Document>& document,
                                                  std::string type) {
    const std::string known =
        request->header().get_field_or(restinio::http_field::if_none_match, "");
    const bool unchanged = holds_tag(known, document->tag);
    auto response = request->create_response(unchanged ? restinio::status_not_modified()
                                                       : restinio::status_ok());
    response.append_header(restinio::http_field::etag, document->tag)
        .append_header(restinio::http_field::cache_control, "no-cache")
        .append_header("X-Content-Type-Options", "nosniff");
    if (!unchanged) {
      response.append_header(restinio::http_field::content_type, std::move(type));
      // The bytes live as long as the answer is being written, without a copy.
      response.set_body(std::shared_ptr<const std::string>(document, &document->bytes));
    }
    return response.done();
  }

  mutable std::mutex mutex_;
  Documents documents_;
};

PageServer::PageServer(std::string page, std::string data, std::uint16_t port)
    : impl_(std::make_unique<Impl>()) {
  publish(std::move(page), std::move(data));
  auto settings =
      restinio::server_settings_t<Traits>()
          .address(kAddress)
          .port(port)
          .incoming_http_msg_limits(
              restinio::incoming_http_msg_limits_t().max_url_size(1024).max_body_size(1024))
          .acceptor_post_bind_hook([impl = impl_.get()](restinio::asio_ns::ip::tcp::acceptor& at) {
            impl->port = at.local_endpoint().port();
          })
          .request_handler([impl = impl_.get()](const restinio::request_handle_t& request) {
            return impl->answer(request);
          });
  try {
    impl_->server = std::make_unique<restinio::http_server_t<Traits>>(
        restinio::external_io_context(impl_->work), std::move(settings));
    impl_->server->open_sync();
  } catch (const std::exception& problem) {
    throw Error(ErrorKind::io,
                fmt::format("port {} of {} cannot be had: {}", port, kAddress, problem.what()));
  }
  impl_->thread = std::thread([impl = impl_.get()] { impl->work.run(); });
}

PageServer::~PageServer() {
  restinio::asio_ns::post(impl_->work, [impl = impl_.get()] {
    impl->server->close_sync();
    impl->work.stop();
  });
  impl_->thread.join();
}

void PageServer::publish(std::string page, std::string data) {
  impl_->publish({document_of(std::move(page)), document_of(std::move(data))});
}

std::uint16_t PageServer::port() const {
  return impl_->port;
}

std::string PageServer::url() const {
  return fmt::format("http://{}:{}/", kAddress, impl_->port);
}

}  // namespace tyto
