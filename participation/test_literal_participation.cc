// SPDX-License-Identifier: Apache-2.0
#include "participation/test_literal_participation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/devices/request_index.h"

namespace gordian {
namespace {

enum class LiteralKind { kOn, kForThread, kLink, kBeforeBirth };

// A stretch of one thread, of some length. Before a birth it begins at 0.
struct LiteralStretch {
  EntityId thread = kNobody;
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  LiteralKind kind = LiteralKind::kOn;
  RecordedActivity activity = RecordedActivity::kUnknown;
  EntityId waker = kNobody;  // or creator
  bool waits = false;        // or spins
  bool open = false;
  bool idle = false;  // a worker of the kernel that a disk or another one will wake
};

struct LiteralEdge {
  std::pair<EntityId, uint64_t> from;  // thread, time; a message: its number above the threads
  std::pair<EntityId, uint64_t> to;
  EntityId thread = kNobody;  // whose time it is; kNobody: none passes
  RecordedActivity activity = RecordedActivity::kUnknown;
  std::optional<HopKind> hop;
  EntityId hop_from = kNobody;
  EntityId hop_to = kNobody;
  bool begins_stretch = true;  // of one state and phase
};

class LiteralWindow {
 public:
  LiteralWindow(const RecordedGraph& graph, uint64_t from_ns, uint64_t to_ns)
      : graph_(graph),
        timeline_(graph.timeline),
        requests_(timeline_),
        from_ns_(from_ns),
        to_ns_(to_ns) {
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) ReadThread(thread);
    DropGroundless();
    FindFlights();
    FindPassedOn();
  }

  LiteralParticipation Count() {
    AddEdges();
    const std::vector<std::pair<EntityId, uint64_t>> ends = Ends();
    const std::map<std::pair<EntityId, uint64_t>, double> forward = Forward();
    const std::map<std::pair<EntityId, uint64_t>, double> backward = Backward(ends);
    LiteralParticipation result;
    const auto value = [](const auto& values, const auto& key) {
      const auto found = values.find(key);
      return found == values.end() ? 0 : found->second;
    };
    for (const auto& end : ends) result.paths += value(forward, end);
    for (const LiteralEdge& edge : edges_) {
      const double paths = value(forward, edge.from) * value(backward, edge.to);
      if (paths == 0) continue;
      result.most_from_start = std::max(result.most_from_start, value(forward, edge.from));
      const double cp = paths * static_cast<double>(edge.to.second - edge.from.second) /
                        result.paths / static_cast<double>(to_ns_ - from_ns_);
      if (edge.thread != kNobody && cp > 0)
        result.cp[{edge.thread, PhaseAt(edge), edge.activity}] += cp;
      if (edge.thread != kNobody && edge.begins_stretch)
        result.stretches[{edge.thread, PhaseAt(edge), edge.activity}] += paths / result.paths;
      if (!edge.hop) continue;
      result.crossings[{edge.hop_from, edge.hop_to, *edge.hop}] += paths / result.paths;
      if (*edge.hop == HopKind::kMessage) result.message_cp[{edge.hop_from, edge.hop_to}] += cp;
    }
    return result;
  }

 private:
  using Point = std::pair<EntityId, uint64_t>;
  using Wake = std::pair<uint64_t, EntityId>;

  static RecordedActivity ActivityOfCause(WaitCause cause) {
    switch (cause) {
      case WaitCause::kDisk:
        return RecordedActivity::kDisk;
      case WaitCause::kNic:
        return RecordedActivity::kNetwork;
      case WaitCause::kTimer:
        return RecordedActivity::kTimer;
      case WaitCause::kIrq:
        return RecordedActivity::kInterrupt;
      default:
        return RecordedActivity::kUnknown;
    }
  }

