// SPDX-License-Identifier: Apache-2.0
// The stream of a recording that may still grow: each window uses what was told until its end.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "analyzer/timeline/growing_facts.h"
#include "analyzer/timeline/growing_session.h"
#include "analyzer/timeline/settled_histories.h"
#include "analyzer/timeline/timeline_stream.h"
#include "analyzer/timeline/window_reader.h"
#include "analyzer/timeline/window_records.h"
#include "base/parallel.h"
#include "base/time_units.h"

namespace gordian {
namespace {

class FollowedStream : public TimelineStream {
 public:
  FollowedStream(std::unique_ptr<GrowingSession> session, const StreamOptions& options)
      : session_(std::move(session)),
        options_(options),
        window_ns_(options.window_ns != 0 ? options.window_ns : kNsPerSecond),
        blocks_(ThreadCount(options.threads)),
        facts_(blocks_.pauses()),
        reader_(blocks_, ThreadCount(options.threads)),
        histories_(facts_.context(), options) {}

  absl::StatusOr<const SettledWindow*> Next() override {
    for (bool has_polled = false; !ended_;) {
      if (const auto end_ns = NextEnd(); end_ns) {
        if (ReadWindow(*end_ns)) return &window_;
        continue;
      }
      ended_ = session_->ended();  // without any event
      if (has_polled || ended_) break;
      if (absl::Status status = Poll(); !status.ok()) return status;
      has_polled = true;
    }
    return nullptr;
  }
  bool ended() const override { return ended_; }
  void EndHere() override { ends_here_ = true; }

  std::vector<UnsettledThread> Unsettled() const override {
    return histories_.UnsettledBefore(window_.to_ns);
  }
  const std::vector<Entity>& entities() const override { return facts_.entities(); }
  ThreadFacts facts(EntityId thread) const override {
    const Life& life = facts_.lives().lives()[thread];
    return {.creator = facts_.lives().CreatorOf(life),
            .exit_ns = life.exit_ns,
            .contradictions = histories_.contradictions(thread),
            .programs = facts_.programs(thread)};
  }
  uint64_t start_ns() const override { return session_->start_ns(); }
  uint64_t end_ns() const override { return session_->end_ns(); }
  const Pauses& pauses() const override { return blocks_.pauses(); }
  const absl::flat_hash_map<uint32_t, WaitObjectRecord>& wait_objects() const override {
    return wait_objects_;
  }
  const FlowTable& flows() const override { return facts_.flows(); }
  const pb::Session& session() const override { return session_->session(); }
  uint32_t cpus() const override {
    return std::max(session_->session().host().cpus(), session_->cpu_streams());
  }
  uint64_t events() const override { return facts_.events(); }
  uint64_t lost() const override { return facts_.lost() + damaged_events_; }
  std::vector<NamedCount> counters() const override { return AboveZero(histories_.counts()); }
  uint64_t forgotten() const override { return histories_.counts().forgotten(); }
  uint64_t told_late() const override {
    return facts_.told_late() + histories_.counts().late_switches;
  }
  uint64_t lost_blocks() const override { return session_->lost_blocks() + damaged_blocks_; }

 private:
  absl::Status Poll() {
    const bool had_begun = session_->has_begun();
    if (absl::Status status = session_->Poll(ends_here_, blocks_); !status.ok()) return status;
    if (session_->has_begun() && !had_begun) {
      facts_.Begin(start_ns(), ToldStatesOf(session_->session(), session_->identity_gave_way()));
      window_.to_ns = start_ns();
    }
    if (session_->ended()) TakeRest();
    for (const GrowingSession::Loss& loss : session_->TakeLosses())
      facts_.TakeLoss(loss.cpu, loss.from_ns, loss.to_ns);
    return absl::OkStatus();
  }

