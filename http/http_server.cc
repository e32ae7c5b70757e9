// SPDX-License-Identifier: Apache-2.0
// All of Boost.Beast that HTTP takes: no other file includes it.
#include "http/http_server.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/write.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using HttpError = boost::system::error_code;
using std::chrono::steady_clock;

constexpr auto kPauseAfterRefusal = std::chrono::milliseconds(100);

std::string TextOf(boost::beast::string_view text) { return {text.data(), text.size()}; }

HttpRequestHead HeadOf(const http::request<http::empty_body>& request) {
  return {.method = TextOf(request.method_string()),
          .target = TextOf(request.target()),
          .host = TextOf(request[http::field::host]),
          .origin = TextOf(request[http::field::origin]),
          .fetch_site = TextOf(request["Sec-Fetch-Site"]),
          .accept = TextOf(request[http::field::accept]),
          .cookie = TextOf(request[http::field::cookie]),
          .authorization = TextOf(request[http::field::authorization]),
          .hosts = static_cast<int>(request.count(http::field::host))};
}

HttpAnswer PlainAnswer(http::status status, const char* line) {
  return {.status = static_cast<unsigned>(status),
          .content_type = "text/plain; charset=utf-8",
          .body = std::make_shared<const std::string>(line)};
}

HttpAnswer AnswerToUnreadable(HttpError error) {
  if (error == http::error::header_limit)
    return PlainAnswer(http::status::request_header_fields_too_large,
                       "the request's head is too long\n");
  if (error == http::error::body_limit)
    return PlainAnswer(http::status::payload_too_large, "a request has no body here\n");
  return PlainAnswer(http::status::bad_request, "this is no HTTP request\n");
}

// Threads that work off tasks, in their order.
class Workers {
 public:
  explicit Workers(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Work(); });
  }
  ~Workers() {
    StopWithin(std::chrono::milliseconds(0));
    for (std::thread& thread : threads_) thread.join();
  }
  void Add(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    if (stops_) return;
    tasks_.push_back(std::move(task));
    changed_.notify_one();
  }
  // Those not begun are dropped.
  bool StopWithin(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    stops_ = true;
    tasks_.clear();
    changed_.notify_all();
    return idle_.wait_for(lock, longest, [this] { return working_ == 0; });
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stops_ || !tasks_.empty(); });
      if (stops_) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      ++working_;
      lock.unlock();
      task();
      lock.lock();
      --working_;
      idle_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> tasks_;
  int working_ = 0;
  bool stops_ = false;
  std::vector<std::thread> threads_;
};

// What connections share.
struct Shared {
  HttpLimits limits;
  HttpServer::Answer answer;
  std::atomic<bool> stops = false;
  asio::io_context context{1};
  std::optional<Workers> workers;  // its threads use all above
};

// One browser's connection: a request after the other. All of it happens in the context's thread
// except that a worker makes the answer. It lives as long as an operation of it is under way.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), shared_(shared) {}

  void Start() { ReadNext(); }
  void Close() {
    HttpError ignored;
    stream_.socket().close(ignored);
    *gone_ = true;
  }
  bool is_busy() const { return is_busy_; }
  steady_clock::time_point heard() const { return heard_; }

 private:
  using Response = http::response<http::span_body<const char>>;

  void ReadNext() {
    is_busy_ = false;
    heard_ = steady_clock::now();
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(shared_.limits.most_head_bytes));
    parser_->body_limit(0);
    stream_.expires_after(shared_.limits.patience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](HttpError error, size_t /*size*/) {
                       self->TakeRequest(error);
                     });
  }

  void TakeRequest(HttpError error) {
    is_busy_ = true;
    if (error == http::error::end_of_stream || error == boost::beast::error::timeout ||
        error == asio::error::operation_aborted || error == asio::error::connection_reset)
      return Close();
    if (error) {
      keep_alive_ = false;
      is_head_only_ = false;
      version_ = 11;
      return Write(AnswerToUnreadable(error));
    }
    const auto& request = parser_->get();
    keep_alive_ = request.keep_alive();
    is_head_only_ = request.method() == http::verb::head;
    version_ = request.version();
    stream_.expires_never();
    WatchForEnd();
    const auto until = steady_clock::now() + shared_.limits.longest_answer;
    shared_.workers->Add([self = shared_from_this(), head = HeadOf(request), gone = gone_, until] {
      Shared& shared = self->shared_;
      HttpAnswer answer = shared.answer(head, [&shared, gone, until] {
        return *gone || shared.stops || steady_clock::now() > until;
      });
      asio::post(shared.context,
                 [self, answer = std::move(answer)]() mutable { self->Write(std::move(answer)); });
    });
  }

  // While the answer is made: a connection that can be read, and has nothing, was closed.
  void WatchForEnd() {
    stream_.socket().async_wait(tcp::socket::wait_read,
                                [self = shared_from_this(), gone = gone_](HttpError error) {
                                  if (error) return;
                                  HttpError ignored;
                                  if (self->stream_.socket().available(ignored) == 0) *gone = true;
                                });
  }

  void Write(HttpAnswer answer) {
    if (*gone_) return Close();
    HttpError ignored;
    stream_.socket().cancel(ignored);  // ends the watch
    answer_ = std::move(answer);
    response_.emplace(http::int_to_status(answer_.status), version_);
    if (!answer_.content_type.empty())
      response_->set(http::field::content_type, answer_.content_type);
    for (const auto& [name, value] : answer_.fields) response_->set(name, value);
    const size_t size = answer_.body == nullptr ? 0 : answer_.body->size();
    response_->keep_alive(keep_alive_);
    response_->content_length(size);
    if (size > 0 && !is_head_only_) response_->body() = {answer_.body->data(), size};
    serializer_.emplace(*response_);
    if (is_head_only_) serializer_->split(true);
    WritePart();
  }

  // In parts, each with a time of its own: a slow line is no reason to give up, a silent one is.
  void WritePart() {
    stream_.expires_after(shared_.limits.patience);
    http::async_write_some(
        stream_, *serializer_,
        [self = shared_from_this()](HttpError error, size_t /*size*/) { self->AfterPart(error); });
  }

  void AfterPart(HttpError error) {
    if (error) return Close();
    const bool is_done = is_head_only_ ? serializer_->is_header_done() : serializer_->is_done();
    if (!is_done) return WritePart();
    serializer_.reset();
    response_.reset();
    answer_ = {};
    if (keep_alive_ && !shared_.stops) return ReadNext();
    HttpError ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    Close();
  }

  boost::beast::tcp_stream stream_;
  Shared& shared_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  HttpAnswer answer_;
  std::optional<Response> response_;
  std::optional<http::response_serializer<http::span_body<const char>>> serializer_;
  std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
  bool keep_alive_ = false;
  bool is_head_only_ = false;
  unsigned version_ = 11;
  bool is_busy_ = false;
  steady_clock::time_point heard_;
};

}  // namespace

