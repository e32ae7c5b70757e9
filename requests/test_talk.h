// SPDX-License-Identifier: Apache-2.0
// A recording of a server that talks to clients, for tests: packets get their sequence numbers, and
// acknowledgements follow, as TCP has them.
//
//   TestTalk talk;
//   talk.trace().Thread(10, "server").At(0).Run(10).At(1_us).Block();
//   talk.At(1_ms).Ask(kFirstClient, 100).WakeFromNet(10, talk.eth());
//   talk.At(2_ms).Run(10);
//   talk.At(3_ms).Answer(kFirstClient, 10, 200);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "requests/requests.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {

inline constexpr uint16_t kServerPort = 80;

class TestTalk {
 public:
  TestTalk();

  TraceBuilder& trace() { return trace_; }
  uint32_t eth() const { return eth_; }
  // A time of the timeline as tests tell it.
  static uint64_t Time(uint64_t time_ns) { return kOriginNs + time_ns; }

  TraceBuilder& At(uint64_t time_ns, uint16_t cpu = 0) { return trace_.Cpu(cpu).At(time_ns); }
  // Data of that client arrives; with `tid` a thread of this node sends it over loopback.
  TestTalk& Ask(uint16_t client_port, uint32_t bytes, int32_t tid = 0,
                uint16_t server_port = kServerPort);
  // Data back; `tid` 0: sent by the kernel.
  TestTalk& Answer(uint16_t client_port, int32_t tid, uint32_t bytes,
                   uint16_t server_port = kServerPort, bool local = false);
  // The same data once more.
  TestTalk& AnswerAgain(uint16_t client_port, uint32_t bytes);
  // A packet as it is told.
  TestTalk& Packet(uint16_t from_port, uint16_t to_port, uint32_t sequence, uint32_t bytes,
                   bool sent, int32_t tid);
  // The next packets are of a new connection between these ports.
  void Reconnect(uint16_t client_port, uint16_t server_port = kServerPort);

  // Call it once.
  const Timeline& Load();
  const Timeline& timeline() const { return timeline_; }  // once it is loaded
  FoundRequests Find(const RequestSearch& search = {});
  EntityId Id(const std::string& name) const;
  // "1000-1100 runnable server | 1100-3000 run server": in microseconds. Of waits: "lock
  // compaction (disk compaction)".
  std::string Story(const FoundRequests& found, const Request& request);

 private:
  static constexpr uint64_t kOriginNs = 50'000'000'000;
  uint32_t FlowId(uint16_t from_port, uint16_t to_port);
  uint32_t& Sequence(uint16_t from_port, uint16_t to_port);
  std::string NameOf(EntityId id) const;

  TraceBuilder trace_;
  uint32_t eth_ = 0;
  uint32_t lo_ = 0;
  std::map<std::pair<uint16_t, uint16_t>, uint32_t> flows_;
  std::map<std::pair<uint16_t, uint16_t>, uint32_t> sequences_;
  TempDir dir_;
  Timeline timeline_;
  std::vector<FlowTable> flow_tables_;
};

}  // namespace gordian::testing
