// SPDX-License-Identifier: Apache-2.0
// Which events of a recording count as progress.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "whatif/score/score.h"
#include "whatif/score/thresholds.h"

namespace gordian {
namespace {

class ThreadsOf {
 public:
  ThreadsOf(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
            std::span<const uint32_t> vertices) {
    for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
      if (std::find(vertices.begin(), vertices.end(), vertex_of_entity[thread]) != vertices.end())
        threads_.push_back(thread);
    }
  }
  auto begin() const { return threads_.begin(); }
  auto end() const { return threads_.end(); }

 private:
  std::vector<EntityId> threads_;
};

// A wait for a message goes on for the link until that has arrived.
bool GoesOnForLink(const Timeline& timeline, const SegmentCursor& at) {
  if (timeline.node_count() == 1) return false;
  SegmentCursor next = at;
  next.Next();
  return !next.done() && next.segment().kind == SegmentKind::kWait &&
         next.segment().cause == WaitCause::kLink;
}

// One each time it has run for such a share of the recording.
void AddRunMarks(const Timeline& timeline, EntityId thread, std::vector<ProgressMark>& marks) {
  const uint64_t share_ns =
      std::max<uint64_t>(1, (timeline.end_ns() - timeline.start_ns()) / kRunMarksOfRecording);
  uint64_t until_next_ns = share_ns;
  for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
    if (at.segment().kind != SegmentKind::kRun) continue;
    uint64_t time_ns = at.start_ns();
    for (; at.end_ns() - time_ns > until_next_ns; until_next_ns = share_ns) {
      time_ns += until_next_ns;
      marks.push_back({thread, time_ns});
    }
    until_next_ns -= at.end_ns() - time_ns;
  }
}

// The share of the marks that would belong to other threads of the same vertex if each thread made
// marks in proportion to its run time.
double ShareElsewhere(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                      const ThreadsOf& threads, std::span<const ProgressMark> marks) {
  struct Sums {
    double marks = 0;
    double run_ns = 0;
  };
  std::map<EntityId, Sums> by_thread;
  std::map<uint32_t, Sums> by_vertex;
  for (const ProgressMark& mark : marks) ++by_thread[mark.thread].marks;
  for (const EntityId thread : threads) {
    Sums& its = by_thread[thread];
    its.run_ns = static_cast<double>(timeline.entities()[thread].run_ns);
    by_vertex[vertex_of_entity[thread]].marks += its.marks;
    by_vertex[vertex_of_entity[thread]].run_ns += its.run_ns;
  }
  double elsewhere = 0;
  for (const auto& [thread, its] : by_thread) {
    const Sums& all = by_vertex[vertex_of_entity[thread]];
    if (all.run_ns > 0) elsewhere += std::max(0.0, its.marks - all.marks * its.run_ns / all.run_ns);
  }
  return elsewhere / std::max(1.0, static_cast<double>(marks.size()));
}

// A process that waits for the target. If the target waits longer for it than it for the target, it
// is asked rather than that it asks.
struct Partner {
  std::vector<ProgressMark> waits;
  double waited_ns = 0;
  double lived_ns = 0;  // of its threads that waited so
  size_t waits_of_target = 0;
  double awaited_ns = 0;  // by the target

  bool IsClient() const {
    const auto turns = static_cast<double>(waits.size());
    const auto turns_of_target = static_cast<double>(waits_of_target);
    return !waits.empty() &&
           std::min(turns, turns_of_target) >= kTakesTurns * std::max(turns, turns_of_target) &&
           waited_ns >= std::max(awaited_ns, kLivesForTarget * lived_ns);
  }
};

}  // namespace

std::vector<ProgressMark> CycleMarks(const Timeline& timeline,
                                     std::span<const uint32_t> vertex_of_entity,
                                     std::span<const uint32_t> vertices) {
  const ThreadsOf threads(timeline, vertex_of_entity, vertices);
  std::vector<ProgressMark> marks;
  for (const EntityId thread : threads) {
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.segment().kind == SegmentKind::kWait && at.segment().waker != kNobody &&
          !GoesOnForLink(timeline, at))
        marks.push_back({thread, at.end_ns()});
    }
  }
  if (marks.size() >= kEnoughCycles &&
      ShareElsewhere(timeline, vertex_of_entity, threads, marks) < kMarksElsewhere)
    return marks;
  marks.clear();
  for (const EntityId thread : threads) AddRunMarks(timeline, thread, marks);
  return marks;
}

