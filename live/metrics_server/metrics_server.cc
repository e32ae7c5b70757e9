// SPDX-License-Identifier: Apache-2.0
#include "live/metrics_server/metrics_server.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;

constexpr size_t kMostConnections = 16;
constexpr auto kPatience = std::chrono::seconds(5);  // for a request's head, and for its answer
constexpr auto kPauseAfterFailure = std::chrono::milliseconds(100);

// The page that is answered now. Written by one thread, read by another.
class PublishedPage {
 public:
  void Set(MetricsPage page) {
    auto made = std::make_shared<const MetricsPage>(std::move(page));
    const std::lock_guard lock(mutex_);
    page_ = std::move(made);
  }
  std::shared_ptr<const MetricsPage> Get() const {
    const std::lock_guard lock(mutex_);
    return page_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const MetricsPage> page_ = std::make_shared<const MetricsPage>();
};

// One request and its answer. Lives while an operation of it is under way; each has its end, as the
// stream's time runs out.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const PublishedPage& page, bool is_loopback)
      : stream_(std::move(socket)), page_(page), is_loopback_(is_loopback) {}

  void Start() {
    stream_.expires_after(kPatience);
    asio::async_read_until(
        stream_, asio::dynamic_buffer(head_, kMaxRequestHeadBytes), "\r\n\r\n",
        [self = shared_from_this()](Error error, size_t size) { self->Answer(error, size); });
  }
  void Close() { stream_.close(); }

 private:
  void Answer(Error error, size_t head_size) {
    const bool is_too_long = error == asio::error::not_found;
    if (error && !is_too_long) return Close();
    answer_ = is_too_long ? AnswerToLongHead()
                          : AnswerTo(std::string_view(head_).substr(0, head_size), *page_.Get(),
                                     is_loopback_, std::chrono::steady_clock::now());
    stream_.expires_after(kPatience);
    asio::async_write(stream_, asio::buffer(answer_),
                      [self = shared_from_this()](Error /*error*/, size_t /*size*/) {
                        Error ignored;
                        self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                        self->Close();
                      });
  }

  boost::beast::tcp_stream stream_;
  const PublishedPage& page_;
  bool is_loopback_;
  std::string head_;
  std::string answer_;
};

}  // namespace

class MetricsServer::Impl {
 public:
  absl::Status Open(const ListenAddress& address) {
    Error error;
    const tcp::endpoint endpoint(asio::ip::make_address(address.host, error), address.port);
    if (!error) acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      return absl::UnavailableError(
          absl::StrCat("cannot listen at ", address.Text(), ": ", error.message()));
    is_loopback_ = address.is_loopback();
    return absl::OkStatus();
  }

  uint16_t port() const {
    Error error;
    return acceptor_.local_endpoint(error).port();
  }

  void Start() {
    AcceptNext();
    thread_ = std::thread([this] { context_.run(); });
  }

  ~Impl() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  PublishedPage& page() { return page_; }

 private:
  void AcceptNext() {
    acceptor_.async_accept([this](Error error, tcp::socket socket) {
      if (error) return PauseAfterFailure();
      Take(std::move(socket));
      AcceptNext();
    });
  }

  // There may be no descriptors left for a while: no reason to spin or to end.
  void PauseAfterFailure() {
    pause_.expires_after(kPauseAfterFailure);
    pause_.async_wait([this](Error /*error*/) { AcceptNext(); });
  }

  void Take(tcp::socket socket) {
    std::erase_if(connections_, [](const auto& connection) { return connection.expired(); });
    if (connections_.size() >= kMostConnections) {
      if (const auto oldest = connections_.front().lock()) oldest->Close();
      connections_.pop_front();
    }
    const auto connection = std::make_shared<Connection>(std::move(socket), page_, is_loopback_);
    connections_.push_back(connection);
    connection->Start();
  }

  PublishedPage page_;
  bool is_loopback_ = true;
  std::deque<std::weak_ptr<Connection>> connections_;  // oldest first
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer pause_{context_};
  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Listen(const ListenAddress& address) {
  auto impl = std::make_unique<Impl>();
  if (const absl::Status opened = impl->Open(address); !opened.ok()) return opened;
  ListenAddress got = address;
  got.port = impl->port();
  impl->Start();
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(got), std::move(impl)));
}

MetricsServer::MetricsServer(ListenAddress address, std::unique_ptr<Impl> impl)
    : address_(std::move(address)), impl_(std::move(impl)) {}

MetricsServer::~MetricsServer() = default;

void MetricsServer::Publish(MetricsPage page) { impl_->page().Set(std::move(page)); }

}  // namespace gordian
