// SPDX-License-Identifier: Apache-2.0
#include "trace/segment_scan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "trace/file_io.h"

namespace gordian {
namespace {

constexpr size_t kSearchBytes = 64u << 10;

bool IsKnownKind(BlockKind kind) {
  return kind == BlockKind::kEvents || kind == BlockKind::kTasks || kind == BlockKind::kResources ||
         kind == BlockKind::kActivities;
}

// Walks from header to header. Where no header checks, the next place whose magic and header check
// is searched byte by byte. Each step moves the position forward, so the walk ends.
class Scanner {
 public:
  Scanner(InputFile file, const std::string& path, StreamId stream, SegmentEnd end,
          ScanPosition& position, SegmentScan& scan)
      : file_(std::move(file)),
        path_(path),
        stream_(stream),
        grows_(end == SegmentEnd::kGrows),
        position_(position),
        scan_(scan) {
    scan_.identity = file_.identity;
  }

  absl::Status Run() {
    scan_.file_bytes = file_.size_bytes;
    buffer_.resize(kSearchBytes);
    while (position_.at < scan_.file_bytes) {
      const auto header = HeaderAt(position_.at);
      if (!header.ok()) return header.status();
      if (grows_ && (*header ? ReachesPastEnd(**header) : MayBecomeHeader())) break;
      const auto moved = *header ? TakeBlock(**header) : SkipToNextBlock(BeginsLikeHeader());
      if (!moved.ok()) return moved.status();
      if (!*moved) break;
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<std::optional<BlockHeader>> HeaderAt(uint64_t offset) {
    const auto read =
        ReadAt(file_.handle, offset, std::span(buffer_).first(kMaxBlockHeaderBytes), path_);
    if (!read.ok()) return read.status();
    return ParseBlockHeader(std::span(buffer_).first(*read));
  }

  bool ReachesPastEnd(const BlockHeader& header) const {
    return header.block_bytes() > scan_.file_bytes - position_.at;
  }

  // Whether the position moved.
  absl::StatusOr<bool> TakeBlock(const BlockHeader& header) {
    // Usually a torn tail; but bytes may also be missing, and whole blocks follow.
    if (ReachesPastEnd(header)) return SkipToNextBlock(true);
    if (header.version > kBlockVersion || !IsKnownKind(header.kind)) {
      ++scan_.damage.unknown_blocks;
      scan_.damage.skipped_bytes += header.block_bytes();
    } else if (StreamId{header.kind, header.cpu} != stream_) {
      ++scan_.damage.corrupt_blocks;
      scan_.damage.skipped_bytes += header.block_bytes();
    } else {
      scan_.blocks.push_back({header, position_.at});
    }
    position_.at += header.block_bytes();
    position_.searched_until = 0;
    return true;
  }

  // Counts the stretch passed over as one corrupt block, or as a torn tail if the file ends with
  // the beginning of one. Does not move in a file that grows, until the next block is there.
  absl::StatusOr<bool> SkipToNextBlock(bool begins_a_block) {
    const uint64_t from = position_.at;
    const auto next = FindNextHeader(std::max(from + 1, position_.searched_until));
    if (!next.ok()) return next.status();
    if (grows_ && *next == scan_.file_bytes) {
      // A header near the end may not be whole yet.
      position_.searched_until = *next - std::min<uint64_t>(*next - from, kMaxBlockHeaderBytes) + 1;
      return false;
    }
    position_.at = *next;
    scan_.damage.skipped_bytes += *next - from;
    const bool is_torn = *next == scan_.file_bytes && begins_a_block;
    ++(is_torn ? scan_.damage.torn_tails : scan_.damage.corrupt_blocks);
    return true;
  }

  // Where the next header that checks begins; the end of the file if there is none. Reads window
  // after window; each begins where the one before no longer held a whole header, so that every
  // byte is read about once.
  absl::StatusOr<uint64_t> FindNextHeader(uint64_t from) {
    while (from < scan_.file_bytes) {
      const auto read = ReadAt(file_.handle, from, buffer_, path_);
      if (!read.ok()) return read.status();
      if (*read == 0) break;  // the file became shorter
      const auto window = std::span<const uint8_t>(buffer_).first(*read);
      const bool is_last = from + window.size() >= scan_.file_bytes;
      const size_t end = is_last ? window.size() : window.size() - kMaxBlockHeaderBytes;
      size_t at = FindBlockMagic(window, 0);
      for (; at < end; at = FindBlockMagic(window, at + 1)) {
        if (ParseBlockHeader(window.subspan(at))) return from + at;
      }
      from += std::min(at, window.size());
    }
    return scan_.file_bytes;
  }

  // Whether the file ends before a header here could be whole, and the part that is there is right.
  bool BeginsLikeHeader() { return BeginsLikeHeaderOf(kBlockHeaderBytes); }
  // The same of a header of any version.
  bool MayBecomeHeader() { return BeginsLikeHeaderOf(kMaxBlockHeaderBytes); }

  bool BeginsLikeHeaderOf(size_t header_bytes) {
    const uint64_t left = scan_.file_bytes - position_.at;
    if (left >= header_bytes) return false;
    const size_t magic_bytes = std::min<size_t>(left, kBlockMagic.size());
    const auto begin = std::span(buffer_).first(magic_bytes);
    const auto read = ReadAt(file_.handle, position_.at, begin, path_);
    return read.ok() && *read == magic_bytes &&
           std::equal(begin.begin(), begin.end(), kBlockMagic.begin());
  }

  InputFile file_;
  const std::string& path_;
  const StreamId stream_;
  const bool grows_;
  std::vector<uint8_t> buffer_;
  ScanPosition& position_;
  SegmentScan& scan_;
};

}  // namespace

ReadDamage& ReadDamage::operator+=(const ReadDamage& other) {
  corrupt_blocks += other.corrupt_blocks;
  torn_tails += other.torn_tails;
  skipped_bytes += other.skipped_bytes;
  unreadable_files += other.unreadable_files;
  unknown_blocks += other.unknown_blocks;
  missing_blocks += other.missing_blocks;
  unknown_events += other.unknown_events;
  return *this;
}

absl::StatusOr<SegmentScan> ScanSegment(const std::string& path, StreamId stream) {
  SegmentScan scan;
  ScanPosition position;
  auto status = ContinueScan(path, stream, SegmentEnd::kFinal, position, scan);
  if (!status.ok()) return status;
  return scan;
}

absl::Status ContinueScan(const std::string& path, StreamId stream, SegmentEnd end,
                          ScanPosition& position, SegmentScan& scan) {
  auto file = OpenFile(path);
  if (!file.ok()) return file.status();
  return Scanner(*std::move(file), path, stream, end, position, scan).Run();
}

}  // namespace gordian
