// SPDX-License-Identifier: Apache-2.0
#include "trace/activities/activity_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/activities/activity_files.h"
#include "trace/activities/activity_writer.h"
#include "trace/session_folder.h"

namespace gordian {
namespace {

constexpr uint64_t kMaxHeaderBytes = 1u << 20;

absl::StatusOr<pb::ActivityGraph> ReadHeader(const std::string& directory) {
  const std::string path = absl::StrCat(directory, "/", std::string(kActivityHeaderName));
  const auto file = OpenFile(path);
  if (!file.ok()) return file.status();
  const absl::Status damaged =
      absl::FailedPreconditionError(absl::StrCat(path, " is damaged: import the graph again"));
  if (file->size_bytes > kMaxHeaderBytes) return damaged;
  std::vector<uint8_t> bytes(file->size_bytes);
  const auto read = ReadAt(file->handle, 0, bytes, path);
  if (!read.ok()) return read.status();
  pb::ActivityGraph header;
  if (!header.ParseFromArray(bytes.data(), static_cast<int>(*read)) || header.format_version() == 0)
    return damaged;
  if (header.format_version() > kActivityFormatVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        directory, " was written by a newer gordian (format ", header.format_version(),
        ", this one reads up to ", kActivityFormatVersion, "): read it with that version"));
  }
  return header;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ActivityReader>> ActivityReader::Open(const std::string& directory) {
  if (absl::Status status = CheckIsFolder(directory); !status.ok()) return status;
  if (!IsActivityGraph(directory)) {
    return absl::FailedPreconditionError(absl::StrCat(
        directory, " is no activity graph: make one with gordian import --format activities"));
  }
  auto header = ReadHeader(directory);
  if (!header.ok()) return header.status();
  std::unique_ptr<ActivityReader> reader(new ActivityReader);
  reader->header_ = *std::move(header);
  reader->path_ = absl::StrCat(directory, "/", std::string(kActivityTraceName));
  auto scan = ScanSegment(reader->path_, kActivityStream);
  if (!scan.ok()) return scan.status();
  auto file = OpenFile(reader->path_);
  if (!file.ok()) return file.status();
  reader->file_ = *std::move(file);
  reader->blocks_ = std::move(scan->blocks);
  reader->damage_ = scan->damage;
  reader->LookAtBlocks();
  return reader;
}

// Numbers left out between blocks, and edges left out at the end.
void ActivityReader::LookAtBlocks() {
  uint64_t edges = 0, next_sequence = 0;
  for (const FoundBlock& block : blocks_) {
    edges += block.header.events;
    if (block.header.sequence > next_sequence)
      damage_.missing_blocks += block.header.sequence - next_sequence;
    next_sequence = block.header.sequence + 1;
    last_ns_ = std::max(last_ns_, block.header.last_time_ns);
  }
  if (!blocks_.empty()) first_ns_ = blocks_.front().header.first_time_ns;
  missing_edges_ = header_.edges() - std::min(header_.edges(), edges);
}

void ActivityReader::Rewind(uint64_t from_ns, uint64_t to_ns) {
  next_block_ = 0;
  last_src_ns_ = 0;
  from_ns_ = from_ns;
  to_ns_ = to_ns;
}

// Ends: each turn passes over a block.
absl::StatusOr<bool> ActivityReader::Next(std::vector<ActivityEdge>& edges) {
  edges.clear();
  while (next_block_ < blocks_.size()) {
    const FoundBlock& block = blocks_[next_block_++];
    if (block.header.last_time_ns < from_ns_ || block.header.first_time_ns > to_ns_) continue;
    absl::Status status = decoder_.Read(file_.handle, path_, block, names_, edges);
    if (status.ok() && edges.front().src_ns < last_src_ns_)
      status = absl::DataLossError("edges are not in order of their beginnings");
    if (status.ok()) {
      last_src_ns_ = edges.back().src_ns;
      return true;
    }
    edges.clear();
    if (!absl::IsDataLoss(status)) return status;
    ++damage_.corrupt_blocks;
    damage_.skipped_bytes += block.header.block_bytes();
  }
  return false;
}

}  // namespace gordian
