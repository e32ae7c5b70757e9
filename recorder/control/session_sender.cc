// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/session_sender.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trace/block_encoder.h"
#include "trace/event_block.h"
#include "trace/file_io.h"
#include "trace/segment_name.h"
#include "trace/session_follower.h"
#include "trace/session_symbols.h"

namespace gordian {
namespace {

using Clock = std::chrono::steady_clock;
using Part = pb::FollowPart;

constexpr uint64_t kPieceBytes = 1u << 20;
// A recorder replaces session.pb twice a second. To look whether it has costs a microsecond.
constexpr auto kLookEvery = std::chrono::milliseconds(100);
// So that the follower knows that we live, also while nothing is recorded.
constexpr auto kAliveEvery = std::chrono::seconds(1);
constexpr auto kForLeaving = std::chrono::seconds(1);
// To describe all threads takes a millisecond or so, during which the recorder waits.
constexpr auto kThreadsAtMostEvery = std::chrono::seconds(1);

absl::Status Gone() { return absl::CancelledError("the follower went away"); }

// A block that waits to be sent.
struct Waiting {
  StreamId stream;
  std::string path;
  FoundBlock block;
};

class SessionSender {
 public:
  SessionSender(const FollowedSession& session, const pb::FollowRequest& request, RateLimit& rate,
                const FollowerEnd& follower)
      : session_(session),
        request_(request),
        most_behind_bytes_(std::min(
            request.max_behind_bytes() == 0 ? kUsualBehindBytes : request.max_behind_bytes(),
            kMostBehindBytes)),
        rate_(rate),
        follower_(follower),
        promised_ns_(request.after_ns()) {}

  absl::Status Run() {
    Join();
    while (true) {
      // Asked first: what is there afterwards is all there will be.
      const std::string end_reason = session_.end_reason();
      if (absl::Status status = Round(!end_reason.empty()); !status.ok()) {
        // An armed session that never began leaves no folder.
        const bool left_nothing = !end_reason.empty() && !files_ && absl::IsNotFound(status);
        return left_nothing ? SendEnd(end_reason) : status;
      }
      if (!end_reason.empty()) return SendEnd(end_reason);
      if (!follower_.wait(kLookEvery)) return Gone();
    }
  }

 private:
  void Join();
  absl::Status Round(bool is_last);
  bool HasNews();
  absl::Status TakeNews(bool is_last);
  void TakeBlocks(const NewBlocks& found);
  void PassOver();
  absl::Status TellThreadsIfDue();
  absl::Status SendWaiting();
  absl::Status SendBlock(const Waiting& waiting);
  absl::Status SendLoss(uint16_t cpu, uint64_t sequence, uint64_t from_ns, uint64_t to_ns,
                        uint64_t events);
  absl::Status SendSessionFile();
  absl::Status SendEnd(const std::string& reason);
  absl::Status SendInPieces(Part::Kind kind, std::string_view data, Part last);
  absl::Status Send(const Part& part);

  const FollowedSession& session_;
  const pb::FollowRequest& request_;
  const uint64_t most_behind_bytes_;
  RateLimit& rate_;
  const FollowerEnd& follower_;

  std::unique_ptr<SessionFollower> files_;
  std::optional<FileState> session_file_;  // that of the last round
  bool has_session_file_ = false;
  uint64_t after_ns_ = 0;     // blocks that end before, of those at the first look, are not sent
  uint64_t promised_ns_ = 0;  // the watermark that the follower has
  std::vector<Waiting> waiting_;
  bool passes_over_ = false;                    // the events that wait
  std::map<StreamId, uint64_t> next_sequence_;  // behind what was sent
  uint64_t skipped_blocks_ = 0;
  uint64_t skipped_events_ = 0;
  uint64_t skipped_bytes_ = 0;

