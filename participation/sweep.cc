// SPDX-License-Identifier: Apache-2.0
#include "participation/sweep.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/parallel.h"

namespace gordian {
namespace {

constexpr int kActivityBits = 4;
constexpr int kPhaseBits = 24;
static_assert(kRecordedActivities <= size_t{1} << kActivityBits);
static_assert(kMostPhaseNames < uint32_t{1} << kPhaseBits);

// `run_activity` is that of the phase it is in.
RecordedActivity ActivityOf(Stay stay, RecordedActivity run_activity) {
  switch (stay) {
    case Stay::kRun:
      return run_activity;
    case Stay::kRunnable:
      return RecordedActivity::kScheduling;
    case Stay::kDisk:
      return RecordedActivity::kDisk;
    case Stay::kNetwork:
      return RecordedActivity::kNetwork;
    case Stay::kTimer:
      return RecordedActivity::kTimer;
    case Stay::kInterrupt:
      return RecordedActivity::kInterrupt;
    case Stay::kLink:
      return RecordedActivity::kDataMessage;
    case Stay::kUnknown:
    case Stay::kForThread:
    case Stay::kUnborn:
    case Stay::kGone:
      break;
  }
  return RecordedActivity::kUnknown;
}

}  // namespace

WindowSweep::WindowSweep(const RecordedGraph& graph)
    : graph_(graph), timeline_(graph.timeline), lines_(graph.timeline.thread_count()) {}

WindowSweep::Cell& WindowSweep::CellOf(EntityId thread, RecordedActivity activity, uint32_t phase) {
  return cells_[uint64_t{thread} << (kPhaseBits + kActivityBits) |
                uint64_t{phase} << kActivityBits | static_cast<uint64_t>(activity)];
}

RecordedActivity WindowSweep::ActivityNow(const Line& line) const {
  const RecordedActivity run = line.phase < graph_.activity_of_phase.size() && line.phase > 0
                                   ? graph_.activity_of_phase[line.phase]
                                   : RecordedActivity::kProcessing;
  return ActivityOf(line.is.stay, run);
}

void WindowSweep::Count(EntityId thread, uint64_t time_ns) {
  Line& line = lines_[thread];
  if (line.paths > 0 && line.since_ns > time_ns) {
    CellOf(thread, ActivityNow(line), line.phase).ns +=
        line.paths * static_cast<double>(line.since_ns - time_ns);
    KeepStretch({.from_ns = time_ns,
                 .to_ns = line.since_ns,
                 .thread = thread,
                 .activity = ActivityNow(line),
                 .phase = line.phase});
  }
  line.since_ns = time_ns;
}

// The sweep meets the last first.
void WindowSweep::KeepStretch(const CriticalStretch& stretch) {
  if (!graph_.only_one_path || stretch.from_ns == stretch.to_ns) return;
  if (!result_.path.empty()) {
    CriticalStretch& next = result_.path.back();
    const bool is_one = next.from_ns == stretch.to_ns && next.thread == stretch.thread &&
                        next.activity == stretch.activity && next.phase == stretch.phase &&
                        stretch.activity != RecordedActivity::kDataMessage;
    if (is_one) {
      next.from_ns = stretch.from_ns;
      return;
    }
  }
  result_.path.push_back(stretch);
}

void WindowSweep::Hop(EntityId from, EntityId to, HopKind kind, double paths, uint64_t ns) {
  Cell& hop = hops_[{uint64_t{from} << 32 | to, kind}];
  hop.crossings += paths;
  hop.ns += paths * static_cast<double>(ns);
}

void WindowSweep::Arrive(EntityId thread, double paths, uint64_t time_ns) {
  Line& line = lines_[thread];
  Count(thread, time_ns);
  if (!IsOnPath(line.is.stay)) {
    // It has the turn, but its own waker is no cause.
    ++(line.is.stay == Stay::kUnborn ? result_.doubts.births_without_creator
                                     : result_.doubts.wakes_by_sleepers);
    line.is.stay = Stay::kUnknown;
  }
  line.paths += paths;
  CellOf(thread, ActivityNow(line), line.phase).crossings += paths;
}

void WindowSweep::BeginLine(EntityId thread) {
  Line& line = lines_[thread];
  line = {.is = StayBefore(timeline_, thread, window_.to_ns), .since_ns = window_.to_ns};
  if (!graph_.phases.empty()) line.phase = PhaseBefore(PhasesOf(graph_, thread), window_.to_ns);
}

// Whether a target's thread is on the path at the window's end. A wait that a thread of the kernel
// ended may have been for a disk until then.
bool WindowSweep::IsEnd(EntityId thread, bool& sleeps) {
  StayOfThread& is = lines_[thread].is;
  sleeps = false;
  if (is.stay == Stay::kGone || is.stay == Stay::kUnborn) return false;
  if (is.is_wait && (is.is_open || is.until_ns - window_.to_ns > kLongestKnownEndNs)) {
    ++result_.doubts.waits_not_ended;
    return false;
  }
  if (is.stay == Stay::kForThread) {
    if (!IsWithoutCause(thread, is)) return false;
    ++result_.doubts.wakes_by_sleepers;
    is.stay = Stay::kUnknown;
  }
  sleeps = is.stay == Stay::kTimer;
  return true;
}

// The only end of one path. A thread that does nothing known would tell nothing else for as long as
// it does so.
EntityId WindowSweep::ClearestOf(const std::vector<EntityId>& ends) const {
  const auto doubt = [this](EntityId end) {
    const Stay stay = lines_[end].is.stay;
    return IsAtWork(stay) ? 0 : stay == Stay::kUnknown ? 2 : 1;
  };
  return *std::min_element(ends.begin(), ends.end(),
                           [&](EntityId a, EntityId b) { return doubt(a) < doubt(b); });
}

// Waits for disks that a worker of the kernel passes on behind the window's end: before the worker
// was woken they are for the disk, and behind that the worker works for the first that it woke.
void WindowSweep::FindEnds() {
  std::vector<std::pair<uint64_t, EntityId>> woken_behind;  // when, who
  std::vector<EntityId> ends;
  std::vector<EntityId> sleepers;
  for (EntityId thread = 0; thread < lines_.size(); ++thread) BeginLine(thread);
  for (EntityId thread = 0; thread < lines_.size(); ++thread) {
    StayOfThread& is = lines_[thread].is;
    const std::optional<uint64_t> since_ns = is.until_ns - window_.to_ns <= kLongestKnownEndNs
                                                 ? KnownToBePassedOnSince(thread, is)
                                                 : std::nullopt;
    if (since_ns && *since_ns >= window_.to_ns) {
      is.stay = Stay::kDisk;
    } else if (since_ns) {
      woken_behind.emplace_back(is.until_ns, thread);
    }
    if (thread >= graph_.is_target.size() || graph_.is_target[thread] == 0) continue;
    bool sleeps = false;
    if (IsEnd(thread, sleeps)) (sleeps ? sleepers : ends).push_back(thread);
  }
  std::sort(woken_behind.rbegin(), woken_behind.rend());
  for (const auto& [woken_ns, thread] : woken_behind)
    woken_by_[lines_[thread].is.waker].push_back(thread);
  result_.by_sleepers = ends.empty() && !sleepers.empty();
  if (result_.by_sleepers) ends.swap(sleepers);
  if (graph_.only_one_path && ends.size() > 1) ends = {ClearestOf(ends)};
  result_.paths = static_cast<uint32_t>(ends.size());
  all_paths_ = static_cast<double>(ends.size());
  for (const EntityId end : ends) {
    Arrive(end, 1, window_.to_ns);
    if (lines_[end].is.stay == Stay::kLink) PutOnMessage(end, window_.to_ns);
  }
}

// A wait whose waker is no cause is unknown time, and so on the path.
bool WindowSweep::IsWithoutCause(EntityId thread, const StayOfThread& is) const {
  return is.stay == Stay::kForThread &&
         FindTurn(timeline_, thread, is.waker, is.until_ns) == kNobody;
}

// Since when the worker of the kernel that will have ended it works for it, as known at a window's
// end; nothing if none does.
std::optional<uint64_t> WindowSweep::KnownToBePassedOnSince(EntityId thread,
                                                            const StayOfThread& is) const {
  if (is.stay != Stay::kForThread || !timeline_.entities()[is.waker].kernel_thread ||
      FindTurn(timeline_, thread, is.waker, is.until_ns) != is.waker)
    return std::nullopt;
  return PassedOnSince(timeline_, is);
}

// Until when the wait was for a disk; 0: it was not, or a window that ends there does not know.
uint64_t WindowSweep::LastMomentForDisk(EntityId thread, const StayOfThread& is) const {
  const std::optional<uint64_t> since_ns = KnownToBePassedOnSince(thread, is);
  return since_ns && is.until_ns - *since_ns <= kLongestKnownEndNs ? *since_ns : 0;
}

// Of any of the target's threads, within the window; its beginning if there is none.
uint64_t WindowSweep::LastMomentOnPath() const {
  uint64_t last_ns = window_.from_ns;
  for (EntityId thread = 0; thread < lines_.size(); ++thread) {
    if (thread >= graph_.is_target.size() || graph_.is_target[thread] == 0) continue;
    const Entity& entity = timeline_.entities()[thread];
    uint64_t time_ns = std::min(window_.to_ns, entity.end_ns);
    while (time_ns > std::max(last_ns, entity.begin_ns)) {
      const StayOfThread is = StayBefore(timeline_, thread, time_ns);
      // A wait that has not ended is none that a path leads back from.
      const bool goes_on = is.is_wait && (is.is_open || is.until_ns > time_ns);
      if (!goes_on && (IsOnPath(is.stay) || IsWithoutCause(thread, is))) last_ns = time_ns;
      if (is.stay == Stay::kForThread) last_ns = std::max(last_ns, LastMomentForDisk(thread, is));
      if (is.stay == Stay::kGone || is.stay == Stay::kUnborn) break;
      time_ns = is.start_ns;
    }
  }
  return last_ns;
}

void WindowSweep::ChangeState(const StayEvent& event, uint64_t time_ns) {
  Line& line = lines_[event.thread];
  switch (event.kind) {
    case StayEvent::Kind::kSample:
      if (line.paths > 0 && line.is.stay == Stay::kRun)
        result_.samples.push_back({event.value, line.phase, line.paths / all_paths_});
      return;
    case StayEvent::Kind::kPhase:
      Count(event.thread, time_ns);
      if (line.phase == event.value) return;
      line.phase = event.value;
      line.begins_stretch = true;
      return;
    case StayEvent::Kind::kStay:
      break;
  }
  Count(event.thread, time_ns);
  const bool worked = IsAtWork(line.is.stay);
  line.is = {.stay = event.stay,
             .is_wait = event.is_wait,
             .is_idle = event.is_idle,
             .waker = event.value,
             .until_ns = time_ns};
  line.begins_stretch = true;
  if (!worked || !(IsAtWork(line.is.stay) || line.is.is_idle)) ForgetWoken(event.thread);
}

// Of the paths that were on the line before. Those that come to it count as they arrive.
void WindowSweep::CountStretch(EntityId thread) {
  Line& line = lines_[thread];
  if (!std::exchange(line.begins_stretch, false)) return;
  if (line.paths > 0 && IsOnPath(line.is.stay))
    CellOf(thread, ActivityNow(line), line.phase).crossings += line.paths;
}

// Out of a wait that a thread ended, or of the time before its birth. All causes of a moment are
// found before any path moves: a wait without a cause becomes unknown time, which changes what
// others would find.
void WindowSweep::FindCause(EntityId thread, uint64_t time_ns) {
  Line& line = lines_[thread];
  if (line.paths == 0 || IsOnPath(line.is.stay)) return;
  const auto before = [this](EntityId other) -> const StayOfThread& { return lines_[other].is; };
  moves_.push_back(
      {.thread = thread,
       .cause = HasTurn(thread, line.is.waker, time_ns, timeline_.thread_count(), before),
       .kind = line.is.stay == Stay::kUnborn ? HopKind::kBirth : HopKind::kWake,
       .paths = std::exchange(line.paths, 0)});
}

void WindowSweep::MoveToCauses(uint64_t time_ns) {
  for (const Move& move : moves_) {
    // Without a cause they stay, in what becomes unknown time.
    const EntityId to = move.cause == kNobody ? move.thread : move.cause;
    if (to != move.thread) Hop(to, move.thread, move.kind, move.paths, 0);
    Arrive(to, move.paths, time_ns);
  }
  moves_.clear();
}

void WindowSweep::PutOnMessage(EntityId thread, uint64_t time_ns) {
  Line& line = lines_[thread];
  const MessageFlight* flight = FlightTo(timeline_, thread, line.is.until_ns);
  if (flight == nullptr) return;
  const bool is_sent_before = flight->sent_ns <= window_.from_ns;
  EntityId sender = flight->sender;
  if (!is_sent_before) {
    // The receiver stands for no thread here: a sender may be nobody but itself.
    sender = FindTurn(timeline_, kNobody, flight->sender, flight->sent_ns);
    if (sender == kNobody) {
      ++result_.doubts.messages_by_sleepers;
      return;
    }
  }
  const double paths = std::exchange(line.paths, 0);
  const uint64_t length_ns = time_ns - std::max(flight->sent_ns, window_.from_ns);
  CellOf(thread, RecordedActivity::kDataMessage, line.phase).ns +=
      paths * static_cast<double>(length_ns);
  Hop(flight->sender, thread, HopKind::kMessage, paths, length_ns);
  if (paths > 0)
    KeepStretch({.from_ns = time_ns - length_ns,
                 .to_ns = time_ns,
                 .thread = thread,
                 .sender = flight->sender,
                 .activity = RecordedActivity::kDataMessage,
                 .phase = line.phase});
  if (!is_sent_before) under_way_.push({flight->sent_ns, sender, paths});
}

void WindowSweep::TakeArrivals(uint64_t time_ns) {
  while (!under_way_.empty() && under_way_.top().sent_ns == time_ns) {
    const UnderWay message = under_way_.top();
    under_way_.pop();
    Arrive(message.sender, message.paths, time_ns);
  }
}

void WindowSweep::SweepMoment(const StayEvents& piece, size_t begin, size_t end, uint64_t time_ns) {
  const auto event = [&](size_t i) -> const StayEvent& {
    return piece.events[piece.order[i].index];
  };
  const auto for_each_stay = [&](auto use) {
    for (size_t i = end; i-- > begin;) {
      if (event(i).kind == StayEvent::Kind::kStay) use(event(i).thread);
    }
  };
  for (size_t i = begin; i < end; ++i) {
    if (event(i).kind == StayEvent::Kind::kSample) ChangeState(event(i), time_ns);
  }
  for (size_t i = begin; i < end; ++i) {
    if (event(i).kind != StayEvent::Kind::kSample) ChangeState(event(i), time_ns);
  }
  for (size_t i = begin; i < end; ++i) CountStretch(event(i).thread);
  for_each_stay([&](EntityId thread) { FindCause(thread, time_ns); });
  MoveToCauses(time_ns);
  TakeArrivals(time_ns);
  for_each_stay([&](EntityId thread) {
    if (lines_[thread].is.stay == Stay::kLink && lines_[thread].paths > 0)
      PutOnMessage(thread, time_ns);
    LeaveIdleness(thread, time_ns);
  });
  for_each_stay([&](EntityId thread) { NoteWoken(thread); });
}

// Messages whose sending meets no event.
void WindowSweep::SweepMessagesSentAfter(uint64_t time_ns) {
  while (!under_way_.empty() && under_way_.top().sent_ns > time_ns)
    TakeArrivals(under_way_.top().sent_ns);
}

void WindowSweep::SweepPiece(const StayEvents& piece) {
  for (size_t end = piece.order.size(); end > 0;) {
    const uint64_t time_ns = piece.order[end - 1].time_ns;
    size_t begin = end - 1;
    while (begin > 0 && piece.order[begin - 1].time_ns == time_ns) --begin;
    SweepMessagesSentAfter(time_ns);
    SweepMoment(piece, begin, end, time_ns);
    end = begin;
  }
}

// Of about as many events each as the timeline's own; the last first.
std::vector<uint64_t> WindowSweep::BordersOfPieces() const {
  std::vector<uint64_t> borders = {window_.from_ns + 1};
  for (const uint64_t border_ns : timeline_.borders()) {
    if (border_ns > borders.back() && border_ns < window_.to_ns) borders.push_back(border_ns);
  }
  borders.push_back(window_.to_ns);
  std::reverse(borders.begin(), borders.end());
  return borders;
}

WindowParticipation WindowSweep::Sweep(const RunningSamples& samples,
                                       ParticipationWindowTimes window, int gather_threads) {
  window_ = window;
  result_ = {.from_ns = window.from_ns, .to_ns = window.to_ns};
  cells_.clear();
  hops_.clear();
  woken_by_.clear();
  FindEnds();
  if (result_.paths == 0) {
    window_.to_ns = LastMomentOnPath();
    if (window_.to_ns == window_.from_ns) return std::move(result_);
    woken_by_.clear();
    const uint64_t waits_not_ended = result_.doubts.waits_not_ended;
    FindEnds();
    result_.doubts.waits_not_ended = waits_not_ended;  // those at the window's own end
  }
  result_.paths_to_ns = window_.to_ns;
  const std::vector<uint64_t> borders_ns = BordersOfPieces();
  pieces_.resize(static_cast<size_t>(std::max(1, gather_threads)));
  for (size_t next = 0; next + 1 < borders_ns.size(); next += pieces_.size()) {
    const size_t count = std::min(pieces_.size(), borders_ns.size() - 1 - next);
    ParallelFor(gather_threads, count, [&](size_t i, int /*worker*/) {
      pieces_[i].Gather(graph_, samples, borders_ns[next + i + 1], borders_ns[next + i]);
    });
    for (size_t i = 0; i < count; ++i) SweepPiece(pieces_[i]);
  }
  SweepMessagesSentAfter(window_.from_ns);
  for (EntityId thread = 0; thread < lines_.size(); ++thread) Count(thread, window_.from_ns);
  return Result();
}

WindowParticipation WindowSweep::Result() {
  const double whole_ns = all_paths_ * static_cast<double>(window_.to_ns - window_.from_ns);
  for (const auto& [key, cell] : cells_) {
    if (cell.ns == 0 && cell.crossings == 0) continue;
    const auto low =
        static_cast<uint32_t>(key & ((uint64_t{1} << (kPhaseBits + kActivityBits)) - 1));
    result_.stays.push_back(
        {.thread = static_cast<EntityId>(key >> (kPhaseBits + kActivityBits)),
         .activity = static_cast<RecordedActivity>(low & ((1u << kActivityBits) - 1)),
         .phase = low >> kActivityBits,
         .cp = cell.ns / whole_ns,
         .crossings = cell.crossings / all_paths_});
  }
  for (const auto& [key, hop] : hops_) {
    result_.hops.push_back({.from = static_cast<EntityId>(key.first >> 32),
                            .to = static_cast<EntityId>(key.first),
                            .kind = key.second,
                            .cp = hop.ns / whole_ns,
                            .crossings = hop.crossings / all_paths_});
  }
  std::sort(result_.stays.begin(), result_.stays.end(), [](const auto& a, const auto& b) {
    return std::tie(a.thread, a.phase, a.activity) < std::tie(b.thread, b.phase, b.activity);
  });
  std::reverse(result_.path.begin(), result_.path.end());
  std::sort(result_.hops.begin(), result_.hops.end(), [](const auto& a, const auto& b) {
    return std::tie(a.from, a.to, a.kind) < std::tie(b.from, b.to, b.kind);
  });
  std::sort(result_.samples.begin(), result_.samples.end(),
            [](const auto& a, const auto& b) { return a.sample < b.sample; });
  return std::move(result_);
}

}  // namespace gordian
