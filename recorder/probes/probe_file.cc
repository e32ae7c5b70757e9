// SPDX-License-Identifier: Apache-2.0
#include "recorder/probes/probe_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

namespace gordian {
namespace {

constexpr uint32_t kMostRings = 1024;
constexpr uint32_t kMostRecords = 1u << 16;

absl::Status ReadWhole(int fd, void* to, size_t bytes, uint64_t offset) {
  if (pread(fd, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes)) {
    return absl::OkStatus();
  }
  return absl::DataLossError("a probe file was cut short");
}

constexpr uint64_t kCountsOffset = offsetof(gordian_probe_header, dropped);

uint64_t DroppedIn(const std::vector<uint8_t>& counts) {
  uint64_t dropped = 0;
  std::memcpy(&dropped, counts.data(), sizeof dropped);
  return dropped;
}

gordian_probe_ring RingIn(const std::vector<uint8_t>& counts, size_t ring) {
  gordian_probe_ring state{};
  std::memcpy(&state, &counts[GORDIAN_PROBE_HEADER_BYTES - kCountsOffset + ring * sizeof state],
              sizeof state);
  return state;
}

uint64_t FileBytes(const gordian_probe_header& header) {
  return header.header_bytes + uint64_t{header.rings} * sizeof(gordian_probe_ring) +
         uint64_t{header.rings} * header.records_per_ring * sizeof(gordian_probe_record);
}

absl::Status CheckHeader(const gordian_probe_header& header, uint64_t file_bytes) {
  if (header.magic == 0) return absl::UnavailableError("the probe file is not finished");
  const bool fits = header.magic == GORDIAN_PROBE_MAGIC &&
                    header.version == GORDIAN_PROBE_VERSION &&
                    header.header_bytes == GORDIAN_PROBE_HEADER_BYTES && header.rings > 0 &&
                    header.rings <= kMostRings && std::has_single_bit(header.records_per_ring) &&
                    header.records_per_ring <= kMostRecords &&
                    header.record_bytes == sizeof(gordian_probe_record) && header.pid > 0 &&
                    file_bytes == FileBytes(header);
  return fits ? absl::OkStatus() : absl::DataLossError("not a probe file of this version");
}

bool IsKnownKind(uint8_t kind) {
  switch (static_cast<ProbeKind>(kind)) {
    case ProbeKind::kSpinBegin:
    case ProbeKind::kSpinEnd:
    case ProbeKind::kSpinRelease:
    case ProbeKind::kFalseWakeup:
    case ProbeKind::kPhaseBegin:
    case ProbeKind::kPhaseEnd:
    case ProbeKind::kCount:
      return true;
    case ProbeKind::kCondWaitBegin:  // only imported traces have them
    case ProbeKind::kCondWaitEnd:
      return false;
  }
  return false;
}

bool HasName(ProbeKind kind) { return kind == ProbeKind::kPhaseBegin || kind == ProbeKind::kCount; }

}  // namespace

absl::StatusOr<ProbeFile> ProbeFile::Open(FileHandle file, uint64_t start_ns) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return absl::DataLossError("a probe file must be a regular file");
  }
  if (status.st_size == 0) return absl::UnavailableError("the probe file is not finished");
  gordian_probe_header header{};
  if (absl::Status read = ReadWhole(file.get(), &header, sizeof header, 0); !read.ok()) return read;
  const auto file_bytes = static_cast<uint64_t>(status.st_size);
  if (absl::Status fits = CheckHeader(header, file_bytes); !fits.ok()) return fits;
  ProbeFile opened(std::move(file), header);
  opened.last_read_ns_ = start_ns;
  if (header.created_ns < start_ns) {
    if (absl::Status status = opened.BeginAtWhatIsThere(); !status.ok()) return status;
  }
  return opened;
}

ProbeFile::ProbeFile(FileHandle file, const gordian_probe_header& header)
    : file_(std::move(file)), header_(header), positions_(header.rings) {}

// From the header's count to the end of the rings' states: the bytes between are reserved and few.
absl::Status ProbeFile::ReadCounts(std::vector<uint8_t>& counts) {
  counts.resize(header_.header_bytes - kCountsOffset +
                size_t{header_.rings} * sizeof(gordian_probe_ring));
  return ReadWhole(file_.get(), counts.data(), counts.size(), kCountsOffset);
}

absl::Status ProbeFile::BeginAtWhatIsThere() {
  std::vector<uint8_t> counts;
  if (absl::Status read = ReadCounts(counts); !read.ok()) return read;
  const uint64_t size = header_.records_per_ring;
  for (size_t i = 0; i < positions_.size(); ++i) {
    const gordian_probe_ring state = RingIn(counts, i);
    positions_[i].next = state.begun > size ? state.begun - size : 0;
    positions_[i].dropped = state.dropped;
  }
  dropped_ = DroppedIn(counts);
  return absl::OkStatus();
}

uint64_t ProbeFile::RecordsOffset(size_t ring) const {
  return header_.header_bytes + uint64_t{header_.rings} * sizeof(gordian_probe_ring) +
         uint64_t{ring} * header_.records_per_ring * sizeof(gordian_probe_record);
}

