// SPDX-License-Identifier: Apache-2.0
// perf.data, as `perf sched record` and `perf record -e sched:…` write it into a file
// (tools/perf/Documentation/perf.data-file-format.txt).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "import/kernel/file_window.h"
#include "import/kernel/ftrace_text.h"
#include "import/kernel/raw_events.h"
#include "schema/session.pb.h"

namespace gordian {

class PerfData {
 public:
  PerfData(FileWindow& file, KernelNames& names, KernelEventSink sink,
           std::function<void(uint32_t, std::string_view)> named_irq)
      : file_(file), names_(names), sink_(std::move(sink)), raw_(names, std::move(named_irq)) {}

  // Gives all events, in the file's order. `progress` is told how far it is. InvalidArgument, with
  // the place, for a file that is wrong. Adds what the file tells of its machine.
  absl::Status Read(const std::function<absl::Status(uint64_t bytes)>& progress,
                    pb::Session& session);

 private:
  struct Section {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  struct Attribute {
    bool tracepoint = false;
    uint64_t sample_type = 0;
    uint64_t read_format = 0;
  };
  struct Sample;

  absl::Status ReadHeader();
  absl::Status ReadAttributes(Section section, uint64_t entry_bytes);
  absl::Status ReadFeatures(pb::Session& session);
  absl::Status ReadText(Section section, std::string& text);
  absl::Status TakeRecord(uint32_t type, std::span<const uint8_t> body);
  absl::Status TakeSample(std::span<const uint8_t> body);
  absl::Status TakeComm(std::span<const uint8_t> body);
  absl::Status TakeForkOrExit(bool fork, std::span<const uint8_t> body);
  absl::Status TakeLost(uint64_t count, std::span<const uint8_t> body);
  // The time and CPU at the end of a record that is no sample.
  KernelEvent AtEnd(std::span<const uint8_t> body) const;

  FileWindow& file_;
  KernelNames& names_;
  KernelEventSink sink_;
  RawEvents raw_;
  Section data_;
  std::vector<uint64_t> feature_bits_;
  std::vector<Attribute> attributes_;
  absl::flat_hash_map<uint64_t, size_t> by_id_;
  uint64_t foreign_samples_ = 0;
  uint64_t stacks_ = 0;
};

}  // namespace gordian
