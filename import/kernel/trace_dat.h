// SPDX-License-Identifier: Apache-2.0
// trace.dat of trace-cmd, versions 6 and 7 (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)): pages of the
// kernel's ring buffers, CPU by CPU; those of version 7 may be compressed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "import/kernel/byte_cursor.h"
#include "import/kernel/file_window.h"
#include "import/kernel/ftrace_text.h"
#include "import/kernel/raw_events.h"
#include "import/kernel/tracing_data.h"
#include "import/kernel/unpack.h"
#include "schema/session.pb.h"

namespace gordian {

class TraceDat {
 public:
  TraceDat(FileWindow& file, KernelNames& names, KernelEventSink sink,
           std::function<void(uint32_t, std::string_view)> named_irq)
      : file_(file), sink_(std::move(sink)), raw_(names, std::move(named_irq)) {}

  // Gives all events, CPU by CPU. `progress` is told how far it is. InvalidArgument, with the
  // place, for a file that is wrong.
  absl::Status Read(const std::function<absl::Status(uint64_t bytes)>& progress,
                    pb::Session& session);

 private:
  struct Buffer {
    uint16_t cpu = 0;
    uint32_t page_bytes = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    bool packed = false;  // chunks of pages, each compressed
  };
  struct Page;

  absl::Status ReadVersion6(pb::Session& session);
  // What follows the description that both versions of its size share.
  absl::Status ReadBuffers6(ByteCursor& bytes, pb::Session& session);
  absl::Status ReadVersion7(ByteCursor bytes, pb::Session& session);
  absl::Status ViewSection7(uint64_t offset, std::span<const uint8_t>& part);
  absl::Status ReadOptions7(uint64_t offset, uint64_t& next, pb::Session& session);
  absl::Status ReadFormats7(uint16_t option, uint64_t offset);
  absl::Status TakeBuffer7(ByteCursor bytes);
  absl::Status TakeOption(uint16_t option, std::span<const uint8_t> data, pb::Session& session);
  absl::Status AddBuffer(Buffer buffer);
  absl::Status TakePlainBuffer(const Buffer& buffer,
                               const std::function<absl::Status(uint64_t bytes)>& progress);
  absl::Status TakePackedBuffer(const Buffer& buffer,
                                const std::function<absl::Status(uint64_t bytes)>& progress);
  absl::Status TakePages(const Buffer& buffer, std::span<const uint8_t> pages);
  absl::Status TakePage(const Buffer& buffer, std::span<const uint8_t> bytes);
  absl::Status TakeRecords(const Buffer& buffer, uint64_t time_ns, ByteCursor bytes);

  FileWindow& file_;
  KernelEventSink sink_;
  RawEvents raw_;
  TracingData data_;
  std::vector<Buffer> buffers_;
  PackedBy packed_by_ = PackedBy::kNothing;
  std::vector<uint8_t> unpacked_;  // its memory is reused
};

}  // namespace gordian
