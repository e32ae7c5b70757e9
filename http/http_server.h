// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 for browsers and readers of metrics: it reads heads of requests, and hands them to a
// function that answers.
//
// One thread reads and writes; a few others answer, so that a slow answer holds up no quick one.
// Bounds: kMostConnections (the one that has been silent longest gives way to a new one), heads of
// kMostHeadBytes, each within kPatience; a request with a body is refused. Each connection is asked
// one request at a time, so no more of them wait than there are connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "http/listen_address.h"
#include "http/request_head.h"

namespace gordian {

struct HttpLimits {
  size_t most_connections = 64;
  size_t most_head_bytes = 32 << 10;  // a question in SQL is part of the address
  std::chrono::milliseconds patience =
      std::chrono::seconds(30);  // for a head, and for each part of an answer
  std::chrono::milliseconds longest_answer = std::chrono::seconds(60);
  int workers = 4;
};

struct HttpAnswer {
  unsigned status = 200;
  std::string content_type;
  std::shared_ptr<const std::string> body;
  std::vector<std::pair<std::string, std::string>> fields;
};

class HttpServer {
 public:
  // `stop_asked` becomes true when the browser went away, it takes too long, or the server ends. It
  // is called from several threads at once.
  using Answer = std::function<HttpAnswer(const HttpRequestHead& head,
                                          const std::function<bool()>& stop_asked)>;

  // Unavailable, with the address, if nobody may listen there.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Listen(const ListenAddress& address,
                                                            const HttpLimits& limits = {});
  // Closes all connections at once, and waits for answers that are being made.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // With the port that it got.
  const ListenAddress& address() const { return address_; }
  // Connections that came before wait until now.
  void Start(Answer answer);
  // Whether all answers that are being made ended in time. No connection is open then.
  bool StopWithin(std::chrono::milliseconds longest);

 private:
  class Impl;
  HttpServer(ListenAddress address, std::unique_ptr<Impl> impl);

  ListenAddress address_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gordian
