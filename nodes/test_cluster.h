// SPDX-License-Identifier: Apache-2.0
// Recordings of a few nodes that talk to each other, with clocks that are off, for tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nodes/joined_nodes.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {

// A node's clock: when the true time is t, it shows t + skew + drift · t, and the session holds a
// measurement of it, which is off by `error`.
struct TestClock {
  int64_t skew_ns = 0;
  int64_t drift_ppm = 0;
  int64_t error_ns = 0;
  uint64_t bound_ns = 0;
  bool measured = true;
};

// Ports of a browser and of the front it asks, and of that front and the server it asks.
inline constexpr uint16_t kBrowser = 55555;
inline constexpr uint16_t kHttp = 80;
inline constexpr uint16_t kWeb = 40000;
inline constexpr uint16_t kDb = 5432;

class TestCluster {
 public:
  static constexpr uint64_t kBeginNs = 100'000'000'000;  // true time 0, on the reference's clock
  static constexpr uint32_t kInterface = 1;

  // The first is the reference.
  TraceBuilder& Node(const std::string& name, const TestClock& clock = {});
  // That node's trace at a true time.
  TraceBuilder& At(const std::string& name, uint64_t time_ns, uint16_t cpu = 0);

  // How far that node's clock advances between two true times.
  uint64_t Elapsed(const std::string& name, uint64_t from_ns, uint64_t to_ns);

  // Flow from one port to another; each node knows it by a number of its own.
  void Flow(uint16_t from_port, uint16_t to_port, uint8_t protocol = 6,
            FlowFamily family = FlowFamily::kIpv4);
  // A packet, at the time and on the CPU said last. `tid` 0: sent by the kernel.
  void Send(const std::string& node, uint16_t from_port, uint16_t to_port, uint32_t sequence,
            uint32_t payload, int32_t tid);
  void Receive(const std::string& node, uint16_t from_port, uint16_t to_port, uint32_t sequence,
               uint32_t payload);
  // … and the thread it wakes.
  void Deliver(const std::string& node, uint16_t from_port, uint16_t to_port, uint32_t sequence,
               uint32_t payload, int32_t wakee);

  // Measures clocks every so often of true time until `end_ns`; then the recordings end.
  void Measure(uint64_t end_ns, uint64_t interval_ns = 1'000'000'000);

  // Writes them as `gordian collect` does.
  void Write(const std::string& directory);
  JoinedNodes Load(int threads = 1);

 private:
  struct Member {
    TraceBuilder trace;
    TestClock clock;
    std::map<std::pair<uint16_t, uint16_t>, uint32_t> flows;
  };
  Member& Of(const std::string& name);
  uint32_t FlowId(const std::string& node, uint16_t from_port, uint16_t to_port);
  static uint64_t Shown(const TestClock& clock, uint64_t time_ns);

  struct FlowKind {
    uint8_t protocol = 6;
    FlowFamily family = FlowFamily::kIpv4;
  };
  std::vector<std::pair<std::string, Member>> members_;
  std::map<std::pair<uint16_t, uint16_t>, FlowKind> flows_;
  TempDir dir_;
  int written_ = 0;
};

// "0 wait db1/writer | 500 runnable | …": the segments of a thread, in microseconds since the
// recording's start.
std::string StoryOf(const Timeline& timeline, const std::string& node, const std::string& thread);

// The flows of a browser to thread 1 of node "web", and of that to thread 2 of node "db"; both
// sleep.
void BeginFrontAndDatabase(TestCluster& cluster);
// One question: the front works for 1 ms, asks the database, which works for 5 ms, works for 2 ms
// and answers. Packets between the two are under way for 1 ms each.
void AskFrontAndDatabase(TestCluster& cluster, uint64_t begin_ns, uint32_t sequence);

}  // namespace gordian::testing
