// SPDX-License-Identifier: Apache-2.0
#include "trace/cut_session.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "schema/session.pb.h"
#include "trace/block_encoder.h"
#include "trace/file_io.h"
#include "trace/segment_scan.h"
#include "trace/session_folder.h"
#include "trace/session_reader.h"
#include "trace/session_symbols.h"
#include "trace/session_writer.h"
#include "trace/stream_writer.h"
#include "trace/told_meanings.h"

namespace gordian {
namespace {

// The blocks of one stream of the session, over all its segments.
struct CutStream {
  struct Place {
    std::string path;
    FoundBlock found;
  };
  explicit CutStream(StreamId stream) : id(stream), events(stream) {}

  StreamId id;
  EventStream events;  // by the same indices
  std::vector<Place> places;
};

// What is behind the readers' limits of the stretch, and what of it goes on into the cut.
class Cutter {
 public:
  Cutter(std::string directory, std::string folder, uint64_t from_ns, uint64_t to_ns)
      : directory_(std::move(directory)), folder_(std::move(folder)) {
    cut_.from_ns = from_ns;
    cut_.to_ns = to_ns;
  }

  absl::StatusOr<SessionCut> Run() {
    if (auto status = ReadDescription(); !status.ok()) return status;
    if (auto status = FindBlocks(); !status.ok()) return status;
    TakeMeanings();
    if (auto status = WriteTasks(); !status.ok()) return status;
    for (const auto& [id, stream] : streams_) {
      if (id.kind == BlockKind::kTasks) continue;
      StreamWriter writer(folder_, id);
      if (auto status = CopyBlocks(*stream, 0, writer); !status.ok()) return status;
    }
    if (auto status = CopySymbols(); !status.ok()) return status;
    if (auto status = WriteDescription(); !status.ok()) return status;
    return cut_;
  }

 private:
  absl::Status ReadDescription() {
    auto file = ReadSessionFile(directory_);
    if (!file.ok()) return file.status();
    if (!file->session) {
      return absl::FailedPreconditionError(absl::StrCat(directory_, " holds no ", kSessionFileName,
                                                        " that can be read: nothing to cut from"));
    }
    session_ = *std::move(file->session);
    // Behind the watermark some streams may have more than others.
    const bool grows = !session_.complete() && session_.complete_until_ns() != 0;
    const uint64_t known_ns = grows ? session_.complete_until_ns() : session_.end_time_ns() + 1;
    cut_.to_ns = std::min(cut_.to_ns, known_ns);
    cut_.from_ns = std::max(cut_.from_ns, session_.start_time_ns());
    if (cut_.from_ns < cut_.to_ns) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("nothing was recorded in ", directory_, " at that time"));
  }

  absl::Status FindBlocks() {
    const auto listed = ListSegments(directory_);
    if (!listed.ok()) return listed.status();
    for (const SegmentName& name : *listed) {
      const std::string path = absl::StrCat(directory_, "/", SegmentFileName(name));
      auto scan = ScanSegment(path, name.stream);
      if (!scan.ok()) continue;  // it gave way; the numbers of the blocks tell
      auto& stream = streams_[name.stream];
      if (stream == nullptr) stream = std::make_unique<CutStream>(name.stream);
      stream->events.AddSegment(path, scan->blocks);
      for (const FoundBlock& found : scan->blocks) stream->places.push_back({path, found});
    }
    return absl::OkStatus();
  }

  bool IsWithin(const BlockHeader& header) const {
    return header.first_time_ns >= cut_.from_ns && header.last_time_ns < cut_.to_ns;
  }
  bool Overlaps(const BlockHeader& header) const {
    return header.first_time_ns < cut_.to_ns && header.last_time_ns >= cut_.from_ns;
  }

  // Streams of tasks first: at equal times what the CPUs tell counts.
  void TakeMeanings() {
    EventBlock block;
    const auto take_stream = [&](const CutStream& stream) {
      for (size_t i = 0; i < stream.places.size(); ++i) {
        const BlockHeader& header = stream.places[i].found.header;
        if (header.first_time_ns >= cut_.from_ns && (IsWithin(header) || !Overlaps(header)))
          continue;
        if (stream.events.Read(i, block).ok()) meanings_.Take(block, cut_.from_ns, cut_.to_ns);
      }
    };
    for (const BlockKind kind : {BlockKind::kTasks, BlockKind::kEvents})
      for (const auto& [id, stream] : streams_)
        if (id.kind == kind) take_stream(*stream);
  }

