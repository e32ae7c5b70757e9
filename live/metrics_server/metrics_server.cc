// SPDX-License-Identifier: Apache-2.0
#include "live/metrics_server/metrics_server.h"

#include <chrono>
#include <mutex>
#include <utility>

#include "http/http_server.h"

namespace gordian {
namespace {

// One who scrapes takes one connection; the rest is for those who look by hand. An answer is at
// hand, so one thread gives them all.
constexpr HttpLimits kLimits = {.most_connections = 16,
                                .most_head_bytes = kMostMetricsHeadBytes,
                                .patience = std::chrono::seconds(5),
                                .workers = 1};

}  // namespace

// The page that is answered now. Written by one thread, read by another.
class MetricsServer::PublishedPage {
 public:
  void Set(MetricsPage page) {
    const std::lock_guard lock(mutex_);
    page_ = std::move(page);
  }
  MetricsPage Get() const {
    const std::lock_guard lock(mutex_);
    return page_;
  }

 private:
  static std::shared_ptr<const std::string> Nothing() {
    return std::make_shared<const std::string>();
  }
  mutable std::mutex mutex_;
  MetricsPage page_ = {.open_metrics = Nothing(), .text = Nothing(), .healthy_until = {}};
};

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Listen(const ListenAddress& address) {
  auto server = HttpServer::Listen(address, kLimits);
  if (!server.ok()) return server.status();
  return std::unique_ptr<MetricsServer>(new MetricsServer(*std::move(server)));
}

MetricsServer::MetricsServer(std::unique_ptr<HttpServer> server)
    : page_(std::make_unique<PublishedPage>()), server_(std::move(server)) {
  server_->Start([page = page_.get(), is_loopback = server_->address().is_loopback()](
                     const HttpRequestHead& head, const std::function<bool()>& /*stop_asked*/) {
    return AnswerWithMetrics(head, page->Get(), is_loopback, std::chrono::steady_clock::now());
  });
}

MetricsServer::~MetricsServer() = default;

void MetricsServer::Publish(MetricsPage page) { page_->Set(std::move(page)); }

}  // namespace gordian
