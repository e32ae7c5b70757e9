// SPDX-License-Identifier: Apache-2.0
// Reads one process's probe file (probe/gordian_probe_layout.h) while the process writes to it.
//
// Nothing in the file is trusted, and it is read with pread: a file that is cut short under a
// mapping would kill the reader. The bytes are copied first and judged then. The words between two
// readings are exactly those that the rings' counts tell of: read or counted as lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "probe/gordian_probe_layout.h"
#include "trace/file_io.h"
#include "trace/trace_event.h"

namespace gordian {

// A valid record. The texts live until the call it is given to returns.
struct ProbeWord {
  uint64_t time_ns = 0;
  uint64_t value = 0;
  int32_t tid = 0;  // in its own pid namespace
  ProbeKind kind = ProbeKind::kSpinBegin;
  std::string_view name;
  std::string_view key;
};

struct ProbeFileCounts {
  uint64_t read = 0;     // valid words
  uint64_t lost = 0;     // gave way before they were read, or found no ring
  uint64_t invalid = 0;  // records and counts that no probe library writes
};

// Memory to copy a file's parts into, the same for all files.
struct ProbeRoom {
  std::vector<uint8_t> counts;                // of all rings, and the header's, in one piece
  std::vector<gordian_probe_record> records;  // of one ring
};

class ProbeFile {
 public:
  // Unavailable if its process has not finished making the file, DataLoss if it is no probe file.
  // Of a file older than `start_ns` (CLOCK_MONOTONIC) only words that are still there count, not
  // the lost ones.
  static absl::StatusOr<ProbeFile> Open(FileHandle file, uint64_t start_ns);

  // Gives every word since the last call to `take`, ring by ring, each in order. The clock is asked
  // around the reading of the counts, so that the counts are possible even if this thread was kept
  // from running in between. DataLoss if the file cannot be read any more: do not ask it again.
  absl::Status Read(const std::function<uint64_t()>& now_ns, ProbeRoom& room,
                    const std::function<void(const ProbeWord&)>& take);

  // Asks the process to record until that time, unless it is asked for longer.
  absl::Status RecordUntil(uint64_t until_ns);

  const gordian_probe_header& header() const { return header_; }
  const ProbeFileCounts& counts() const { return counts_; }
  int fd() const { return file_.get(); }

 private:
  struct RingPosition {
    uint64_t next = 0;  // the record to read next
    uint64_t dropped = 0;
  };

  ProbeFile(FileHandle file, const gordian_probe_header& header);

  uint64_t RecordsOffset(size_t ring) const;
  absl::Status BeginAtWhatIsThere();
  absl::Status ReadCounts(std::vector<uint8_t>& counts);
  absl::Status CopyRecords(size_t ring, uint64_t first, uint64_t end,
                           std::vector<gordian_probe_record>& records);
  absl::Status ReadRing(size_t ring, uint64_t plausible, ProbeRoom& room,
                        const std::function<void(const ProbeWord&)>& take);
  void TakeDropped(uint64_t told, uint64_t plausible, uint64_t& known);
  void TakeRecord(const gordian_probe_record& record,
                  const std::function<void(const ProbeWord&)>& take);

  FileHandle file_;
  gordian_probe_header header_;
  std::vector<RingPosition> positions_;
  uint64_t dropped_ = 0;
  uint64_t last_read_ns_ = 0;  // before its counts were read
  ProbeFileCounts counts_;
};

}  // namespace gordian
