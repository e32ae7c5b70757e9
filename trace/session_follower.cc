// SPDX-License-Identifier: Apache-2.0
// A poll reads session.pb first, then lists the folder, then scans: whatever the watermark in
// session.pb tells to be in the files is there, or was deleted, when they are scanned.
//
// What was deleted in between shows in two ways. The numbers of a stream's blocks follow each
// other: the next block that is there tells how many are missing before it. And a flight recorder
// always deletes the segment with the oldest last event, of all streams. So whatever it has deleted
// ended before the oldest of the segments that are still there. If that one ended before the
// watermark of the poll before, all that was deleted since had been given, or told. Otherwise the
// time between the two is told as an overrun.
#include "trace/session_follower.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr uint64_t kEndOfTime = std::numeric_limits<uint64_t>::max();

// Each replacement is another file. Empty if there is none.
std::string IdentityOf(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "";
  return absl::StrCat(status.st_dev, "/", status.st_ino, "/", status.st_ctim.tv_sec, ".",
                      status.st_ctim.tv_nsec, "/", status.st_size);
}

}  // namespace

absl::StatusOr<std::unique_ptr<SessionFollower>> SessionFollower::Open(
    const std::string& directory) {
  if (auto status = CheckIsFolder(directory); !status.ok()) return status;
  return std::unique_ptr<SessionFollower>(new SessionFollower(directory));
}

absl::StatusOr<SessionNews> SessionFollower::Poll(uint64_t now_ns) {
  return PollFolder(now_ns, false);
}

absl::StatusOr<SessionNews> SessionFollower::PollLast(uint64_t now_ns) {
  return PollFolder(now_ns, true);
}

absl::StatusOr<SessionNews> SessionFollower::PollFolder(uint64_t now_ns, bool is_last) {
  SessionNews news;
  if (is_first_poll_) heard_ns_ = now_ns;
  given_until_ns_ = complete_until_ns_;
  if (auto status = ReadSession(news); !status.ok()) return status;
  is_over_ = is_over_ || is_last || session_.complete();
  lost_sight_ = false;
  const auto listed = ListSegments(directory_);
  if (!listed.ok()) return listed.status();
  TakeListing(*listed);
  for (auto& [id, stream] : streams_)
    if (auto status = ScanStream(id, stream, news); !status.ok()) return status;
  CheckOverrun(news);
  // Of what was deleted during the scans, the oldest end as it was then is not known: the next poll
  // tells.
  if (!lost_sight_ || is_last) {
    ended_ = is_over_;
    const uint64_t told_ns = ended_ ? kEndOfTime : session_.complete_until_ns();
    complete_until_ns_ = std::max(complete_until_ns_, told_ns);
  }
  if (news.session_changed || !news.blocks.empty()) heard_ns_ = now_ns;
  is_first_poll_ = false;
  return news;
}

// A file that is replaced between the look and the reading is read again by the next poll.
absl::Status SessionFollower::ReadSession(SessionNews& news) {
  std::string identity = IdentityOf(absl::StrCat(directory_, "/", kSessionFileName));
  if (identity == session_identity_) return absl::OkStatus();
  session_identity_ = std::move(identity);
  auto file = ReadSessionFile(directory_);
  if (!file.ok()) return file.status();
  if (!file->session) return absl::OkStatus();
  if (has_session_file_ && file->session->start_time_ns() != session_.start_time_ns()) {
    return absl::FailedPreconditionError(
        absl::StrCat(directory_, " holds another recording now: begin anew to follow it"));
  }
  session_ = *std::move(file->session);
  has_session_file_ = true;
  news.session_changed = true;
  return absl::OkStatus();
}

void SessionFollower::TakeListing(const std::vector<SegmentName>& listed) {
  std::map<StreamId, std::vector<uint32_t>> numbers;
  for (const SegmentName& name : listed) numbers[name.stream].push_back(name.number);
  for (auto& [id, stream] : streams_) {
    const std::vector<uint32_t>& present = numbers[id];
    for (auto it = stream.segments.begin(); it != stream.segments.end();) {
      const bool is_there = std::binary_search(present.begin(), present.end(), it->first);
      it = is_there ? std::next(it) : TakeAway(it, stream);
    }
  }
  for (const SegmentName& name : listed) {
    Stream& stream = streams_[name.stream];
    if (name.number >= stream.numbers_gone) stream.segments.try_emplace(name.number);
    if (!stream.segments.empty() && stream.segments.begin()->first > 0) gave_way_ = true;
    if (name.number > 0) has_second_segment_ = true;
  }
}

SessionFollower::Segments::iterator SessionFollower::TakeAway(Segments::iterator gone,
                                                              Stream& stream) {
  gave_way_ = true;
  stream.numbers_gone = std::max(stream.numbers_gone, gone->first + 1);
  if (!gone->second.is_read_to_end) stream.end_is_unread = true;
  return stream.segments.erase(gone);
}

