// SPDX-License-Identifier: Apache-2.0
#include "cluster/mirror_folder.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/counters.h"

namespace gordian {
namespace {

using Part = pb::FollowPart;

constexpr uint64_t kMostSessionBytes = 64u << 20;
// Of machines that Linux runs on.
constexpr uint16_t kMostCpus = 8192;

absl::Status Nonsense(const char* what) {
  return absl::DataLossError(absl::StrCat("the node sent ", what, "; what came before is kept"));
}

bool IsKnown(const BlockHeader& header) {
  return header.version <= kBlockVersion && header.header_bytes == kBlockHeaderBytes &&
         (header.kind == BlockKind::kEvents || header.kind == BlockKind::kTasks ||
          header.kind == BlockKind::kResources);
}

}  // namespace

absl::StatusOr<std::unique_ptr<MirrorFolder>> MirrorFolder::Create(const std::string& directory,
                                                                   const MirrorLimits& limits) {
  auto writer =
      SessionWriter::Create(directory, {.ring_bytes = limits.bytes, .ring_ns = limits.keep_ns});
  if (!writer.ok()) return writer.status();
  return std::unique_ptr<MirrorFolder>(new MirrorFolder(limits, *std::move(writer)));
}

uint64_t MirrorFolder::MostBytesOf(Part::Kind kind) const {
  switch (kind) {
    case Part::BLOCK:
    case Part::THREADS:
      return kMaxBlockHeaderBytes + kMaxBlockPayloadBytes;
    case Part::SESSION:
      return std::min(kMostSessionBytes, limits_.bytes);
    case Part::SYMBOLS:
      return limits_.bytes;
    default:
      return 0;
  }
}

absl::Status MirrorFolder::Take(const Part& part) {
  if (ended_) return Nonsense("more than the end");
  if (!Part::Kind_IsValid(part.kind())) return absl::OkStatus();  // of a newer version
  if (!whole_.empty() && part.kind() != kind_) return Nonsense("a part of something else");
  if (part.data().size() > MostBytesOf(part.kind()) - whole_.size())
    return Nonsense("more than there can be of one thing");
  kind_ = part.kind();
  whole_ += part.data();
  // A piece without bytes brings nothing on.
  if (part.goes_on()) return part.data().empty() ? Nonsense("nothing") : absl::OkStatus();
  absl::Status status = TakeWhole(part);
  whole_.clear();
  counts_.bytes_on_disk = writer_->bytes_on_disk();
  return status;
}

absl::Status MirrorFolder::TakeWhole(const Part& last) {
  switch (last.kind()) {
    case Part::ALIVE:
      return absl::OkStatus();
    case Part::BLOCK:
      is_within_round_ = true;
      return TakeBlock(false);
    case Part::THREADS:
      is_within_round_ = true;
      return TakeBlock(true);
    case Part::SESSION:
      return TakeSession(last);
    case Part::SYMBOLS: {
      // A recording is whole without names: as where they do not fit a recorder's own ring.
      absl::Status status = writer_->WritePackedSymbols(whole_);
      return absl::IsResourceExhausted(status) ? absl::OkStatus() : status;
    }
    case Part::END:
      ended_ = true;
      end_reason_ = last.end_reason();
      return absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

absl::Status MirrorFolder::TakeBlock(bool is_of_threads) {
  const auto* data = reinterpret_cast<const uint8_t*>(whole_.data());
  const auto header = ParseBlockHeader({data, whole_.size()});
  if (!header || header->block_bytes() != whole_.size()) return Nonsense("what is no block");
  if (!IsKnown(*header)) {
    ++counts_.unknown_blocks;
    return absl::OkStatus();
  }
  const bool has_cpu = header->kind == BlockKind::kEvents && header->cpu != kNoCpu;
  if (has_cpu ? header->cpu >= kMostCpus : header->cpu != kNoCpu)
    return Nonsense("a block of a CPU that there is not");
  if (is_of_threads && header->kind != BlockKind::kTasks) return Nonsense("no threads");
  if (is_of_threads) return TakeTasks(*header, true);

  const StreamId stream{header->kind, header->cpu};
  const auto brought = brought_.find(stream);
  if (brought != brought_.end() && header->sequence < brought->second) return absl::OkStatus();
  if (header->kind == BlockKind::kTasks) return TakeTasks(*header, false);
  next_[stream] = header->sequence + 1;
  return Append(*header);
}

// Numbers that the node's blocks leave out, ours leave out, too.
absl::Status MirrorFolder::TakeTasks(BlockHeader header, bool is_of_threads) {
  if (is_of_threads) {
    if (header.sequence == 0) writer_->BeginTasksSegment();
  } else {
    const auto [next, is_first] =
        next_.try_emplace(StreamId{BlockKind::kTasks, kNoCpu}, header.sequence);
    if (header.sequence > next->second) next_tasks_number_ += header.sequence - next->second;
    next->second = header.sequence + 1;
  }
  header.sequence = next_tasks_number_++;
  WriteBlockHeader(header, std::span<uint8_t, kBlockHeaderBytes>(
                               reinterpret_cast<uint8_t*>(whole_.data()), kBlockHeaderBytes));
  return Append(header);
}

absl::Status MirrorFolder::Append(const BlockHeader& header) {
  const auto* data = reinterpret_cast<const uint8_t*>(whole_.data());
  absl::Status status = writer_->AppendEncoded({.header = header, .bytes = {data, whole_.size()}});
  if (!status.ok()) return status;
  ++counts_.blocks;
  counts_.events += header.kind == BlockKind::kEvents ? header.events : 0;
  counts_.bytes += whole_.size();
  return absl::OkStatus();
}

absl::Status MirrorFolder::TakeSession(const Part& last) {
  pb::Session session;
  if (!session.ParseFromString(whole_)) return Nonsense("a session.pb that cannot be read");
  if (session.format_version() > kSessionFormatVersion)
    return absl::FailedPreconditionError(absl::StrCat("the node records in a newer format (",
                                                      session.format_version(),
                                                      "); a newer gordian can follow it"));
  if (has_session_ && session.start_time_ns() != session_.start_time_ns())
    return absl::FailedPreconditionError("another session has taken its name on the node");
  session_ = std::move(session);
  has_session_ = true;
  counts_.skipped_blocks = earlier_.skipped_blocks + last.skipped_blocks();
  counts_.skipped_events = earlier_.skipped_events + last.skipped_events();
  counts_.skipped_bytes = earlier_.skipped_bytes + last.skipped_bytes();
  counts_.complete_until_ns = std::max(counts_.complete_until_ns, session_.complete_until_ns());
  session_.set_complete_until_ns(counts_.complete_until_ns);
  session_.mutable_options()->set_ring_bytes(limits_.bytes);
  if (counts_.skipped_events > 0)
    SetCounter(session_, "events_not_followed", counts_.skipped_events);
  is_within_round_ = false;
  return writer_->WriteSession(session_);
}

void MirrorFolder::GoOn() {
  whole_.clear();
  brought_ = next_;
  earlier_ = counts_;
}

absl::Status MirrorFolder::Finish() {
  if (!has_session_ || session_.complete() || is_within_round_) return absl::OkStatus();
  session_.set_complete(true);
  session_.set_end_reason("following ended");
  return writer_->WriteSession(session_);
}

}  // namespace gordian
