#include "analyzer/replay/score.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "analyzer/replay/disk_requests_of_score.h"
#include "analyzer/replay/hand_overs.h"

namespace gordian {
namespace {

// Who waits no longer than this for a CPU, on average, was favoured: by its priority, or as it
// mostly sleeps.
constexpr uint64_t kPromptNs = 500'000;
constexpr uint64_t kMostLatencyNs = 100'000;  // more is no latency
constexpr size_t kFewestWakes = 20;

// Something without length that a thread did at that time.
struct Deed {
  uint64_t time_ns = 0;
  uint32_t number = 0;
  EntityId thread = kNobody;
  StepKind kind = StepKind::kMark;
};

// Two walks over all segments, in the same order: the first finds the hand-overs, which are deeds
// of the wakers; the second writes the steps of each thread, its deeds in between.
class ScoreWriter {
 public:
  ScoreWriter(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
              std::span<const ProgressMark> marks, std::span<const uint32_t> pollers)
      : timeline_(timeline), hand_overs_(timeline, vertex_of_entity, pollers), requests_(timeline) {
    CollectDeeds(marks);
  }

  Score Write() {
    score_.first_step.push_back(0);
    size_t deed = 0;
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      size_t end = deed;
      while (end < deeds_.size() && deeds_[end].thread == thread) ++end;
      WriteThread(thread, std::span(deeds_).subspan(deed, end - deed));
      deed = end;
      score_.first_step.push_back(score_.steps.size());
    }
    hand_overs_.MoveTo(score_);
    requests_.MoveTo(score_);
    FindRelays();
    score_.cpus = std::max(1u, timeline_.cpus());
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      score_.wake_latency_ns.push_back(WakeLatency(thread));
      score_.readiness.push_back(Readiness(thread));
    }
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread)
      score_.cpu_class.push_back(IsPrompt(thread) ? CpuClass::kPrompt : CpuClass::kOrdinary);
    return std::move(score_);
  }

 private:
  bool IsHandOver(EntityId thread, const ThreadSegment& segment) const {
    return segment.kind == SegmentKind::kWait && segment.waker < timeline_.thread_count() &&
           hand_overs_.HandsOn(segment.waker, thread);
  }

  // Whether the thread's life began with a deed of its creator.
  bool IsBirth(EntityId thread) const {
    const EntityId creator = timeline_.creator(thread);
    return creator < timeline_.thread_count() && creator != thread &&
           timeline_.entities()[thread].begin_ns > timeline_.start_ns();
  }

  bool IsPrompt(EntityId thread) const {
    uint64_t times = 0;
    for (auto at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.segment().kind == SegmentKind::kRun || at.segment().kind == SegmentKind::kSpin)
        ++times;
    }
    return timeline_.entities()[thread].runnable_ns <= times * kPromptNs;
  }

  RecordedReadiness Readiness(EntityId thread) const {
    uint64_t wakes = 0, after_wake_ns = 0, driven_off_ns = 0;
    bool woken = false;
    for (auto at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      const SegmentKind kind = at.segment().kind;
      if (woken) ++wakes;
      if (kind == SegmentKind::kRunnable)
        (woken ? after_wake_ns : driven_off_ns) += at.end_ns() - at.start_ns();
      woken = kind == SegmentKind::kWait;
    }
    const uint64_t run_ns = std::max<uint64_t>(1, timeline_.entities()[thread].run_ns);
    return {.after_wake_ns = wakes == 0 ? 0 : after_wake_ns / wakes,
            .stretch = 1 + static_cast<double>(driven_off_ns) / static_cast<double>(run_ns)};
  }

  // What a quarter of its wakes take less than: the others' may also have waited for a CPU.
  uint64_t WakeLatency(EntityId thread) {
    latencies_ns_.clear();
    bool woken = false;
    for (auto at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      const SegmentKind kind = at.segment().kind;
      if (woken && kind == SegmentKind::kRunnable)
        latencies_ns_.push_back(at.end_ns() - at.start_ns());
      if (woken && kind == SegmentKind::kRun) latencies_ns_.push_back(0);
      woken = kind == SegmentKind::kWait;
    }
    if (latencies_ns_.size() < kFewestWakes) return 0;
    const auto quarter =
        latencies_ns_.begin() + static_cast<std::ptrdiff_t>(latencies_ns_.size() / 4);
    std::nth_element(latencies_ns_.begin(), quarter, latencies_ns_.end());
    return std::min(*quarter, kMostLatencyNs);
  }

  void CollectDeeds(std::span<const ProgressMark> marks) {
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      if (IsBirth(thread)) {
        const EntityId creator = timeline_.creator(thread);
        deeds_.push_back({timeline_.entities()[thread].begin_ns,
                          hand_overs_.AddBirth(creator, thread), creator, StepKind::kHandOver});
      }
      for (auto at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
        if (!IsHandOver(thread, at.segment())) continue;
        const EntityId waker = at.segment().waker;
        deeds_.push_back({at.end_ns(), hand_overs_.Add(waker, thread), waker, StepKind::kHandOver});
      }
    }
    for (const ScoreRequests::Issue& issue : requests_.issues())
      deeds_.push_back({issue.time_ns, issue.request, issue.thread, StepKind::kRequest});
    for (const ProgressMark& mark : marks) {
      if (mark.thread >= timeline_.thread_count()) continue;
      deeds_.push_back({mark.time_ns, score_.marks++, mark.thread, StepKind::kMark});
    }
    std::sort(deeds_.begin(), deeds_.end(), [](const Deed& a, const Deed& b) {
      return std::tuple(a.thread, a.time_ns, a.kind, a.number) <
             std::tuple(b.thread, b.time_ns, b.kind, b.number);
    });
  }

  void Push(StepKind kind, uint64_t at_ns, uint64_t duration_ns, uint32_t number = 0,
            bool by_timer = false) {
    score_.steps.push_back({at_ns - timeline_.start_ns(), duration_ns, number, kind, by_timer});
  }

  void PushDeed(const Deed& deed) { Push(deed.kind, deed.time_ns, 0, deed.number); }

  void WriteThread(EntityId thread, std::span<const Deed> deeds) {
    const uint64_t begin_ns = timeline_.entities()[thread].begin_ns;
    if (IsBirth(thread)) {
      Push(StepKind::kAwait, begin_ns, 0, next_hand_over_++);
    } else if (begin_ns > timeline_.start_ns()) {
      Push(StepKind::kPause, timeline_.start_ns(), begin_ns - timeline_.start_ns(), kNobody);
    }
    for (auto at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      uint64_t since_ns = at.start_ns();
      const bool runs =
          at.segment().kind == SegmentKind::kRun || at.segment().kind == SegmentKind::kSpin;
      for (; !deeds.empty() && deeds.front().time_ns < at.end_ns(); deeds = deeds.subspan(1)) {
        if (runs && deeds.front().time_ns > since_ns) {
          Push(StepKind::kRun, since_ns, deeds.front().time_ns - since_ns);
          since_ns = deeds.front().time_ns;
        }
        PushDeed(deeds.front());
      }
      if (runs) {
        if (at.end_ns() > since_ns) Push(StepKind::kRun, since_ns, at.end_ns() - since_ns);
      } else {
        WriteRest(thread, at);
      }
    }
    for (const Deed& deed : deeds) PushDeed(deed);
  }

  // Of a segment without a CPU. One that had not ended with the recording is the program's end.
  void WriteRest(EntityId thread, const SegmentCursor& at) {
    const ThreadSegment& segment = at.segment();
    const uint64_t length_ns = at.end_ns() - at.start_ns();
    if (segment.kind == SegmentKind::kUnknown) {
      Push(StepKind::kPause, at.start_ns(), length_ns, kNobody);
      return;
    }
    if (segment.kind != SegmentKind::kWait || segment.waker == kNobody) return;
    if (IsHandOver(thread, segment)) {
      Push(StepKind::kAwait, at.start_ns(), length_ns, next_hand_over_++);
    } else if (timeline_.entities()[segment.waker].kind == EntityKind::kDisk) {
      WriteDiskWait(thread, at);
    } else {
      Push(StepKind::kPause, at.start_ns(), length_ns, segment.waker,
           segment.cause == WaitCause::kTimer);
    }
  }

  void WriteDiskWait(EntityId thread, const SegmentCursor& at) {
    const EntityId disk = at.segment().waker;
    auto request = requests_.EndOfWait(disk, thread, at.start_ns(), at.end_ns());
    if (!request) {
      request = requests_.AddUnseen(disk, at.end_ns() - at.start_ns());
      Push(StepKind::kRequest, at.start_ns(), 0, *request);
    }
    Push(StepKind::kAwaitDisk, at.start_ns(), at.end_ns() - at.start_ns(), *request);
  }

  // What a kernel thread hands over with no other wait since it waited for a disk.
  void FindRelays() {
    score_.relayed_disk.assign(score_.pair_of_hand_over.size(), kNoDisk);
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (!timeline_.entities()[thread].kernel_thread) continue;
      uint32_t disk = kNoDisk;
      for (const Step& step : score_.StepsOf(thread)) {
        if (step.kind == StepKind::kAwaitDisk) disk = score_.requests[step.number].disk;
        if (step.kind == StepKind::kAwait || step.kind == StepKind::kPause) disk = kNoDisk;
        if (step.kind == StepKind::kHandOver) score_.relayed_disk[step.number] = disk;
      }
    }
  }

  const Timeline& timeline_;
  HandOvers hand_overs_;
  ScoreRequests requests_;
  std::vector<Deed> deeds_;
  std::vector<uint64_t> latencies_ns_;
  Score score_;
  uint32_t next_hand_over_ = 0;  // both walks number them alike
};

}  // namespace

Score BuildScore(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                 std::span<const ProgressMark> marks, std::span<const uint32_t> pollers) {
  return ScoreWriter(timeline, vertex_of_entity, marks, pollers).Write();
}

}  // namespace gordian
