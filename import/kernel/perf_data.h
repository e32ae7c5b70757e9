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
#include "import/kernel/perf_sample.h"
#include "import/kernel/raw_events.h"
#include "import/kernel/stack_code.h"
#include "import/kernel/unpack.h"
#include "schema/session.pb.h"

namespace gordian {

class PerfData {
 public:
  PerfData(FileWindow& file, KernelNames& names, KernelCode& code, KernelEventSink sink,
           std::function<void(uint32_t, std::string_view)> named_irq)
      : file_(file),
        names_(names),
        code_(code),
        sink_(std::move(sink)),
        raw_(names, std::move(named_irq)) {}

  // Gives all events, in the file's order. `progress` is told how far it is. InvalidArgument, with
  // the place, for a file that is wrong. Adds what the file tells of its machine.
  absl::Status Read(const std::function<absl::Status(uint64_t bytes)>& progress,
                    pb::Session& session);

 private:
  struct Section {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  absl::Status ReadHeader();
  absl::Status ReadAttributes(Section section, uint64_t entry_bytes);
  absl::Status ReadFeatures(pb::Session& session);
  absl::Status ReadText(Section section, std::string& text);
  absl::Status TakePacked(bool has_size, std::span<const uint8_t> body);
  absl::Status TakeUnpacked();
  absl::Status TakeRecord(uint32_t type, uint16_t misc, std::span<const uint8_t> body);
  absl::Status TakeSample(std::span<const uint8_t> body);
  absl::Status TakeComm(uint16_t misc, std::span<const uint8_t> body);
  absl::Status TakeForkOrExit(bool fork, std::span<const uint8_t> body);
  absl::Status TakeLost(uint64_t count, std::span<const uint8_t> body);
  // The time and CPU at the end of a record that is no sample.
  KernelEvent AtEnd(std::span<const uint8_t> body) const;

  FileWindow& file_;
  KernelNames& names_;
  KernelCode& code_;
  KernelEventSink sink_;
  RawEvents raw_;
  Section data_;
  std::vector<uint64_t> feature_bits_;
  std::vector<PerfAttribute> attributes_;
  absl::flat_hash_map<uint64_t, size_t> by_id_;
  ZstdStream stream_;
  std::vector<uint8_t> unpacked_;  // out of it, and not yet taken
  uint64_t foreign_samples_ = 0;
  uint32_t sample_hz_ = 0;
  std::vector<uint64_t> kernel_frames_;  // their memory is reused
  std::vector<uint64_t> user_frames_;
};

}  // namespace gordian
