// SPDX-License-Identifier: Apache-2.0
// The stream of a recording that does not grow: a first pass over all blocks collects what
// histories must know before, a second one makes them.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/timeline/recording_facts.h"
#include "analyzer/timeline/settled_histories.h"
#include "analyzer/timeline/timeline_stream.h"
#include "analyzer/timeline/window_reader.h"
#include "analyzer/timeline/window_records.h"
#include "base/parallel.h"

namespace gordian {
namespace {

constexpr uint64_t kEndOfTime = std::numeric_limits<uint64_t>::max();

class RecordedStream : public TimelineStream {
 public:
  RecordedStream(SessionReader& session, const StreamOptions& options)
      : session_(session),
        options_(options),
        blocks_(session, ThreadCount(options.threads)),
        facts_(session, blocks_.pauses()),
        reader_(blocks_, ThreadCount(options.threads)),
        context_(facts_.Context()),
        histories_(context_, options) {}

  absl::Status Begin() {
    if (blocks_.empty()) {
      return absl::FailedPreconditionError(
          "the session holds no events: nothing was recorded, or its trace files are missing");
    }
    Survey();
    made_ = facts_.Finish(options_.targets);
    for (EntityId id = 0; id < facts_.lives().lives().size(); ++id) histories_.Add();
    if (options_.window_ns == 0) {
      borders_ = blocks_.Borders(options_.events_per_window != 0 ? options_.events_per_window
                                                                 : kEventsPerWindow);
    }
    window_.to_ns = facts_.start_ns();
    return absl::OkStatus();
  }

  absl::StatusOr<const SettledWindow*> Next() override {
    if (ended_) return nullptr;
    // How many windows are read at once must not show.
    do {
      if (++next_ < windows_.size()) continue;
      if (absl::Status status = ReadWindows(); !status.ok()) return status;
    } while (windows_[next_].slots.empty() && ends_[next_] != kEndOfTime);
    const uint64_t end_ns = ends_[next_];
    histories_.Read(ShareOut(windows_[next_], facts_.lives()));
    ended_ = end_ns == kEndOfTime;
    if (ended_) histories_.Finish();
    window_.slices = histories_.slices();
    for (const SettledSlice& slice : window_.slices) AddUp(slice, made_.entities[slice.thread]);
    window_.from_ns = window_.to_ns;
    window_.to_ns = std::max(window_.from_ns, ended_ ? facts_.end_ns() : end_ns);
    records_.TakeUntil(end_ns, facts_.lives(), start_ns(), window_);
    return &window_;
  }
  bool ended() const override { return ended_; }

  std::vector<UnsettledThread> Unsettled() const override {
    return histories_.UnsettledBefore(window_.to_ns);
  }
  const std::vector<Entity>& entities() const override { return made_.entities; }
  ThreadFacts facts(EntityId thread) const override {
    return {.creator = made_.creators[thread],
            .exit_ns = made_.exits[thread],
            .contradictions = histories_.contradictions(thread),
            .programs = made_.programs.Of(thread)};
  }
  uint64_t start_ns() const override { return facts_.start_ns(); }
  uint64_t end_ns() const override { return facts_.end_ns(); }
  const Pauses& pauses() const override { return blocks_.pauses(); }
  const absl::flat_hash_map<uint32_t, WaitObjectRecord>& wait_objects() const override {
    return wait_objects_;
  }
  const FlowTable& flows() const override { return flows_; }
  const pb::Session& session() const override { return session_.session(); }
  uint32_t cpus() const override { return facts_.cpus(); }
  uint64_t events() const override { return facts_.events(); }
  uint64_t lost() const override { return facts_.lost() + facts_.unreadable(); }
  std::vector<NamedCount> counters() const override { return AboveZero(histories_.counts()); }
  uint64_t forgotten() const override { return histories_.counts().forgotten(); }

 private:
  using Damage = BlockSource::Damage;

