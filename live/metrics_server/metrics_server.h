// SPDX-License-Identifier: Apache-2.0
// Metrics over HTTP, for Prometheus and its kin: GET /metrics, and /healthz for a supervisor.
//
//   auto server = MetricsServer::Listen(*ParseListenAddress("127.0.0.1:9464"));
//   (*server)->Publish({.open_metrics = …, .text = …, .healthy_until = …});  // with each frame
//
// Threads of its own answer; nobody who asks holds up the one who publishes. It reads nothing but
// heads of requests, of 8 KiB at most, each within 5 s. Beyond 16 connections the one that has been
// silent longest is closed. There is no secret in what it tells but names of threads and devices;
// it encrypts nothing and asks nobody who he is.
#pragma once

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "http/listen_address.h"
#include "live/metrics_server/metrics_answer.h"

namespace gordian {

inline constexpr size_t kMostMetricsHeadBytes = 8192;

class MetricsServer {
 public:
  // Unavailable, with the address, if nobody may listen there.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Listen(const ListenAddress& address);
  // Closes all connections at once.
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // With the port that it got.
  const ListenAddress& address() const { return server_->address(); }

  // Replaces what is answered.
  void Publish(MetricsPage page);

 private:
  class PublishedPage;
  explicit MetricsServer(std::unique_ptr<HttpServer> server);

  std::unique_ptr<PublishedPage> page_;  // the server's threads read it
  std::unique_ptr<HttpServer> server_;
};

}  // namespace gordian