  void ReadThread(EntityId thread) {
    const Entity& entity = timeline_.entities()[thread];
    if (entity.begin_ns >= entity.end_ns) return;
    stretches_.push_back({.thread = thread,
                          .from_ns = 0,
                          .to_ns = entity.begin_ns,
                          .kind = LiteralKind::kBeforeBirth,
                          .waker = timeline_.creator(thread)});
    for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.end_ns() == at.start_ns()) continue;
      const ThreadSegment& segment = at.segment();
      LiteralStretch stretch{.thread = thread, .from_ns = at.start_ns(), .to_ns = at.end_ns()};
      stretch.waits = segment.kind == SegmentKind::kWait || segment.kind == SegmentKind::kSpin;
      stretch.open = segment.open_end != 0;
      if (segment.kind == SegmentKind::kRun) stretch.activity = RecordedActivity::kProcessing;
      if (segment.kind == SegmentKind::kRunnable) stretch.activity = RecordedActivity::kScheduling;
      if (stretch.waits && !stretch.open && segment.waker != kNobody) {
        if (segment.cause == WaitCause::kLink) {
          stretch.kind = LiteralKind::kLink;
          stretch.activity = RecordedActivity::kDataMessage;
        } else if (segment.waker < timeline_.thread_count()) {
          stretch.kind = LiteralKind::kForThread;
          stretch.waker = segment.waker;
        } else {
          stretch.activity = ActivityOfCause(segment.cause);
        }
        const bool by_worker = stretch.kind == LiteralKind::kForThread &&
                               timeline_.entities()[stretch.waker].kernel_thread;
        stretch.idle = (stretch.activity == RecordedActivity::kDisk || by_worker) &&
                       entity.kernel_thread && segment.state != 2;
      }
      stretches_.push_back(stretch);
    }
  }

  // The stretch that holds the nanosecond before.
  const LiteralStretch* Before(EntityId thread, uint64_t time_ns) const {
    for (const LiteralStretch& stretch : stretches_) {
      if (stretch.thread == thread && stretch.from_ns < time_ns && time_ns <= stretch.to_ns)
        return &stretch;
    }
    return nullptr;
  }

  static bool Leads(const LiteralStretch& stretch) {
    return stretch.kind == LiteralKind::kForThread || stretch.kind == LiteralKind::kBeforeBirth;
  }

  // Whether that thread can have ended a wait at that time.
  bool CanWake(EntityId thread, uint64_t time_ns) const {
    const LiteralStretch* stretch =
        thread < timeline_.thread_count() ? Before(thread, time_ns) : nullptr;
    if (stretch == nullptr) return false;
    if (stretch->kind == LiteralKind::kBeforeBirth) return stretch->to_ns == time_ns;
    return !stretch->waits || stretch->to_ns == time_ns;
  }

  // Waits (and births) whose waker is no cause, and circles of them at one moment, become unknown
  // time.
  void DropGroundless() {
    std::vector<size_t> groundless;
    for (size_t i = 0; i < stretches_.size(); ++i) {
      const LiteralStretch& stretch = stretches_[i];
      if (Leads(stretch) && (!CanWake(stretch.waker, stretch.to_ns) || IsInCircle(stretch)))
        groundless.push_back(i);
    }
    for (const size_t i : groundless) {
      stretches_[i].kind = LiteralKind::kOn;
      stretches_[i].activity = RecordedActivity::kUnknown;
    }
  }

  bool IsInCircle(const LiteralStretch& stretch) const {
    std::set<EntityId> met;
    for (EntityId next = stretch.waker; met.insert(next).second;) {
      if (next == stretch.thread) return true;
      const LiteralStretch* before =
          next < timeline_.thread_count() ? Before(next, stretch.to_ns) : nullptr;
      if (before == nullptr || !Leads(*before) || before->to_ns != stretch.to_ns) return false;
      next = before->waker;
    }
    return false;
  }

  void FindFlights() {
    for (const MessageFlight& flight : timeline_.flights()) {
      if (flight.sent_ns >= flight.received_ns) continue;
      const LiteralStretch* wait = Before(flight.receiver, flight.received_ns);
      if (wait == nullptr || wait->kind != LiteralKind::kLink || wait->to_ns != flight.received_ns)
        continue;
      // Messages sent before the window are not asked for their sender.
      if (flight.sent_ns > from_ns_ && !CanWake(flight.sender, flight.sent_ns)) continue;
      flights_.push_back(flight);
    }
  }

  const MessageFlight* FlightOf(const LiteralStretch& stretch) const {
    for (const MessageFlight& flight : flights_) {
      if (flight.receiver == stretch.thread && flight.received_ns == stretch.to_ns) return &flight;
    }
    return nullptr;
  }

  // Of a wait that a worker of the kernel ended, out of its idleness by a disk itself, or woken by
  // such a worker.
  struct PassedOnTo {
    uint64_t since_ns = 0;
    EntityId woken_by_disk = kNobody;
    std::vector<Wake> wakes;  // the waiter's own last
  };
  std::optional<PassedOnTo> PassedOnLiterally(const LiteralStretch& wait) const {
    if (wait.kind != LiteralKind::kForThread || !timeline_.entities()[wait.waker].kernel_thread ||
        !CanWake(wait.waker, wait.to_ns))
      return std::nullopt;
    uint64_t time_ns = wait.to_ns;
    while (const LiteralStretch* did = Before(wait.waker, time_ns)) {
      const bool by_disk = did->activity == RecordedActivity::kDisk;
      const bool by_worker = did->kind == LiteralKind::kForThread;
      if (did->idle && (by_disk || by_worker) && time_ns < wait.to_ns) {
        PassedOnTo to = {time_ns, wait.waker, {}};
        if (by_worker) {
          const std::optional<PassedOnTo> to_worker = PassedOnLiterally(*did);
          if (!to_worker) return std::nullopt;
          to = *to_worker;
        }
        to.wakes.push_back({wait.to_ns, wait.thread});
        return to.since_ns > wait.from_ns ? std::optional(to) : std::nullopt;
      }
      const bool works = did->activity == RecordedActivity::kProcessing ||
                         did->activity == RecordedActivity::kScheduling;
      if (!works || did->kind != LiteralKind::kOn) return std::nullopt;
      time_ns = did->from_ns;
    }
    return std::nullopt;
  }

  // The first that waited and was no idle worker, else the first of these.
  struct FirstWaiter {
    bool is_idle = false;
    std::vector<Wake> wakes;
    EntityId thread = kNobody;
    bool operator<(const FirstWaiter& other) const {
      return std::tie(is_idle, wakes) < std::tie(other.is_idle, other.wakes);
    }
  };

  void FindPassedOn() {
    std::map<Point, FirstWaiter> first;  // by the worker that a disk woke, and when
    std::map<Point, uint64_t> since_of;  // by waiter and end
    for (const LiteralStretch& wait : stretches_) {
      if (wait.to_ns > to_ns_ + kLongestKnownEndNs) continue;
      const auto to = PassedOnLiterally(wait);
      if (!to) continue;
      since_of[{wait.thread, wait.to_ns}] = to->since_ns;
      const FirstWaiter waiter = {wait.idle, to->wakes, wait.thread};
      const auto [place, is_new] = first.try_emplace({to->woken_by_disk, to->since_ns}, waiter);
      place->second = std::min(place->second, waiter);
    }
    std::vector<LiteralStretch> cut;
    for (LiteralStretch stretch : stretches_) {
      const auto since = since_of.find({stretch.thread, stretch.to_ns});
      if (stretch.kind == LiteralKind::kForThread && since != since_of.end()) {
        LiteralStretch for_disk = stretch;
        for_disk.kind = LiteralKind::kOn;
        for_disk.activity = RecordedActivity::kDisk;
        for_disk.to_ns = since->second;
        cut.push_back(for_disk);
        stretch.from_ns = since->second;
      }
      const auto waiter = first.find({stretch.thread, stretch.to_ns});
      if (stretch.idle && stretch.kind == LiteralKind::kOn && waiter != first.end() &&
          stretch.to_ns < to_ns_) {
        stretch.kind = LiteralKind::kForThread;
        stretch.waker = waiter->second.thread;
        passed_on_.insert({stretch.thread, stretch.to_ns});
      }
      cut.push_back(stretch);
    }
    stretches_ = cut;
  }

  void AddEdges() {
    for (const LiteralStretch& stretch : stretches_) {
      const bool within = stretch.to_ns > from_ns_ && stretch.to_ns < to_ns_;
      if (Leads(stretch) && within) AddHop(stretch);
      const MessageFlight* flight =
          stretch.kind == LiteralKind::kLink ? FlightOf(stretch) : nullptr;
      const std::optional<PathRequest> request = RequestOf(stretch);
      if (request) {
        AddRequest(*request, stretch);
      } else if (flight != nullptr) {
        AddMessage(*flight, stretch);
      } else if (!Leads(stretch)) {
        AddLine(stretch);
      }
    }
    SplitEdges();
  }

  void AddHop(const LiteralStretch& stretch) {
    const bool passed = passed_on_.contains({stretch.thread, stretch.to_ns});
    // The wake is drawn from who had the turn, as the answer tells it.
    EntityId turn = stretch.waker;
    for (const LiteralStretch* at = Before(turn, stretch.to_ns);
         at != nullptr && Leads(*at) && at->to_ns == stretch.to_ns && !passed &&
         !passed_on_.contains({turn, stretch.to_ns});
         at = Before(turn, stretch.to_ns))
      turn = at->waker;
    edges_.push_back({.from = {turn, stretch.to_ns},
                      .to = {stretch.thread, stretch.to_ns},
                      .hop = passed                                      ? HopKind::kPassedOn
                             : stretch.kind == LiteralKind::kBeforeBirth ? HopKind::kBirth
                                                                         : HopKind::kWake,
                      .hop_from = turn,
                      .hop_to = stretch.thread});
  }

  void AddMessage(const MessageFlight& flight, const LiteralStretch& wait) {
    if (flight.sent_ns >= to_ns_ || flight.received_ns <= from_ns_) return;
    const auto number = timeline_.thread_count() + static_cast<EntityId>(&flight - flights_.data());
    const bool starts = flight.sent_ns <= from_ns_;
    const bool ends = flight.received_ns >= to_ns_;
    if (ends && wait.from_ns >= to_ns_) return;  // its receiver does not wait for it yet
    const Point from = starts ? Point{number, from_ns_} : Point{flight.sender, flight.sent_ns};
    const Point to =
        ends ? Point{flight.receiver, to_ns_} : Point{flight.receiver, flight.received_ns};
    if (starts) starts_.push_back(from);
    edges_.push_back({.from = from,
                      .to = to,
                      .thread = flight.receiver,
                      .activity = RecordedActivity::kDataMessage,
                      .hop = HopKind::kMessage,
                      .hop_from = flight.sender,
                      .hop_to = flight.receiver});
  }

  // That woke an idle worker, which passed it on to nobody that waited already.
  std::optional<PathRequest> RequestOf(const LiteralStretch& stretch) const {
    const bool woke_worker = stretch.idle && stretch.kind == LiteralKind::kOn &&
                             stretch.activity == RecordedActivity::kDisk &&
                             stretch.to_ns < to_ns_ && stretch.to_ns > from_ns_;
    if (!woke_worker) return std::nullopt;
    const auto request = RequestThatWoke(timeline_, requests_, stretch.thread, stretch.to_ns);
    if (!request) return std::nullopt;
    if (request->issue_ns > from_ns_ && !CanWake(request->issuer, request->issue_ns))
      return std::nullopt;
    return request;
  }

  void AddRequest(const PathRequest& request, const LiteralStretch& idle) {
    const auto number = static_cast<EntityId>(timeline_.thread_count() +
                                              timeline_.flights().size() + edges_.size());
    const bool starts = request.issue_ns <= from_ns_;
    const Point from = starts ? Point{number, from_ns_} : Point{request.issuer, request.issue_ns};
    if (starts) starts_.push_back(from);
    edges_.push_back({.from = from,
                      .to = {idle.thread, idle.to_ns},
                      .thread = request.issuer,
                      .activity = RecordedActivity::kDisk,
                      .hop = HopKind::kPassedOn,
                      .hop_from = request.issuer,
                      .hop_to = idle.thread});
  }

  void AddLine(const LiteralStretch& stretch) {
    const uint64_t from_ns = std::max(stretch.from_ns, from_ns_);
    const uint64_t to_ns = std::min(stretch.to_ns, to_ns_);
    if (from_ns >= to_ns) return;
    if (from_ns == from_ns_) starts_.push_back({stretch.thread, from_ns});
    edges_.push_back({.from = {stretch.thread, from_ns},
                      .to = {stretch.thread, to_ns},
                      .thread = stretch.thread,
                      .activity = stretch.activity});
  }

  // Lines at all points where edges begin or end on them, and at borders of phases.
  void SplitEdges() {
    std::map<EntityId, std::set<uint64_t>> points;
    for (const LiteralEdge& edge : edges_) {
      points[edge.from.first].insert(edge.from.second);
      points[edge.to.first].insert(edge.to.second);
    }
    for (const ThreadPhase& phase : graph_.phases) {
      points[phase.thread].insert(phase.from_ns);
      points[phase.thread].insert(phase.to_ns);
    }
    std::vector<LiteralEdge> split;
    for (const LiteralEdge& edge : edges_) {
      if (edge.hop) {
        split.push_back(edge);
        continue;
      }
      LiteralEdge part = edge;
      for (const uint64_t time_ns : points[edge.thread]) {
        if (time_ns <= edge.from.second || time_ns > edge.to.second) continue;
        part.to.second = time_ns;
        const bool goes_on = !split.empty() && part.from.second > edge.from.second;
        part.begins_stretch = !goes_on || PhaseAt(split.back()) != PhaseAt(part);
        split.push_back(part);
        part.from.second = time_ns;
      }
    }
    edges_ = split;
    std::sort(edges_.begin(), edges_.end(),
              [](const LiteralEdge& a, const LiteralEdge& b) { return a.to.second < b.to.second; });
  }

  uint32_t PhaseAt(const LiteralEdge& edge) const {
    const uint64_t time_ns = edge.to.second;
    for (const ThreadPhase& phase : graph_.phases) {
      if (phase.thread == edge.thread && phase.from_ns < time_ns && time_ns <= phase.to_ns)
        return phase.name;
    }
    return kNoPhase;
  }

  std::vector<Point> Ends() const {
    std::vector<Point> ends;
    std::vector<Point> sleepers;
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      const LiteralStretch* at = Before(thread, to_ns_);
      if (graph_.is_target[thread] == 0 || at == nullptr) continue;
      if (timeline_.entities()[thread].begin_ns >= to_ns_) continue;
      if (at->waits && (at->open || WholeEnd(*at) > to_ns_ + kLongestKnownEndNs)) continue;
      if (Leads(*at)) continue;
      (at->activity == RecordedActivity::kTimer ? sleepers : ends).push_back({thread, to_ns_});
    }
    return ends.empty() ? sleepers : ends;
  }

  // A wait that is cut in two, for a disk and for a worker, ends with the second.
  uint64_t WholeEnd(const LiteralStretch& stretch) const {
    const LiteralStretch* next = Before(stretch.thread, stretch.to_ns + 1);
    const bool is_cut = next != nullptr && next->kind == LiteralKind::kForThread &&
                        stretch.activity == RecordedActivity::kDisk &&
                        stretch.kind == LiteralKind::kOn && next->from_ns == stretch.to_ns &&
                        stretch.waker != kNobody;
    return is_cut ? next->to_ns : stretch.to_ns;
  }

  // Paths from the beginning to a point: of all edges into it, each when its own beginning is
  // known.
  std::map<Point, double> Forward() const {
    std::map<Point, double> paths;
    std::map<Point, std::vector<const LiteralEdge*>> into;
    for (const LiteralEdge& edge : edges_) into[edge.to].push_back(&edge);
    const std::set<Point> starts(starts_.begin(), starts_.end());
    std::function<double(const Point&)> count = [&](const Point& point) {
      const auto known = paths.find(point);
      if (known != paths.end()) return known->second;
      double sum = starts.contains(point) ? 1 : 0;
      for (const LiteralEdge* edge : into[point]) sum += count(edge->from);
      return paths[point] = sum;
    };
    for (const LiteralEdge& edge : edges_) {
      count(edge.from);
      count(edge.to);
    }
    return paths;
  }

  std::map<Point, double> Backward(const std::vector<Point>& ends) const {
    std::map<Point, double> paths;
    std::map<Point, std::vector<const LiteralEdge*>> out;
    for (const LiteralEdge& edge : edges_) out[edge.from].push_back(&edge);
    std::function<double(const Point&)> count = [&](const Point& point) {
      const auto known = paths.find(point);
      if (known != paths.end()) return known->second;
      double sum = std::find(ends.begin(), ends.end(), point) != ends.end() ? 1 : 0;
      for (const LiteralEdge* edge : out[point]) sum += count(edge->to);
      return paths[point] = sum;
    };
    for (const LiteralEdge& edge : edges_) {
      count(edge.from);
      count(edge.to);
    }
    return paths;
  }

  const RecordedGraph& graph_;
  const Timeline& timeline_;
  const RequestIndex requests_;
  uint64_t from_ns_;
  uint64_t to_ns_;
  std::vector<LiteralStretch> stretches_;
  std::vector<MessageFlight> flights_;
  std::set<Point> passed_on_;
  std::vector<LiteralEdge> edges_;
  std::vector<Point> starts_;
};

