// SPDX-License-Identifier: Apache-2.0
// A Perfetto trace (protobuf), of which the kernel's events count: those of ftrace, one by one or
// in the compact form of the scheduler's, and the tree of processes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "import/kernel/file_window.h"
#include "import/kernel/ftrace_text.h"
#include "import/kernel/unpack.h"
#include "schema/ftrace.pb.h"
#include "schema/session.pb.h"

namespace gordian {

class PerfettoPackets {
 public:
  PerfettoPackets(FileWindow& file, KernelNames& names, KernelEventSink sink,
                  std::function<void(uint32_t, std::string_view)> named_irq)
      : file_(file), names_(names), sink_(std::move(sink)), named_irq_(std::move(named_irq)) {}

  // Gives all events, packet by packet. `progress` is told how far it is. InvalidArgument, with the
  // place, for a file that is wrong.
  absl::Status Read(const std::function<absl::Status(uint64_t bytes)>& progress,
                    pb::Session& session);

 private:
  absl::Status TakePacket(std::span<const uint8_t> bytes);
  absl::Status TakePackedPackets(const std::string& packed);
  absl::Status TakeTree(uint64_t time_ns, const ftrace::ProcessTree& tree);
  absl::Status TakeBundle(const ftrace::FtraceEventBundle& bundle);
  absl::Status TakeCompactSwitches(uint16_t cpu,
                                   const ftrace::FtraceEventBundle::CompactSched& compact);
  absl::Status TakeCompactWakings(uint16_t cpu,
                                  const ftrace::FtraceEventBundle::CompactSched& compact);
  // False for an event of no use.
  bool Translate(const ftrace::FtraceEvent& told, KernelEvent& event);
  int32_t& RunningTid(uint16_t cpu);

  FileWindow& file_;
  KernelNames& names_;
  KernelEventSink sink_;
  std::function<void(uint32_t, std::string_view)> named_irq_;
  std::vector<int32_t> running_tids_;  // by CPU; -1: not known
  std::vector<uint8_t> unpacked_;      // of compressed packets; its memory is reused
  bool in_packed_ = false;
  uint64_t unknown_events_ = 0;
};

}  // namespace gordian