  // The numbers of its blocks begin at 1: readers then know that the identities are not those of a
  // recording's beginning, and trust no state in them.
  absl::Status WriteTasks() {
    const StreamId id{BlockKind::kTasks, kNoCpu};
    StreamWriter writer(folder_, id);
    const EventBlock told = meanings_.At(cut_.from_ns);
    uint64_t sequence = 1;
    size_t limit = kMaxBlockEvents;
    for (size_t done = 0; done < told.events.size();) {
      const size_t count = std::min(limit, told.events.size() - done);
      const auto encoded = encoder_.EncodeEvents(told, done, count, id.kind, sequence);
      if (absl::IsOutOfRange(encoded.status()) && count > 1) {
        limit = count / 2;
        continue;
      }
      if (!encoded.ok()) return encoded.status();
      if (auto status = Append(*encoded, writer); !status.ok()) return status;
      done += count;
      ++sequence;
    }
    const auto tasks = streams_.find(id);
    return tasks == streams_.end() ? absl::OkStatus()
                                   : CopyBlocks(*tasks->second, sequence, writer);
  }

  // Numbers that are left out in the stretch stay left out. If the block before the first one is
  // not there, and the first begins within, then something of the stretch is missing, too.
  absl::Status CopyBlocks(const CutStream& stream, uint64_t first_number, StreamWriter& writer) {
    uint64_t number = first_number;
    uint64_t due = 0;
    bool has_begun = false;
    for (size_t i = 0; i < stream.places.size(); ++i) {
      const BlockHeader& header = stream.places[i].found.header;
      const uint64_t left_out = header.sequence > due ? header.sequence - due : 0;
      due = std::max(due, header.sequence + 1);
      if (!Overlaps(header)) continue;
      const bool is_missing = left_out > 0 && (has_begun || header.first_time_ns > cut_.from_ns);
      if (is_missing) number += left_out;
      const auto copied = CopyBlock(stream, i, number, writer);
      if (!copied.ok()) return copied.status();
      has_begun |= *copied;
      number += *copied ? 1 : 0;
    }
    return absl::OkStatus();
  }

  // Whether it took a number: false if nothing of it is in the stretch.
  absl::StatusOr<bool> CopyBlock(const CutStream& stream, size_t index, uint64_t number,
                                 StreamWriter& writer) {
    const BlockHeader& header = stream.places[index].found.header;
    if (stream.id.kind == BlockKind::kResources || IsWithin(header))
      return CopyWhole(stream.places[index], number, writer);
    EventBlock block;
    if (!stream.events.Read(index, block).ok()) {
      ++cut_.unreadable_blocks;
      return true;
    }
    const auto at = [&](uint64_t time_ns) {
      return std::lower_bound(
          block.events.begin(), block.events.end(), time_ns,
          [](const TraceEvent& event, uint64_t bound_ns) { return event.time_ns < bound_ns; });
    };
    const auto first = static_cast<size_t>(at(cut_.from_ns) - block.events.begin());
    const auto end = static_cast<size_t>(at(cut_.to_ns) - block.events.begin());
    if (first == end) return false;
    block.cpu = header.cpu;
    const auto encoded = encoder_.EncodeEvents(block, first, end - first, stream.id.kind, number);
    if (!encoded.ok()) return encoded.status();
    if (auto status = Append(*encoded, writer); !status.ok()) return status;
    return true;
  }

  // The payload as it is, under a header with its new number.
  absl::StatusOr<bool> CopyWhole(const CutStream::Place& place, uint64_t number,
                                 StreamWriter& writer) {
    BlockHeader header = place.found.header;
    std::vector<uint8_t> bytes(kBlockHeaderBytes + header.payload_bytes);
    const auto payload = std::span(bytes).subspan(kBlockHeaderBytes);
    const auto file = OpenFile(place.path);
    const auto read = file.ok() ? ReadAt(file->handle, place.found.offset + header.header_bytes,
                                         payload, place.path)
                                : absl::StatusOr<size_t>(file.status());
    if (!read.ok() || *read != payload.size()) {
      ++cut_.unreadable_blocks;
      return true;
    }
    header.header_bytes = kBlockHeaderBytes;
    header.sequence = number;
    WriteBlockHeader(header, std::span(bytes).first<kBlockHeaderBytes>());
    if (auto status = Append({.header = header, .bytes = bytes}, writer); !status.ok())
      return status;
    return true;
  }