constexpr double kClose = 1e-9;

template <typename Key, typename Tell>
std::string DifferenceOf(const std::map<Key, double>& a, const std::map<Key, double>& b,
                         const Tell& tell) {
  for (const auto* values : {&a, &b}) {
    for (const auto& [key, value] : *values) {
      const auto in_a = a.find(key);
      const auto in_b = b.find(key);
      const double of_a = in_a == a.end() ? 0 : in_a->second;
      const double of_b = in_b == b.end() ? 0 : in_b->second;
      if (std::abs(of_a - of_b) > kClose)
        return absl::StrCat(tell(key), ": ", of_a, " by definition; ", of_b);
    }
  }
  return "";
}

}  // namespace

LiteralParticipation CountPaths(const RecordedGraph& graph, uint64_t from_ns, uint64_t to_ns) {
  return LiteralWindow(graph, from_ns, to_ns).Count();
}

std::string Difference(const LiteralParticipation& literal, const WindowParticipation& window) {
  if (literal.paths != window.paths)
    return absl::StrCat(literal.paths, " paths by definition; ", window.paths);
  std::map<std::tuple<EntityId, uint32_t, RecordedActivity>, double> cp;
  std::map<std::tuple<EntityId, EntityId, HopKind>, double> crossings;
  std::map<std::tuple<EntityId, EntityId>, double> message_cp;
  std::map<std::tuple<EntityId, uint32_t, RecordedActivity>, double> stretches;
  for (const StayParticipation& stay : window.stays) {
    cp[{stay.thread, stay.phase, stay.activity}] = stay.cp;
    stretches[{stay.thread, stay.phase, stay.activity}] = stay.crossings;
  }
  for (const HopParticipation& hop : window.hops) {
    crossings[{hop.from, hop.to, hop.kind}] = hop.crossings;
    if (hop.kind == HopKind::kMessage) message_cp[{hop.from, hop.to}] = hop.cp;
  }
  const auto tell_stay = [](const auto& key) {
    return absl::StrCat("thread ", std::get<0>(key), " phase ", std::get<1>(key), " ",
                        std::string(NameOf(std::get<2>(key))));
  };
  std::string difference = DifferenceOf(literal.cp, cp, tell_stay);
  if (difference.empty()) difference = DifferenceOf(literal.stretches, stretches, tell_stay);
  if (difference.empty())
    difference = DifferenceOf(literal.crossings, crossings, [](const auto& key) {
      return absl::StrCat("hop ", std::get<0>(key), "->", std::get<1>(key), " kind ",
                          static_cast<int>(std::get<2>(key)));
    });
  if (difference.empty())
    difference = DifferenceOf(literal.message_cp, message_cp, [](const auto& key) {
      return absl::StrCat("message ", std::get<0>(key), "->", std::get<1>(key));
    });
  return difference;
}

}  // namespace gordian