  // Blocks are dropped as soon as they are decoded.
  void Survey() {
    TidIndex met;
    const std::vector<uint64_t> borders = blocks_.Borders(kEventsPerWindow);
    for (size_t i = 0; i < borders.size();) {
      i = std::min(borders.size(), i + reader_.windows_at_once());
      blocks_.DecodeUntil(borders[i - 1], damaged_, [&](DecodedBlock& block) {
        for (const FlowRecord& flow : block.flows) AddFlow(flow, flows_);
        facts_.Take(block);
        for (size_t record = 0; record < block.tids.size(); ++record)
          if (block.records[record].time_ns < kEndOfTime) met.Intern(block.tids[record]);
        for (WaitObjectRecord& object : block.wait_objects)
          wait_objects_[object.object_id] = std::move(object);
      });
      blocks_.DropUntil(kEndOfTime);
      facts_.SortMentioned();
    }
    for (const int32_t tid : met.tids()) facts_.Meet(tid);
    for (const Damage& damage : damaged_) {
      session_.CountCorruptBlock(damage.block.bytes);
      facts_.TakeDamaged(damage);
    }
    blocks_.Rewind();
  }

  absl::Status ReadWindows() {
    const uint64_t from_ns = ends_.empty() ? 0 : ends_.back();
    ends_ = options_.window_ns == 0 ? NextBorders() : NextEnds(from_ns);
    next_ = 0;
    windows_.clear();
    memory_ = ColumnMemory();
    windows_ = reader_.Read(from_ns, ends_, memory_, damaged_again_,
                            [this](DecodedBlock& block) { records_.Add(block, start_ns()); });
    return CheckDamage();
  }

  std::vector<uint64_t> NextBorders() {
    const size_t count = std::min(reader_.windows_at_once(), borders_.size() - next_border_);
    const auto first = borders_.begin() + static_cast<ptrdiff_t>(next_border_);
    next_border_ += count;
    return {first, first + static_cast<ptrdiff_t>(count)};
  }

  // Windows in which nothing happens are a part of the next: there may be any number of them.
  std::vector<uint64_t> NextEnds(uint64_t from_ns) const {
    const uint64_t next_ns = blocks_.NextTime(from_ns, kEndOfTime);
    if (next_ns > facts_.end_ns()) return {kEndOfTime};
    uint64_t end_ns = start_ns() + (std::max(next_ns, start_ns()) - start_ns()) /
                                       options_.window_ns * options_.window_ns;
    std::vector<uint64_t> ends;
    while (ends.size() < reader_.windows_at_once() && end_ns <= facts_.end_ns()) {
      end_ns += std::min(options_.window_ns, kEndOfTime - end_ns);
      ends.push_back(end_ns > facts_.end_ns() ? kEndOfTime : end_ns);
    }
    return ends;
  }

  // Both passes read the same blocks in the same order.
  absl::Status CheckDamage() const {
    const auto is_same = [](const Damage& a, const Damage& b) {
      return a.cpu == b.cpu && a.block.sequence == b.block.sequence &&
             a.block.first_time_ns == b.block.first_time_ns && a.block.bytes == b.block.bytes;
    };
    if (damaged_again_.size() <= damaged_.size() &&
        std::equal(damaged_again_.begin(), damaged_again_.end(), damaged_.begin(), is_same))
      return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat(session_.directory(), " changed while it was read: a block of CPU ",
                     damaged_again_.back().cpu, " is gone or damaged; read the recording anew"));
  }

  SessionReader& session_;
  const StreamOptions options_;
  BlockSource blocks_;
  RecordingFacts facts_;
  WindowReader reader_;
  const HistoryContext context_;
  SettledHistories histories_;
  RecordedEntities made_;
  absl::flat_hash_map<uint32_t, WaitObjectRecord> wait_objects_;
  FlowTable flows_;
  std::vector<Damage> damaged_;        // that the first pass met
  std::vector<Damage> damaged_again_;  // … the second, so far

  std::vector<uint64_t> borders_;  // of windows of about equally many events
  size_t next_border_ = 0;
  // The windows that were read, and which of them is at hand.
  ColumnMemory memory_;
  std::vector<uint64_t> ends_;
  std::vector<Window> windows_;
  size_t next_ = 0;
  WindowRecords records_;
  SettledWindow window_;
  bool ended_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TimelineStream>> TimelineStream::Open(SessionReader& session,
                                                                     const StreamOptions& options) {
  auto stream = std::make_unique<RecordedStream>(session, options);
  if (absl::Status status = stream->Begin(); !status.ok()) return status;
  return stream;
}

}  // namespace gordian
