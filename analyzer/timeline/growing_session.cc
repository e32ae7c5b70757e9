// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/growing_session.h"

#include <algorithm>
#include <set>
#include <utility>

namespace gordian {
namespace {

// As SessionReader's streams are ordered.
uint32_t OrderOf(StreamId stream) {
  return stream.kind == BlockKind::kTasks ? 0 : uint32_t{stream.cpu} + 1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrowingSession>> GrowingSession::Open(const std::string& directory) {
  auto follower = SessionFollower::Open(directory);
  if (!follower.ok()) return follower.status();
  std::unique_ptr<GrowingSession> session(new GrowingSession());
  session->follower_ = *std::move(follower);
  session->end_ns_ = Pauses::kNever;
  return session;
}

absl::Status GrowingSession::Poll(bool is_last, BlockSource& blocks) {
  const auto news = is_last ? follower_->PollLast(0) : follower_->Poll(0);
  if (!news.ok()) return news.status();
  TakeNews(*news);
  const uint64_t clock_ns = std::max(horizon_clock_ns_, ClockHorizon());
  MayBegin(clock_ns);
  if (!has_begun_) return absl::OkStatus();
  pauses_ = Pauses(session(), first_clock_ns_);
  blocks.SetPauses(pauses_);
  horizon_clock_ns_ = clock_ns;
  Release(clock_ns, blocks);
  if (ended()) {
    end_ns_ = pauses_.RecordedTime(std::max(last_clock_ns_, session().end_time_ns()));
    start_ns_ = std::min(start_ns_, end_ns_);
  }
  return absl::OkStatus();
}

void GrowingSession::TakeNews(const SessionNews& news) {
  std::set<StreamId> vanished;
  for (const VanishedBlocks& gone : news.vanished) {
    vanished.insert(gone.stream);
    lost_blocks_ += gone.blocks;
    if (gone.stream.kind == BlockKind::kEvents)
      losses_.push_back({gone.stream.cpu, gone.from_ns, gone.to_ns});
  }
  // A CPU that is not known yet has lost all before its first block.
  for (const auto& [id, stream] : streams_)
    if (news.overrun && id.kind == BlockKind::kEvents)
      losses_.push_back({id.cpu, news.overrun->from_ns, news.overrun->to_ns});
  for (const NewBlocks& found : news.blocks) {
    if (found.stream.kind == BlockKind::kResources) continue;
    for (const FoundBlock& block : found.blocks)
      TakeBlock(found, block, vanished.contains(found.stream));
  }
}

// Blocks whose numbers are left out are lost. If the follower has told so, it knows better when.
void GrowingSession::TakeBlock(const NewBlocks& found, const FoundBlock& block,
                               bool is_vanish_told) {
  Stream& stream = streams_[found.stream];
  const BlockHeader& header = block.header;
  const bool is_of_cpu = found.stream.kind == BlockKind::kEvents;
  if (stream.blocks == 0 && header.sequence > 0 && !has_begun_) {
    identity_gave_way_ = true;
    gave_way_ |= is_of_cpu;
  }
  if (header.sequence > stream.next_sequence && is_of_cpu && !is_vanish_told)
    losses_.push_back({found.stream.cpu, stream.last_time_ns, header.first_time_ns});
  stream.next_sequence = header.sequence + 1;
  stream.last_time_ns = header.last_time_ns;
  if (is_of_cpu) last_clock_ns_ = std::max(last_clock_ns_, header.last_time_ns);
  auto events = std::make_shared<EventStream>(found.stream);
  events->AddSegment(found.path, {&block, 1});
  const BlockInfo info = events->blocks().front();
  waiting_.push_back({found.stream, stream.blocks++, info, std::move(events)});
}

// A pause grows with each session.pb until it has ended; then all threads are told anew before the
// watermark passes its end.
uint64_t GrowingSession::ClockHorizon() const {
  const uint64_t complete_ns = follower_->complete_until_ns();
  if (ended() || session().pauses().empty()) return complete_ns;
  const pb::Pause& last = session().pauses()[session().pauses_size() - 1];
  return complete_ns <= last.to_ns() ? std::min(complete_ns, last.from_ns()) : complete_ns;
}

// As RecordingFacts finds a recording's start.
void GrowingSession::MayBegin(uint64_t horizon_clock_ns) {
  if (has_begun_) return;
  uint64_t first_ns = Pauses::kNever;
  for (const Waiting& waiting : waiting_)
    if (waiting.stream.kind == BlockKind::kEvents)
      first_ns = std::min(first_ns, waiting.info.first_time_ns);
  if (first_ns >= horizon_clock_ns && !(ended() && !waiting_.empty())) return;
  has_begun_ = true;
  first_clock_ns_ = first_ns;
  const uint64_t told_start_ns = session().start_time_ns();
  start_ns_ = told_start_ns == 0 || gave_way_ ? first_ns : std::min(first_ns, told_start_ns);
  pauses_ = Pauses(session(), first_clock_ns_);
  start_ns_ = pauses_.RecordedTime(start_ns_);
}

// A block of tasks that comes behind a pause tells what is true from the pause's end on.
void GrowingSession::Release(uint64_t horizon_clock_ns, BlockSource& blocks) {
  uint64_t horizon_ns = ended() ? Pauses::kNever : pauses_.RecordedTime(horizon_clock_ns);
  std::vector<Waiting> waiting;
  for (Waiting& block : waiting_) {
    if (ended() || block.info.last_time_ns < horizon_clock_ns) {
      blocks.Add(block.block, OrderOf(block.stream), block.number);
      continue;
    }
    const uint64_t first_ns = block.info.first_time_ns;
    horizon_ns = std::min(horizon_ns, block.stream.kind == BlockKind::kTasks
                                          ? BlockSource::FirstTime(kNoCpu, first_ns, pauses_)
                                          : pauses_.RecordedTime(first_ns));
    waiting.push_back(std::move(block));
  }
  blocks.SortAdded();
  waiting_ = std::move(waiting);
  horizon_ns_ = std::max(horizon_ns_, horizon_ns);
}

uint32_t GrowingSession::cpu_streams() const {
  return static_cast<uint32_t>(
      std::count_if(streams_.begin(), streams_.end(), [](const auto& stream) {
        return stream.first.kind == BlockKind::kEvents && stream.first.cpu != kNoCpu;
      }));
}

// What lies behind the horizon is told again when the pauses there are known.
std::vector<GrowingSession::Loss> GrowingSession::TakeLosses() {
  std::vector<Loss> taken;
  std::vector<Loss> later;
  for (Loss& loss : losses_) {
    if (loss.from_ns >= horizon_clock_ns_ && !ended()) {
      later.push_back(loss);
      continue;
    }
    Loss part = loss;
    if (!ended() && loss.to_ns > horizon_clock_ns_) {
      part.to_ns = loss.from_ns = horizon_clock_ns_;
      later.push_back(loss);
    }
    part.from_ns = pauses_.RecordedTime(part.from_ns);
    part.to_ns = pauses_.RecordedTime(part.to_ns);
    taken.push_back(part);
  }
  losses_ = std::move(later);
  return taken;
}

}  // namespace gordian