absl::Status SessionFollower::ScanStream(StreamId id, Stream& stream, SessionNews& news) {
  for (auto it = stream.segments.begin(); it != stream.segments.end();) {
    auto& [number, segment] = *it;
    const auto next = std::next(it);
    // A recorder begins a segment when it has closed the one before.
    const bool is_closed = is_over_ || next != stream.segments.end();
    if (!segment.is_read_to_end) {
      const SegmentName name{id, number};
      SegmentScan scan;
      const auto status =
          ContinueScan(absl::StrCat(directory_, "/", SegmentFileName(name)), id,
                       is_closed ? SegmentEnd::kFinal : SegmentEnd::kGrows, segment.position, scan);
      if (absl::IsNotFound(status)) {  // deleted since it was listed
        it = TakeAway(it, stream);
        lost_sight_ = true;
        continue;
      }
      segment.is_unreadable = !status.ok();
      segment.is_read_to_end = is_closed && status.ok();
      damage_ += scan.damage;
      const bool has_blocks = !scan.blocks.empty();
      TakeBlocks(name, stream, std::move(scan.blocks), news);
      if (has_blocks) segment.last_time_ns = stream.last_time_ns;
    }
    it = next;
  }
  return absl::OkStatus();
}

void SessionFollower::TakeBlocks(SegmentName name, Stream& stream, std::vector<FoundBlock> blocks,
                                 SessionNews& news) {
  if (blocks.empty()) return;
  for (const FoundBlock& block : blocks) {
    CheckSequence(name, stream, block.header, news);
    stream.has_blocks = true;
    stream.end_is_unread = false;
    stream.last_number = name.number;
    stream.next_sequence = std::max(stream.next_sequence, block.header.sequence + 1);
    stream.last_time_ns = std::max(stream.last_time_ns, block.header.last_time_ns);
  }
  news.blocks.push_back({.stream = name.stream,
                         .path = absl::StrCat(directory_, "/", SegmentFileName(name)),
                         .blocks = std::move(blocks)});
}

// Numbers that are left out where no segment has gone are damage.
void SessionFollower::CheckSequence(SegmentName name, Stream& stream, const BlockHeader& header,
                                    SessionNews& news) {
  if (header.sequence <= stream.next_sequence) return;
  const uint64_t left_out = header.sequence - stream.next_sequence;
  if (!stream.has_blocks && (is_first_poll_ || name.number == 0)) {
    stream.blocks_before_first = left_out;  // what gave way before is not ours to tell
    return;
  }
  if (stream.has_blocks && !stream.end_is_unread && name.number - stream.last_number <= 1) {
    damage_.missing_blocks += left_out;
    return;
  }
  // Without a watermark from the time before, the last block before the gap is the best there is.
  const uint64_t from_ns = given_until_ns_ != 0 ? given_until_ns_ : stream.last_time_ns;
  news.vanished.push_back({.stream = name.stream,
                           .from_ns = from_ns,
                           .to_ns = std::max(from_ns, header.first_time_ns),
                           .blocks = left_out});
}

void SessionFollower::CheckOverrun(SessionNews& news) const {
  // A stream may come and go whole, and leave no number that is missing.
  const bool may_have_given_way = gave_way_ || (has_second_segment_ && !KeepsAll());
  if (!may_have_given_way || is_first_poll_ || given_until_ns_ == kEndOfTime) return;
  if (session_.complete_until_ns() == 0) return;  // nothing was promised that could be broken
  uint64_t oldest_end_ns = kEndOfTime;
  for (const auto& [id, stream] : streams_) {
    if (id.kind == BlockKind::kTasks) continue;  // its segments are kept for longer
    const auto first = std::find_if(stream.segments.begin(), stream.segments.end(),
                                    [](const auto& it) { return it.second.last_time_ns != 0; });
    if (first != stream.segments.end())
      oldest_end_ns = std::min(oldest_end_ns, first->second.last_time_ns);
  }
  if (oldest_end_ns == kEndOfTime) oldest_end_ns = session_.end_time_ns();
  if (oldest_end_ns >= given_until_ns_) news.overrun = {given_until_ns_, oldest_end_ns + 1};
}

ReadDamage SessionFollower::damage() const {
  ReadDamage damage = damage_;
  damage.unreadable_files += has_session_file_ ? 0 : 1;
  for (const auto& [id, stream] : streams_) {
    if (KeepsAll()) damage.missing_blocks += stream.blocks_before_first;
    for (const auto& [number, segment] : stream.segments)
      damage.unreadable_files += segment.is_unreadable ? 1 : 0;
  }
  return damage;
}

}  // namespace gordian
