// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/recent_timeline.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace gordian {

RecentTimeline::RecentTimeline(std::unique_ptr<TimelineStream> stream, uint64_t keep_ns)
    : stream_(std::move(stream)), keep_ns_(keep_ns) {}

absl::StatusOr<bool> RecentTimeline::Advance() {
  const auto window = stream_->Next();
  if (!window.ok()) return window.status();
  if (*window == nullptr) return false;
  KeptWindow& kept = windows_.emplace_back();
  kept.from_ns = (*window)->from_ns;
  kept.to_ns = until_ns_ = (*window)->to_ns;
  size_t segments = 0;
  for (const SettledSlice& slice : (*window)->slices) segments += slice.segments.size();
  kept.segments.reserve(segments);
  kept.slices.reserve((*window)->slices.size());
  for (const SettledSlice& slice : (*window)->slices) {
    kept.slices.push_back({.thread = slice.thread,
                           .first = static_cast<uint32_t>(kept.segments.size()),
                           .count = static_cast<uint32_t>(slice.segments.size())});
    kept.segments.insert(kept.segments.end(), slice.segments.begin(), slice.segments.end());
  }
  kept.block_records = (*window)->block_records;
  kept.packets = (*window)->packets;
  kept.packet_wakes = (*window)->packet_wakes;
  kept.local_messages = (*window)->local_messages;
  kept.stack_samples = (*window)->stack_samples;
  while (windows_.size() > 1 && windows_.front().to_ns + keep_ns_ <= until_ns_)
    windows_.pop_front();
  return true;
}

// Gives the kept entities new ids, in the order of a timeline's, and copies what is kept of them.
class RecentTimeline::Maker {
 public:
  explicit Maker(const RecentTimeline& recent)
      : recent_(recent),
        stream_(*recent.stream_),
        entities_(stream_.entities()),
        unsettled_(stream_.Unsettled()),
        new_id_(entities_.size(), kNobody) {}

  Timeline Make() {
    ChooseEntities();
    TellOfWhole();
    CopyEntities();
    CopyPrograms();
    CopySegments();
    CopyRecords();
    return std::move(made_);
  }

 private:
  // Threads with anything kept, and their creators: they tell which threads are alike.
  void ChooseEntities() {
    const auto choose = [this](EntityId id) {
      if (std::exchange(new_id_[id], 0) == kNobody) old_ids_.push_back(id);
    };
    for (const KeptWindow& window : recent_.windows_)
      for (const Slice& slice : window.slices) choose(slice.thread);
    std::erase_if(unsettled_, [this](const UnsettledThread& thread) {
      return new_id_[thread.thread] == kNobody && IsUnheardOf(thread);
    });
    for (const UnsettledThread& thread : unsettled_) choose(thread.thread);
    for (size_t i = 0, count = old_ids_.size(); i < count; ++i) {
      const EntityId creator = stream_.facts(old_ids_[i]).creator;
      if (creator != kNobody) choose(creator);
    }
    std::sort(old_ids_.begin(), old_ids_.end(), [this](EntityId a, EntityId b) {
      return std::tuple(entities_[a].tid, a) < std::tuple(entities_[b].tid, b);
    });
    thread_count_ = old_ids_.size();
    for (EntityId id = 0; id < entities_.size(); ++id)
      if (entities_[id].kind != EntityKind::kThread) old_ids_.push_back(id);
    // About as a timeline's: `unknown` is last.
    std::sort(old_ids_.begin() + static_cast<ptrdiff_t>(thread_count_), old_ids_.end(),
              [this](EntityId a, EntityId b) {
                const auto key = [](const Entity& source) {
                  return std::tie(source.kind, source.device, source.name);
                };
                return key(entities_[a]) < key(entities_[b]);
              });
    for (EntityId id = 0; id < old_ids_.size(); ++id) new_id_[old_ids_[id]] = id;
  }

  // Another thread mentioned it, in a block that goes on behind the window.
  bool IsUnheardOf(const UnsettledThread& thread) const {
    return thread.segments.size() == 1 && thread.last.kind == SegmentKind::kUnknown &&
           entities_[thread.thread].tgid == 0;
  }

  EntityId NewId(EntityId old) const { return old == kNobody ? kNobody : new_id_[old]; }

  void TellOfWhole() {
    made_.start_ns_ = stream_.start_ns();
    made_.end_ns_ = std::max(recent_.until_ns_, made_.start_ns_);
    made_.pauses_ = stream_.pauses();
    made_.cpus_ = stream_.cpus();
    made_.events_ = stream_.events();
    made_.lost_ = stream_.lost();
    made_.missing_blocks_ = stream_.lost_blocks();
    made_.session_ = stream_.session();
    made_.counters_ = stream_.counters();
    made_.flows_ = stream_.flows();
    made_.wait_objects_ = stream_.wait_objects();
    for (const KeptWindow& window : recent_.windows_) made_.borders_.push_back(window.to_ns);
    made_.borders_.back() = made_.end_ns_ + 1;
  }

  void CopyEntities() {
    for (const EntityId old : old_ids_) made_.entities_.push_back(entities_[old]);
    for (size_t id = 0; id < thread_count_; ++id) {
      Entity& thread = made_.entities_[id];
      thread.recorder |= recent_.observer_pid_ != 0 && thread.tgid == recent_.observer_pid_;
      const ThreadFacts facts = stream_.facts(old_ids_[id]);
      made_.creators_.push_back(NewId(facts.creator));
      made_.exits_.push_back(facts.exit_ns);
      made_.contradictions_.push_back(facts.contradictions);
      const uint64_t end_ns = thread.end_ns;
      // Those that live when the recording ends have that as their end.
      made_.ended_.push_back(facts.exit_ns != 0 || (end_ns != 0 && end_ns < made_.end_ns_));
    }
    for (size_t id = thread_count_; id < made_.entities_.size(); ++id) {
      made_.entities_[id].begin_ns = made_.start_ns_;
      made_.entities_[id].end_ns = made_.end_ns_;
    }
  }