absl::Status ProbeFile::Read(const std::function<uint64_t()>& now_ns, ProbeRoom& room,
                             const std::function<void(const ProbeWord&)>& take) {
  // No program says more than a word per nanosecond on each of its threads: a count that jumps
  // further is a lie, and must not become millions of lost words.
  const uint64_t before_ns = now_ns();
  if (absl::Status read = ReadCounts(room.counts); !read.ok()) return read;
  const uint64_t after_ns = now_ns();
  const uint64_t plausible = after_ns > last_read_ns_ ? after_ns - last_read_ns_ : 0;
  last_read_ns_ = std::max(last_read_ns_, before_ns);
  room.records.resize(std::max(room.records.size(), size_t{header_.records_per_ring}));
  for (size_t i = 0; i < positions_.size(); ++i) {
    if (absl::Status read = ReadRing(i, plausible, room, take); !read.ok()) return read;
  }
  TakeDropped(DroppedIn(room.counts), plausible, dropped_);
  return absl::OkStatus();
}

void ProbeFile::TakeDropped(uint64_t told, uint64_t plausible, uint64_t& known) {
  if (told >= known && told - known <= plausible) {
    counts_.lost += told - known;
  } else {
    ++counts_.invalid;
  }
  known = told;
}

// The order makes it true. `ended` was read first, so every record before it is written, but may
// since have been overwritten. Then the records are copied. Then `begun` is read: a record n that
// the writer has begun to overwrite by then has n + size < begun. The fences keep the copies in
// this order on machines that reorder loads; the kernel copies aligned words whole.
absl::Status ProbeFile::ReadRing(size_t ring, uint64_t plausible, ProbeRoom& room,
                                 const std::function<void(const ProbeWord&)>& take) {
  const gordian_probe_ring state = RingIn(room.counts, ring);
  RingPosition& position = positions_[ring];
  if (state.dropped != position.dropped) {
    TakeDropped(state.dropped, plausible, position.dropped);
  }
  if (state.ended == position.next) return absl::OkStatus();
  const uint64_t size = header_.records_per_ring;
  if (state.ended < position.next || state.ended - position.next > plausible + size) {
    ++counts_.invalid;
    position.next = state.ended;
    return absl::OkStatus();
  }
  const uint64_t first =
      std::max(position.next, state.ended > size ? state.ended - size : uint64_t{0});
  std::atomic_thread_fence(std::memory_order_acquire);
  if (absl::Status copied = CopyRecords(ring, first, state.ended, room.records); !copied.ok())
    return copied;
  std::atomic_thread_fence(std::memory_order_acquire);
  uint64_t begun = 0;
  const uint64_t begun_offset = header_.header_bytes + ring * sizeof(gordian_probe_ring) +
                                offsetof(gordian_probe_ring, begun);
  if (absl::Status read = ReadWhole(file_.get(), &begun, sizeof begun, begun_offset); !read.ok()) {
    return read;
  }
  const uint64_t still_there = begun > size ? begun - size : 0;
  const uint64_t whole = std::clamp(still_there, first, state.ended);
  counts_.lost += whole - position.next;
  for (uint64_t n = whole; n < state.ended; ++n) TakeRecord(room.records[n % size], take);
  position.next = state.ended;
  return absl::OkStatus();
}

// Each record to its place in the ring, in one piece or in the two that the ring's end makes.
absl::Status ProbeFile::CopyRecords(size_t ring, uint64_t first, uint64_t end,
                                    std::vector<gordian_probe_record>& records) {
  const uint64_t room = header_.records_per_ring;
  while (first < end) {
    const uint64_t at = first % room;
    const uint64_t count = std::min(end - first, room - at);
    if (absl::Status read =
            ReadWhole(file_.get(), &records[at], count * sizeof(gordian_probe_record),
                      RecordsOffset(ring) + at * sizeof(gordian_probe_record));
        !read.ok()) {
      return read;
    }
    first += count;
  }
  return absl::OkStatus();
}

void ProbeFile::TakeRecord(const gordian_probe_record& record,
                           const std::function<void(const ProbeWord&)>& take) {
  if (!IsKnownKind(record.kind) || record.tid <= 0 ||
      record.name_bytes > GORDIAN_PROBE_NAME_BYTES || record.key_bytes > GORDIAN_PROBE_KEY_BYTES) {
    ++counts_.invalid;
    return;
  }
  ProbeWord word{.time_ns = record.time_ns,
                 .value = record.value,
                 .tid = record.tid,
                 .kind = static_cast<ProbeKind>(record.kind)};
  if (HasName(word.kind)) word.name = std::string_view(record.text, record.name_bytes);
  if (word.kind == ProbeKind::kPhaseBegin) {
    word.key = std::string_view(record.text + record.name_bytes, record.key_bytes);
  }
  ++counts_.read;
  take(word);
}

absl::Status ProbeFile::RecordUntil(uint64_t until_ns) {
  constexpr uint64_t kOffset = offsetof(gordian_probe_header, record_until_ns);
  uint64_t now_until_ns = 0;
  if (absl::Status read = ReadWhole(file_.get(), &now_until_ns, sizeof now_until_ns, kOffset);
      !read.ok()) {
    return read;
  }
  // Further away than any recorder asks for: the process would not believe it.
  const bool sound = now_until_ns <= until_ns + GORDIAN_PROBE_LONGEST_NS;
  if (now_until_ns >= until_ns && sound) return absl::OkStatus();
  if (pwrite(file_.get(), &until_ns, sizeof until_ns, kOffset) != sizeof until_ns) {
    return absl::DataLossError("a probe file cannot be written to");
  }
  return absl::OkStatus();
}

}  // namespace gordian