std::vector<ProgressMark> ClientMarks(const Timeline& timeline,
                                      std::span<const uint8_t> is_target) {
  std::map<std::pair<uint32_t, int32_t>, Partner> partners;  // by node and process
  const auto partner = [&](EntityId thread) -> Partner& {
    const Entity& entity = timeline.entities()[thread];
    return partners[{entity.node, entity.tgid}];
  };
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const Entity& entity = timeline.entities()[thread];
    if (entity.kernel_thread) continue;
    size_t waits = 0;
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      const EntityId waker = at.segment().waker;
      if (at.segment().kind != SegmentKind::kWait || waker >= timeline.thread_count() ||
          is_target[thread] == is_target[waker] || timeline.entities()[waker].kernel_thread ||
          GoesOnForLink(timeline, at))
        continue;
      if (is_target[thread] != 0) {
        ++partner(waker).waits_of_target;
        partner(waker).awaited_ns += static_cast<double>(at.end_ns() - at.start_ns());
        continue;
      }
      Partner& its = partner(thread);
      its.waits.push_back({thread, at.end_ns()});
      its.waited_ns += static_cast<double>(at.end_ns() - at.start_ns());
      if (waits++ == 0) its.lived_ns += static_cast<double>(entity.end_ns - entity.begin_ns);
    }
  }
  std::vector<ProgressMark> marks;
  uint32_t stream = 0;
  for (auto& [id, its] : partners) {
    if (!its.IsClient()) continue;
    for (ProgressMark& mark : its.waits) mark.stream = stream;
    ++stream;
    marks.insert(marks.end(), its.waits.begin(), its.waits.end());
  }
  JoinSmallStreams(marks);
  return marks;
}

void JoinSmallStreams(std::vector<ProgressMark>& marks) {
  std::map<uint32_t, size_t> sizes;
  for (const ProgressMark& mark : marks) ++sizes[mark.stream];
  if (sizes.empty()) return;
  const uint32_t largest =
      std::max_element(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  std::map<uint32_t, uint32_t> numbers;
  for (const auto& [stream, size] : sizes) {
    if (size >= kFewestOfStream || stream == largest)
      numbers.emplace(stream, static_cast<uint32_t>(numbers.size()));
  }
  for (ProgressMark& mark : marks) {
    const auto number = numbers.find(mark.stream);
    mark.stream = number != numbers.end() ? number->second : numbers.at(largest);
  }
}

std::vector<ProgressMark> WakeMarks(const Timeline& timeline,
                                    std::span<const uint32_t> vertex_of_entity, uint32_t vertex) {
  std::vector<ProgressMark> marks;
  for (const EntityId thread : ThreadsOf(timeline, vertex_of_entity, std::span(&vertex, 1))) {
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.segment().kind != SegmentKind::kWait || at.segment().waker == kNobody) continue;
      const bool by_message = at.segment().cause == WaitCause::kLink;
      if ((at.segment().waker < timeline.thread_count() || by_message) &&
          !GoesOnForLink(timeline, at))
        marks.push_back({thread, at.end_ns()});
    }
  }
  return marks;
}

std::vector<ProgressMark> JobMarks(const Timeline& timeline, std::span<const uint8_t> is_of_job,
                                   const JobLife& life) {
  struct Work {
    uint64_t from_ns = 0;
    uint64_t to_ns = 0;
    EntityId thread = kNobody;
  };
  std::vector<Work> work;
  uint64_t all_ns = 0;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    if (is_of_job[thread] == 0) continue;
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.segment().kind != SegmentKind::kRun) continue;
      const uint64_t from_ns = std::max(at.start_ns(), life.from_ns);
      const uint64_t to_ns = std::min(at.end_ns(), life.to_ns);
      if (from_ns >= to_ns) continue;
      work.push_back({from_ns, to_ns, thread});
      all_ns += to_ns - from_ns;
    }
  }
  std::vector<ProgressMark> marks;
  if (work.empty()) return marks;
  std::sort(work.begin(), work.end(), [](const Work& a, const Work& b) {
    return std::tie(a.from_ns, a.thread) < std::tie(b.from_ns, b.thread);
  });
  const bool has_root = life.root != kNobody;
  marks.push_back(
      {has_root ? life.root : work.front().thread, has_root ? life.from_ns : work.front().from_ns});
  const uint64_t share_ns = std::max<uint64_t>(1, all_ns / kRunMarksOfRecording);
  uint64_t until_next_ns = share_ns;
  for (const Work& piece : work) {
    uint64_t time_ns = piece.from_ns;
    for (; piece.to_ns - time_ns >= until_next_ns; until_next_ns = share_ns) {
      time_ns += until_next_ns;
      marks.push_back({piece.thread, time_ns});
    }
    until_next_ns -= piece.to_ns - time_ns;
  }
  if (has_root) marks.push_back({life.root, life.to_ns});
  return marks;
}

std::vector<ProgressMark> DiskMarks(const Timeline& timeline, EntityId disk) {
  std::vector<ProgressMark> marks;
  for (const BlockRecord& record : timeline.block_records()) {
    if (record.complete || record.thread >= timeline.thread_count()) continue;
    if (disk == kNobody || timeline.FindDevice(EntityKind::kDisk, record.device) == disk)
      marks.push_back({record.thread, record.time_ns});
  }
  return marks;
}

}  // namespace gordian