  // The threads of a process share a row.
  void CopyPrograms() {
    std::vector<std::vector<Program>> rows(1);
    std::vector<uint32_t> row_of;
    absl::flat_hash_map<const Program*, uint32_t> known;
    for (size_t id = 0; id < thread_count_; ++id) {
      const std::span<const Program> programs = stream_.facts(old_ids_[id]).programs;
      uint32_t row = 0;
      if (!programs.empty()) {
        const auto [found, is_new] =
            known.try_emplace(programs.data(), static_cast<uint32_t>(rows.size()));
        if (is_new) rows.emplace_back(programs.begin(), programs.end());
        row = found->second;
      }
      row_of.push_back(row);
    }
    made_.programs_ = ProcessPrograms(std::move(rows), std::move(row_of));
  }

  // One piece for each thread; what lies before the first kept segment is unknown.
  void CopySegments() {
    std::vector<uint32_t> count(thread_count_, 1);
    const auto count_more = [&](EntityId old, size_t more) {
      count[new_id_[old]] += static_cast<uint32_t>(more);
    };
    for (const KeptWindow& window : recent_.windows_)
      for (const Slice& slice : window.slices) count_more(slice.thread, slice.count);
    for (const UnsettledThread& thread : unsettled_)
      count_more(thread.thread, thread.segments.size());
    size_t all = 0;
    for (const uint32_t one : count) all += one;
    std::span<ThreadSegment> rest = made_.memory_.Make<ThreadSegment>(all);
    made_.first_piece_.clear();
    for (size_t id = 0; id < thread_count_; ++id) {
      made_.first_piece_.push_back(static_cast<uint32_t>(id));
      made_.pieces_.push_back(rest.first(count[id]));
      made_.pieces_.back().front() = ThreadSegment{};
      rest = rest.subspan(count[id]);
    }
    made_.first_piece_.push_back(static_cast<uint32_t>(thread_count_));
    made_.piece_count_.assign(thread_count_, 1);
    filled_.assign(thread_count_, 1);
    for (const KeptWindow& window : recent_.windows_)
      for (const Slice& slice : window.slices)
        Append(slice.thread, std::span(window.segments).subspan(slice.first, slice.count));
    for (const UnsettledThread& thread : unsettled_) AppendUnsettled(thread);
    for (EntityId id = 0; id < thread_count_; ++id) CloseRow(id);
  }

  void Append(EntityId old, std::span<const ThreadSegment> segments) {
    const EntityId id = new_id_[old];
    for (const ThreadSegment& segment : segments) {
      ThreadSegment& copy = made_.pieces_[id][filled_[id]++] = segment;
      copy.waker = NewId(segment.waker);
    }
  }

  // It goes on; the recording ends.
  void AppendUnsettled(const UnsettledThread& thread) {
    Append(thread.thread, thread.segments.first(thread.segments.size() - 1));
    Append(thread.thread, {&thread.last, 1});
    const EntityId id = new_id_[thread.thread];
    Entity& entity = made_.entities_[id];
    // It may begin with what is not settled.
    if (entity.begin_ns == 0) entity.begin_ns = thread.segments.front().start_ns;
    entity.end_ns = thread.end_ns;
    const std::span<ThreadSegment> row = made_.pieces_[id];
    for (size_t i = filled_[id] - thread.segments.size(); i < filled_[id]; ++i) {
      const uint64_t end_ns = i + 1 < filled_[id] ? row[i + 1].start_ns : entity.end_ns;
      TimeOf(entity, row[i].kind) += end_ns - row[i].start_ns;
    }
  }

  void CloseRow(EntityId id) {
    std::span<ThreadSegment>& row = made_.pieces_[id];
    Entity& entity = made_.entities_[id];
    row = row.first(filled_[id]);
    row.front().start_ns = entity.begin_ns;
    if (row.size() > 1 && row[1].start_ns == entity.begin_ns) row = row.subspan(1);
  }

  void CopyRecords() {
    for (const KeptWindow& window : recent_.windows_) {
      for (BlockRecord record : window.block_records) {
        record.thread = NewId(record.thread);
        made_.block_records_.push_back(record);
      }
      for (PacketRecord record : window.packets) {
        record.thread = NewId(record.thread);
        made_.packet_rows_.front().push_back(record);
      }
      for (PacketWake wake : window.packet_wakes) {
        wake.thread = NewId(wake.thread);
        made_.packet_wakes_.push_back(wake);
      }
      for (LocalMessage message : window.local_messages) {
        message.thread = NewId(message.thread);
        made_.local_message_rows_.front().push_back(message);
      }
      for (StackSample sample : window.stack_samples) {
        sample.thread = NewId(sample.thread);
        made_.stack_samples_.push_back(sample);
      }
    }
  }

  const RecentTimeline& recent_;
  const TimelineStream& stream_;
  const std::vector<Entity>& entities_;
  std::vector<UnsettledThread> unsettled_;
  std::vector<EntityId> new_id_;   // by old id; kNobody: not kept
  std::vector<EntityId> old_ids_;  // by new id
  size_t thread_count_ = 0;
  std::vector<uint32_t> filled_;  // of each thread's piece
  Timeline made_;
};

Timeline RecentTimeline::Make() const { return Maker(*this).Make(); }

}  // namespace gordian