  // All there will ever be: as in RecordedStream, what it tells counts before its windows are read.
  // Otherwise a thread whose birth a killed recorder did not write would be told of too late, by
  // what was written of its end.
  void TakeRest() {
    blocks_.LookAhead([this](DecodedBlock& block) { TakeFacts(block); });
    facts_.End(end_ns());
    has_all_facts_ = true;
  }

  // When the next window ends, as in RecordedStream; nothing if that is not known yet.
  std::optional<uint64_t> NextEnd() const {
    if (!session_->has_begun()) return std::nullopt;
    const uint64_t next_ns = blocks_.NextTime(from_ns_, Pauses::kNever);
    if (session_->ended() && (next_ns > end_ns() || next_ns == Pauses::kNever))
      return Pauses::kNever;
    if (next_ns >= session_->horizon_ns()) return std::nullopt;
    const uint64_t begin_ns =
        start_ns() + (std::max(next_ns, start_ns()) - start_ns()) / window_ns_ * window_ns_;
    const uint64_t end_ns = begin_ns + std::min(window_ns_, Pauses::kNever - begin_ns);
    if (session_->ended()) return end_ns > session_->end_ns() ? Pauses::kNever : end_ns;
    if (end_ns > session_->horizon_ns()) return std::nullopt;
    return end_ns;
  }

  // False if no thread did anything: what there is becomes a part of the next window.
  bool ReadWindow(uint64_t end_ns) {
    ColumnMemory memory;
    std::vector<BlockSource::Damage> damaged;
    const std::vector<Window> windows = reader_.Read(from_ns_, {&end_ns, 1}, memory, damaged,
                                                     [this](DecodedBlock& block) { Take(block); });
    from_ns_ = end_ns;
    for (const BlockSource::Damage& damage : damaged) {
      facts_.TakeLoss(damage.cpu, pauses().RecordedTime(damage.block.first_time_ns),
                      pauses().RecordedTime(damage.block.last_time_ns));
      ++damaged_blocks_;
      damaged_events_ += damage.block.events;
    }
    facts_.Advance(windows[0], end_ns, session_->session(), options_.targets, histories_);
    if (windows[0].slots.empty() && end_ns != Pauses::kNever) return false;
    histories_.Read(ShareOut(windows[0], facts_.lives()));
    ended_ = end_ns == Pauses::kNever;
    if (ended_) histories_.Finish();
    window_.slices = histories_.slices();
    for (const SettledSlice& slice : window_.slices) AddUp(slice, facts_.entities()[slice.thread]);
    window_.from_ns = window_.to_ns;
    window_.to_ns = std::max(window_.from_ns, ended_ ? this->end_ns() : end_ns);
    records_.TakeUntil(end_ns, facts_.lives(), start_ns(), window_);
    return true;
  }

  void Take(DecodedBlock& block) {
    records_.Add(block, start_ns());
    if (!has_all_facts_) TakeFacts(block);
  }
  void TakeFacts(DecodedBlock& block) {
    facts_.Take(block);
    for (WaitObjectRecord& object : block.wait_objects)
      wait_objects_[object.object_id] = std::move(object);
  }

  std::unique_ptr<GrowingSession> session_;
  const StreamOptions options_;
  const uint64_t window_ns_;
  BlockSource blocks_;
  GrowingFacts facts_;
  WindowReader reader_;
  SettledHistories histories_;
  WindowRecords records_;
  absl::flat_hash_map<uint32_t, WaitObjectRecord> wait_objects_;
  uint64_t damaged_blocks_ = 0;
  uint64_t damaged_events_ = 0;
  uint64_t from_ns_ = 0;  // where the windows that were read end
  SettledWindow window_;
  bool ends_here_ = false;
  bool has_all_facts_ = false;
  bool ended_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TimelineStream>> TimelineStream::Follow(
    const std::string& directory, const StreamOptions& options) {
  auto session = GrowingSession::Open(directory);
  if (!session.ok()) return session.status();
  return std::make_unique<FollowedStream>(*std::move(session), options);
}

}  // namespace gordian