class HttpServer::Impl {
 public:
  explicit Impl(const HttpLimits& limits) { shared_.limits = limits; }

  absl::Status Open(const ListenAddress& address) {
    HttpError error;
    const tcp::endpoint endpoint(asio::ip::make_address(address.host, error), address.port);
    if (!error) acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      return absl::UnavailableError(
          absl::StrCat("cannot listen at ", address.Text(), ": ", error.message()));
    return absl::OkStatus();
  }

  uint16_t port() const {
    HttpError error;
    return acceptor_.local_endpoint(error).port();
  }

  void Start(HttpServer::Answer answer) {
    shared_.answer = std::move(answer);
    shared_.workers.emplace(shared_.limits.workers);
    AcceptNext();
    thread_ = std::thread([this] { shared_.context.run(); });
  }

  bool StopWithin(std::chrono::milliseconds longest) {
    shared_.stops = true;
    const bool is_idle = !shared_.workers || shared_.workers->StopWithin(longest);
    shared_.context.stop();
    if (thread_.joinable()) thread_.join();
    return is_idle;
  }

  ~Impl() {
    StopWithin(std::chrono::milliseconds(0));
    shared_.workers.reset();
  }

 private:
  void AcceptNext() {
    acceptor_.async_accept([this](HttpError error, tcp::socket socket) {
      if (error) return PauseAfterRefusal();
      Take(std::move(socket));
      AcceptNext();
    });
  }

  // There may be no descriptors left for a while: no reason to spin or to end.
  void PauseAfterRefusal() {
    pause_.expires_after(kPauseAfterRefusal);
    pause_.async_wait([this](HttpError /*error*/) { AcceptNext(); });
  }

  void Take(tcp::socket socket) {
    std::erase_if(connections_, [](const auto& connection) { return connection.expired(); });
    if (connections_.size() >= shared_.limits.most_connections && !CloseSilent())
      return;  // all of them are being answered: the new one is closed
    const auto connection = std::make_shared<HttpConnection>(std::move(socket), shared_);
    connections_.push_back(connection);
    connection->Start();
  }

  bool CloseSilent() {
    std::shared_ptr<HttpConnection> silent;
    for (const auto& one : connections_) {
      const auto connection = one.lock();
      if (connection != nullptr && !connection->is_busy() &&
          (silent == nullptr || connection->heard() < silent->heard()))
        silent = connection;
    }
    if (silent == nullptr) return false;
    silent->Close();
    std::erase_if(connections_, [&](const auto& one) { return one.lock() == silent; });
    return true;
  }

  Shared shared_;
  tcp::acceptor acceptor_{shared_.context};
  asio::steady_timer pause_{shared_.context};
  std::vector<std::weak_ptr<HttpConnection>> connections_;
  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Listen(const ListenAddress& address,
                                                               const HttpLimits& limits) {
  auto impl = std::make_unique<Impl>(limits);
  if (const absl::Status opened = impl->Open(address); !opened.ok()) return opened;
  ListenAddress got = address;
  got.port = impl->port();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(got), std::move(impl)));
}

HttpServer::HttpServer(ListenAddress address, std::unique_ptr<Impl> impl)
    : address_(std::move(address)), impl_(std::move(impl)) {}

HttpServer::~HttpServer() = default;

void HttpServer::Start(Answer answer) { impl_->Start(std::move(answer)); }

bool HttpServer::StopWithin(std::chrono::milliseconds longest) {
  return impl_->StopWithin(longest);
}

}  // namespace gordian
