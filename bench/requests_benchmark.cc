// SPDX-License-Identifier: Apache-2.0
// What it costs to find requests in packets and to tell where their time went: CPU time of one
// thread.
//
// usage: requests_benchmark [--requests N] [--clients N] [--repeat N]
// Makes a recording of a server with a reader, four workers and a lock that all share, which
// clients keep busy. Tells the least time, in milliseconds, of finding the requests, of learning
// who hands work to whom, and of all sums; and the time of one request.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "bench/cpu_time.h"
#include "requests/request_times.h"
#include "requests/test_talk.h"

namespace gordian {
namespace {

constexpr int32_t kReader = 10;
constexpr int32_t kFirstWorker = 20;
constexpr int kWorkers = 4;
constexpr uint16_t kFirstClientPort = 10'000;
constexpr uint64_t kStepNs = 1'000;

// Plays rounds: the reader gets a request for each worker and wakes it; each worker waits for the
// lock of the one before, and answers.
class PlayedServer {
 public:
  explicit PlayedServer(int clients) : clients_(clients) {
    testing::TraceBuilder& trace = talk_.trace();
    trace.Thread(kReader, "reader");
    Step(0).Run(kReader);
    Step(0).Block();
    for (int worker = 0; worker < kWorkers; ++worker) {
      trace.Thread(kFirstWorker + worker, "worker", kReader);
      Step(worker + 1).Run(kFirstWorker + worker);
      Step(worker + 1).Block();
    }
  }

  testing::TestTalk& Play(uint64_t requests) {
    for (uint64_t round = 0; round * kWorkers < requests; ++round) PlayRound();
    return talk_;
  }

 private:
  testing::TraceBuilder& Step(int cpu) {
    return talk_.At(time_ns_ += kStepNs + random_() % kStepNs, static_cast<uint16_t>(cpu));
  }
  void PlayRound() {
    std::vector<uint16_t> ports;
    ports.reserve(kWorkers);
    for (int worker = 0; worker < kWorkers; ++worker)
      ports.push_back(static_cast<uint16_t>(kFirstClientPort + next_client_++ % clients_));
    Step(0);
    for (const uint16_t port : ports) talk_.Ask(port, 100);
    talk_.trace().WakeFromNet(kReader, talk_.eth());
    Step(0).Run(kReader);
    for (int worker = 0; worker < kWorkers; ++worker) Step(0).Wake(kFirstWorker + worker);
    Step(0).Block();
    for (int worker = 0; worker < kWorkers; ++worker) Step(worker + 1).Run(kFirstWorker + worker);
    for (int worker = 1; worker < kWorkers; ++worker) Step(worker + 1).Block();
    for (int worker = 0; worker < kWorkers; ++worker) {
      if (worker > 0) Step(worker + 1).Run(kFirstWorker + worker);
      if (worker + 1 < kWorkers) Step(worker + 1).Wake(kFirstWorker + worker + 1);
      Step(worker + 1);
      talk_.Answer(ports[static_cast<size_t>(worker)], kFirstWorker + worker, 200);
      Step(worker + 1).Block();
    }
  }

  testing::TestTalk talk_;
  const int clients_;
  int next_client_ = 0;
  uint64_t time_ns_ = 0;
  std::minstd_rand random_{1};
};

struct RequestsBenchmarkOptions {
  uint64_t requests = 100'000;
  int clients = 64;
  int repeat = 3;
};

int MeasureRequests(const RequestsBenchmarkOptions& options) {
  PlayedServer server(options.clients);
  testing::TestTalk& talk = server.Play(options.requests);
  const Timeline& timeline = talk.Load();
  const RequestParties parties = {
      .of_step = [](const RequestStep& step) { return step.thread; },
      .of_cause = [](const RequestStep& step) { return step.cause_thread; }};
  double find_ms = 1e12;
  double learn_ms = 1e12;
  double sum_ms = 1e12;
  size_t found_requests = 0;
  for (int i = 0; i < options.repeat; ++i) {
    FoundRequests found;
    find_ms = std::min(find_ms, CpuMsOf([&] { found = talk.Find(); }));
    std::optional<RequestWalk> walk;
    learn_ms = std::min(learn_ms, CpuMsOf([&] { walk.emplace(timeline, found); }));
    sum_ms =
        std::min(sum_ms, CpuMsOf([&] { RequestTimesOf(found, *walk, parties, {.threads = 1}); }));
    found_requests = found.requests.size();
  }
  size_t packets = 0;
  for (const Column<PacketRecord>& row : timeline.packet_rows()) packets += row.size();
  std::printf(
      "%zu requests in %zu packets, %zu events: found in %.0f ms, who hands work to whom %.0f ms, "
      "where all time went %.0f ms; %.2f us a request\n",
      found_requests, packets, static_cast<size_t>(timeline.events()), find_ms, learn_ms, sum_ms,
      1e3 * (find_ms + learn_ms + sum_ms) /
          static_cast<double>(std::max<size_t>(1, found_requests)));
  return 0;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) try {
  gordian::RequestsBenchmarkOptions options;
  CLI::App app("What finding requests costs.");
  app.add_option("--requests", options.requests, "requests to play");
  app.add_option("--clients", options.clients, "connections");
  app.add_option("--repeat", options.repeat, "times to measure each, the least counts");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return gordian::MeasureRequests(options);
} catch (const std::exception& error) {
  std::fprintf(stderr, "requests_benchmark: %s\n", error.what());
  return 1;
}