  bool threads_due_ = false;
  bool are_described_ = false;  // threads_ are to be sent
  Clock::time_point threads_told_;
  uint64_t sent_since_threads_bytes_ = 0;
  EventBlock threads_;
  BlockEncoder encoder_;
  std::vector<uint8_t> buffer_;
  Clock::time_point last_sent_;
};

absl::Status SessionSender::Round(bool is_last) {
  if (!is_last && !HasNews()) {
    return Clock::now() - last_sent_ < kAliveEvery ? absl::OkStatus() : Send(Part());
  }
  if (absl::Status status = TakeNews(is_last); !status.ok()) return status;
  if (absl::Status status = TellThreadsIfDue(); !status.ok()) return status;
  if (absl::Status status = SendWaiting(); !status.ok()) return status;
  return SendSessionFile();
}

bool SessionSender::HasNews() {
  struct stat status = {};
  const std::string path = absl::StrCat(session_.directory, "/", kSessionFileName);
  if (stat(path.c_str(), &status) != 0) return false;
  return session_file_ != StateOf(status);
}

// The threads first: all of their time and before is known then by them, and all that comes behind
// is still to be sent.
void SessionSender::Join() {
  const absl::StatusOr<uint64_t> described = session_.describe_threads(threads_);
  // One that has not begun is followed from its beginning; one that has just ended, at its end.
  after_ns_ = described.value_or(0);
  if (!described.ok() && !absl::IsFailedPrecondition(described.status())) after_ns_ = UINT64_MAX;
  if (request_.after_ns() != 0) after_ns_ = std::min(after_ns_, request_.after_ns());
  are_described_ = described.ok();
  threads_told_ = Clock::now();
}

absl::Status SessionSender::TakeNews(bool is_last) {
  if (!files_) {
    auto files = SessionFollower::Open(session_.directory);
    if (!files.ok()) return files.status();
    files_ = *std::move(files);
  }
  // Before the poll: if it is replaced in between, the next round only finds a little less.
  struct stat status = {};
  const std::string path = absl::StrCat(session_.directory, "/", kSessionFileName);
  if (stat(path.c_str(), &status) == 0) session_file_ = StateOf(status);
  const uint64_t now_ns = static_cast<uint64_t>(Clock::now().time_since_epoch().count());
  const auto news = is_last ? files_->PollLast(now_ns) : files_->Poll(now_ns);
  if (!news.ok()) return news.status();
  for (const VanishedBlocks& gone : news->vanished) {
    threads_due_ = true;
    skipped_blocks_ += gone.blocks;
    if (gone.stream.kind != BlockKind::kEvents) continue;
    absl::Status told =
        SendLoss(gone.stream.cpu, next_sequence_[gone.stream], gone.from_ns, gone.to_ns, 0);
    if (!told.ok()) return told;
  }
  if (news->overrun) {
    threads_due_ = true;
    for (const auto& [stream, next_sequence] : next_sequence_) {
      if (stream.kind != BlockKind::kEvents) continue;
      absl::Status told =
          SendLoss(stream.cpu, next_sequence, news->overrun->from_ns, news->overrun->to_ns, 0);
      if (!told.ok()) return told;
    }
  }
  for (const NewBlocks& found : news->blocks) TakeBlocks(found);
  has_session_file_ |= news->session_changed;
  after_ns_ = 0;
  PassOver();
  return absl::OkStatus();
}

void SessionSender::TakeBlocks(const NewBlocks& found) {
  for (const FoundBlock& block : found.blocks) {
    if (block.header.last_time_ns < after_ns_) {
      next_sequence_[found.stream] = block.header.sequence + 1;
    } else {
      waiting_.push_back({found.stream, found.path, block});
    }
  }
}

// Only events: tasks and resources are little, and name what the events are about.
void SessionSender::PassOver() {
  uint64_t bytes = 0;
  for (const Waiting& waiting : waiting_)
    if (waiting.stream.kind == BlockKind::kEvents) bytes += waiting.block.header.block_bytes();
  passes_over_ = bytes > most_behind_bytes_;
  threads_due_ |= passes_over_;
}

absl::Status SessionSender::TellThreadsIfDue() {
  const auto now = Clock::now();
  const uint64_t every_ns = request_.threads_every_ns();
  const uint64_t every_bytes = request_.threads_every_bytes();
  threads_due_ |=
      every_ns != 0 &&
      now - threads_told_ >= std::chrono::nanoseconds(std::min<uint64_t>(every_ns, INT64_MAX));
  threads_due_ |= every_bytes != 0 && sent_since_threads_bytes_ >= every_bytes;
  if (!are_described_) {
    if (!threads_due_ || now - threads_told_ < kThreadsAtMostEvery) return absl::OkStatus();
    if (!session_.describe_threads(threads_).ok()) return absl::OkStatus();  // not begun, or over
  }
  threads_due_ = are_described_ = false;
  threads_told_ = now;
  sent_since_threads_bytes_ = 0;
  size_t limit = kMaxBlockEvents;
  uint64_t number = 0;
  for (size_t done = 0; done < threads_.events.size();) {
    const size_t count = std::min(limit, threads_.events.size() - done);
    const auto block = encoder_.EncodeEvents(threads_, done, count, BlockKind::kTasks, number);
    if (absl::IsOutOfRange(block.status()) && count > 1) {
      limit = count / 2;
      continue;
    }
    if (!block.ok()) return block.status();
    const std::string_view bytes(reinterpret_cast<const char*>(block->bytes.data()),
                                 block->bytes.size());
    if (absl::Status status = SendInPieces(Part::THREADS, bytes, Part()); !status.ok())
      return status;
    done += count;
    ++number;
  }
  return absl::OkStatus();
}

absl::Status SessionSender::SendWaiting() {
  for (const Waiting& waiting : waiting_) {
    const BlockHeader& header = waiting.block.header;
    next_sequence_[waiting.stream] = header.sequence + 1;
    absl::Status status = absl::NotFoundError("passed over");
    const bool is_passed_over = passes_over_ && waiting.stream.kind == BlockKind::kEvents;
    if (!is_passed_over) status = SendBlock(waiting);
    if (absl::IsNotFound(status)) {
      skipped_blocks_ += 1;
      skipped_events_ += header.events;
      skipped_bytes_ += header.block_bytes();
      threads_due_ |= !is_passed_over;  // those that were passed over have made them due before
      status = waiting.stream.kind == BlockKind::kEvents
                   ? SendLoss(header.cpu, header.sequence, header.first_time_ns,
                              header.last_time_ns, header.events)
                   : absl::OkStatus();
    }
    if (!status.ok()) return status;
  }
  waiting_.clear();
  return absl::OkStatus();
}

// NotFound if a flight recorder has deleted it meanwhile.
absl::Status SessionSender::SendBlock(const Waiting& waiting) {
  const auto file = OpenFile(waiting.path);
  if (!file.ok()) return absl::NotFoundError(waiting.path);
  buffer_.resize(waiting.block.header.block_bytes());
  const auto size = ReadAt(file->handle, waiting.block.offset, buffer_, waiting.path);
  if (!size.ok()) return size.status();
  if (*size < buffer_.size()) return absl::NotFoundError(waiting.path);
  return SendInPieces(Part::BLOCK, {reinterpret_cast<const char*>(buffer_.data()), buffer_.size()},
                      Part());
}

// Before the watermark nothing is lost: all of it was sent.
absl::Status SessionSender::SendLoss(uint16_t cpu, uint64_t sequence, uint64_t from_ns,
                                     uint64_t to_ns, uint64_t events) {
  EventBlock block;
  block.cpu = cpu;
  from_ns = std::max(from_ns, promised_ns_);
  TraceEvent event{.time_ns = std::max(from_ns, to_ns), .kind = EventKind::kLoss, .cpu = cpu};
  event.loss = {.duration_ns = event.time_ns - from_ns,
                .count = events,
                .kind = cpu == kNoCpu ? EventKind::kProbe : EventKind::kSwitch};
  block.events.push_back(event);
  const auto encoded = encoder_.EncodeEvents(block, 0, 1, BlockKind::kEvents, sequence);
  if (!encoded.ok()) return encoded.status();
  return SendInPieces(Part::BLOCK,
                      {reinterpret_cast<const char*>(encoded->bytes.data()), encoded->bytes.size()},
                      Part());
}

// With the watermark that is true of what was found: it may be behind that of the file for a round,
// as where a flight recorder deleted something meanwhile.
absl::Status SessionSender::SendSessionFile() {
  if (!has_session_file_) return absl::OkStatus();  // it was left without one
  Part last;
  last.set_skipped_blocks(skipped_blocks_);
  last.set_skipped_events(skipped_events_);
  last.set_skipped_bytes(skipped_bytes_);
  pb::Session session = files_->session();
  promised_ns_ =
      std::max(promised_ns_, std::min(session.complete_until_ns(), files_->complete_until_ns()));
  session.set_complete_until_ns(promised_ns_);
  return SendInPieces(Part::SESSION, session.SerializeAsString(), std::move(last));
}

// A session may have no names of code.
absl::Status SessionSender::SendEnd(const std::string& reason) {
  const std::string path = absl::StrCat(session_.directory, "/", kSymbolsFile);
  if (const auto file = OpenFile(path); file.ok() && file->size_bytes <= kMaxSymbolsBytes) {
    buffer_.resize(kPieceBytes);
    for (uint64_t at = 0; at < file->size_bytes;) {
      const auto size = ReadAt(file->handle, at, buffer_, path);
      if (!size.ok()) return size.status();
      if (*size == 0) break;
      at += *size;
      Part part;
      part.set_kind(Part::SYMBOLS);
      part.set_data(buffer_.data(), *size);
      part.set_goes_on(at < file->size_bytes);
      if (absl::Status status = Send(part); !status.ok()) return status;
    }
  }
  Part part;
  part.set_kind(Part::END);
  part.set_end_reason(reason);
  absl::Status status = Send(part);
  // A daemon that stops would close the connection at once. If the follower is just writing then,
  // its gRPC gives up what it has not read. So it is the follower that leaves.
  if (status.ok()) follower_.wait(kForLeaving);
  return status;
}

absl::Status SessionSender::SendInPieces(Part::Kind kind, std::string_view data, Part last) {
  Part part;
  part.set_kind(kind);
  part.set_goes_on(true);
  for (; data.size() > kPieceBytes; data.remove_prefix(kPieceBytes)) {
    part.set_data(data.data(), kPieceBytes);
    if (absl::Status status = Send(part); !status.ok()) return status;
  }
  last.set_kind(kind);
  last.set_data(data.data(), data.size());
  return Send(last);
}

absl::Status SessionSender::Send(const Part& part) {
  const uint64_t bytes = part.data().size();
  const auto wait = rate_.Take(bytes, RateLimit::Clock::now());
  if (wait > RateLimit::Clock::duration::zero() && !follower_.wait(wait)) return Gone();
  if (!follower_.send(part)) return Gone();
  if (part.kind() == Part::BLOCK) sent_since_threads_bytes_ += bytes;
  last_sent_ = Clock::now();
  return absl::OkStatus();
}

}  // namespace

absl::Status SendSession(const FollowedSession& session, const pb::FollowRequest& request,
                         RateLimit& rate, const FollowerEnd& follower) {
  return SessionSender(session, request, rate, follower).Run();
}

}  // namespace gordian
