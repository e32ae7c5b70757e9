// SPDX-License-Identifier: Apache-2.0
// Metrics over HTTP, for Prometheus and its kin: GET /metrics, and /healthz for a supervisor.
//
//   auto server = MetricsServer::Listen(*ParseListenAddress("127.0.0.1:9464"));
//   (*server)->Publish({.open_metrics = …, .text = …, .healthy_until = …});  // with each frame
//
// A thread of its own answers; nobody who asks holds up the one who publishes. It reads nothing but
// heads of requests, of 8 KiB at most, each within 5 s. Beyond 16 connections the oldest is closed.
// Each answer ends its connection. There is no secret in what it tells but names of threads and
// devices; it encrypts nothing and asks nobody who he is.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "live/metrics_server/http_answer.h"
#include "live/metrics_server/listen_address.h"

namespace gordian {

class MetricsServer {
 public:
  // Unavailable, with the address, if nobody may listen there.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Listen(const ListenAddress& address);
  // Closes all connections at once.
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // With the port that it got.
  const ListenAddress& address() const { return address_; }

  // Replaces what is answered.
  void Publish(MetricsPage page);

 private:
  class Impl;
  MetricsServer(ListenAddress address, std::unique_ptr<Impl> impl);

  ListenAddress address_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gordian