  absl::Status Append(const EncodedBlock& block, StreamWriter& writer) {
    if (auto status = writer.Append(block, 0); !status.ok()) return status;
    if (block.header.kind != BlockKind::kResources) cut_.events += block.header.events;
    cut_.bytes += block.bytes.size();
    return absl::OkStatus();
  }

  // A recording that goes on has no names yet.
  absl::Status CopySymbols() {
    for (const char* const name : {kSymbolsFile, kPlainSymbolsFile}) {
      const std::string path = absl::StrCat(directory_, "/", name);
      const auto file = OpenFile(path);
      if (!file.ok()) continue;
      if (file->size_bytes > kMaxSymbolsBytes) return absl::OkStatus();
      cut_.bytes += file->size_bytes;
      return CopyFile(path, absl::StrCat(folder_, "/", name), file->size_bytes);
    }
    return absl::OkStatus();
  }

  absl::Status WriteDescription() {
    pb::Session cut = session_;
    cut.set_format_version(kSessionFormatVersion);
    cut.set_start_time_ns(cut_.from_ns);
    cut.set_end_time_ns(cut_.to_ns);
    cut.set_complete(true);
    cut.set_end_reason("cut");
    cut.set_snapshot_of(session_.name());
    cut.set_events(cut_.events);
    cut.clear_complete_until_ns();
    // Like a flight recorder that has kept so much: what came before has given way.
    if (cut.options().ring_bytes() == 0) cut.mutable_options()->set_ring_bytes(cut_.bytes + 1);
    cut.clear_pauses();
    for (const pb::Pause& pause : session_.pauses()) {
      if (pause.from_ns() >= cut_.to_ns || pause.to_ns() <= cut_.from_ns) continue;
      pb::Pause& kept = *cut.add_pauses();
      kept.set_from_ns(std::max(pause.from_ns(), cut_.from_ns));
      kept.set_to_ns(std::min(pause.to_ns(), cut_.to_ns));
    }
    cut.clear_suspends();
    for (const pb::Suspend& suspend : session_.suspends())
      if (suspend.noticed_ns() >= cut_.from_ns && suspend.noticed_ns() < cut_.to_ns)
        *cut.add_suspends() = suspend;
    const std::string bytes = cut.SerializeAsString();
    cut_.bytes += bytes.size();
    return ReplaceFile(absl::StrCat(folder_, "/", kSessionFileName), bytes);
  }

  const std::string directory_;
  const std::string folder_;  // where the cut is written
  SessionCut cut_;
  pb::Session session_;
  std::map<StreamId, std::unique_ptr<CutStream>> streams_;
  ToldMeanings meanings_;
  BlockEncoder encoder_;
};

}  // namespace

absl::StatusOr<SessionCut> CutSession(const std::string& directory, uint64_t from_ns,
                                      uint64_t to_ns, const std::string& out) {
  if (auto status = CheckIsFolder(directory); !status.ok()) return status;
  const std::string bare = out.substr(0, out.find_last_not_of('/') + 1);
  const std::string aside = absl::StrCat(bare, ".new-", getpid());
  std::error_code error;
  if (std::filesystem::exists(bare, error) && !std::filesystem::is_empty(bare, error)) {
    return absl::AlreadyExistsError(absl::StrCat(
        out, " exists and is not an empty directory: choose another one, or remove it"));
  }
  if (auto status = MakeEmptyDirectory(aside); !status.ok()) return status;
  auto cut = Cutter(directory, aside, from_ns, to_ns).Run();
  if (cut.ok() && rename(aside.c_str(), bare.c_str()) != 0)
    cut = SystemError(errno, "cannot make the directory", out);
  if (!cut.ok()) std::filesystem::remove_all(aside, error);
  return cut;
}

}  // namespace gordian
