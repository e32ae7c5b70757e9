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
  return kind == BlockKind::kEvents || kind == BlockKind::kTasks || kind == BlockKind::kResources;
}

// Walks from header to header. Where no header checks, the next place whose magic and header check
// is searched byte by byte. Each step moves the position forward, so the walk ends.
class Scanner {
 public:
  Scanner(InputFile file, const std::string& path, StreamId stream)
      : file_(std::move(file)), path_(path), stream_(stream), buffer_(kSearchBytes) {
    scan_.file_bytes = file_.size_bytes;
    scan_.identity = file_.identity;
  }

  absl::StatusOr<SegmentScan> Run() {
    while (position_ < scan_.file_bytes) {
      const auto header = HeaderAt(position_);
      if (!header.ok()) return header.status();
      const auto status = *header ? TakeBlock(**header) : SkipToNextBlock(BeginsLikeHeader());
      if (!status.ok()) return status;
    }
    return std::move(scan_);
  }

 private:
  absl::StatusOr<std::optional<BlockHeader>> HeaderAt(uint64_t offset) {
    const auto read =
        ReadAt(file_.handle, offset, std::span(buffer_).first(kMaxBlockHeaderBytes), path_);
    if (!read.ok()) return read.status();
    return ParseBlockHeader(std::span(buffer_).first(*read));
  }

  absl::Status TakeBlock(const BlockHeader& header) {
    // Usually a torn tail; but bytes may also be missing, and whole blocks follow.
    if (header.block_bytes() > scan_.file_bytes - position_) return SkipToNextBlock(true);
    if (header.version > kBlockVersion || !IsKnownKind(header.kind)) {
      ++scan_.damage.unknown_blocks;
      scan_.damage.skipped_bytes += header.block_bytes();
    } else if (StreamId{header.kind, header.cpu} != stream_) {
      ++scan_.damage.corrupt_blocks;
      scan_.damage.skipped_bytes += header.block_bytes();
    } else {
      scan_.blocks.push_back({header, position_});
    }
    position_ += header.block_bytes();
    return absl::OkStatus();
  }

  // Counts the stretch passed over as one corrupt block, or as a torn tail if the file ends with
  // the beginning of one.
  absl::Status SkipToNextBlock(bool begins_a_block) {
    const uint64_t from = position_;
    const auto next = FindNextHeader(from + 1);
    if (!next.ok()) return next.status();
    position_ = *next;
    scan_.damage.skipped_bytes += position_ - from;
    const bool is_torn = position_ == scan_.file_bytes && begins_a_block;
    ++(is_torn ? scan_.damage.torn_tails : scan_.damage.corrupt_blocks);
    return absl::OkStatus();
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
  bool BeginsLikeHeader() {
    const uint64_t left = scan_.file_bytes - position_;
    if (left >= kBlockHeaderBytes) return false;
    const auto read = ReadAt(file_.handle, position_, std::span(buffer_).first(left), path_);
    const size_t magic_bytes = std::min<size_t>(left, kBlockMagic.size());
    return read.ok() && *read == left &&
           std::equal(kBlockMagic.begin(), kBlockMagic.begin() + magic_bytes, buffer_.begin());
  }

  InputFile file_;
  const std::string& path_;
  const StreamId stream_;
  std::vector<uint8_t> buffer_;
  uint64_t position_ = 0;
  SegmentScan scan_;
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
  auto file = OpenFile(path);
  if (!file.ok()) return file.status();
  return Scanner(*std::move(file), path, stream).Run();
}

}  // namespace gordian
