// SPDX-License-Identifier: Apache-2.0
// How it works:
//
// 1. Places: the stacks in which threads began to wait, as places of a process's code, locks apart.
// 2. Each thread's segments, in order: from a wait at a place, over waits for locks, to a wait at
//    the same place again: a visit, if the thread did not run for long. (One walk, no going back.)
// 3. All threads' waits once more: a wait that a thread ended during a visit makes the visit count
//    as work. A wait that ended together with the wait before a visit makes the visit one of
//    several woken at once. Requests to disks and packets are work, too.
// 4. The other visits are summed up by place. A place whose stacks were cut short (before the
//    unwinding tables of a program are made) is told together with the whole one at which its
//    threads are woken, if there is only one.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/suggestions/suggestions.h"
#include "analyzer/suggestions/thresholds.h"

namespace gordian {
namespace {

// Waits that the kernel ends only when there is something, and waits that no program repeats in a
// loop of its own (see wait_reasons.cc).
constexpr std::string_view kExactReasons[] = {"futex",   "epoll",     "poll",
                                              "eventfd", "semaphore", "other"};

enum class PlaceKind : uint8_t { kNone, kLock, kPlace };
struct StackPlace {
  PlaceKind kind = PlaceKind::kNone;
  uint32_t place = 0;
};

struct WaitSample {
  SleepStart at;
  uint32_t stack_id = 0;
  uint8_t weight_log2 = 0;
};

// From the wake that ended a wait at a place to the next sleep there.
struct Visit {
  EntityId thread = kNobody;
  EntityId waker = kNobody;
  uint64_t woken_ns = 0;
  uint64_t asleep_ns = 0;  // the start of the next wait there
  uint64_t blamed_ns = 0;  // the wait before that one, and all between
  uint32_t place = 0;
  bool worked = false;
  bool in_company = false;  // others were woken at once with it
};

struct PlaceSum {
  CodePath path;
  uint64_t worked = 0;
  uint64_t samples = 0;
  double wakes = 0;    // of all waits there that a thread ended
  uint64_t known = 0;  // visits of which it is known whether they were for nothing
  double time_ns = 0;  // of those that were
  std::map<EntityId, uint64_t> threads;  // false wakeups of each
  std::set<EntityId> woken;              // threads that were woken there at all
};

class FalseWakeupFinder {
 public:
  FalseWakeupFinder(const Timeline& timeline, const Code& code, const SuggestionOptions& options)
      : timeline_(timeline), code_(code), options_(options) {}

  Suggestions Find() {
    GatherSamples();
    for (size_t first = 0; first < samples_.size();) {
      size_t end = first;
      while (end < samples_.size() && samples_[end].at.thread == samples_[first].at.thread) ++end;
      Walk(samples_[first].at.thread, std::span(samples_).subspan(first, end - first));
      first = end;
    }
    if (visits_.empty()) return {};
    for (const Visit& visit : visits_) {
      first_ns_ = std::min(first_ns_, visit.woken_ns - std::min(visit.woken_ns, kAtOnceNs));
      last_ns_ = std::max({last_ns_, visit.woken_ns + kAtOnceNs, visit.asleep_ns});
    }
    LookAtWakes();
    LookAtRequests();
    return SumUp();
  }

 private:
  using PlaceKey = std::pair<uint64_t, CodePath>;  // of which process

  void GatherSamples() {
    for (const StackSample& sample : timeline_.stack_samples()) {
      if (sample.moment() != StackMoment::kWait || sample.thread >= timeline_.thread_count())
        continue;
      const uint64_t time_ns = timeline_.start_ns() + sample.since_start_ns;
      if (time_ns < options_.from_ns || time_ns >= options_.to_ns) continue;
      const Entity& thread = timeline_.entities()[sample.thread];
      if (thread.kernel_thread || thread.recorder) continue;
      samples_.push_back(
          {{sample.thread, time_ns}, sample.stack_id, static_cast<uint8_t>(sample.weight_log2)});
    }
    std::stable_sort(samples_.begin(), samples_.end(),
                     [](const WaitSample& a, const WaitSample& b) { return a.at < b.at; });
  }

  // Places of a process are numbered as they are met.
  StackPlace PlaceOf(const WaitSample& sample) {
    const auto [known, is_new] = places_of_stacks_.try_emplace(sample.stack_id);
    if (!is_new || !code_.IsDefined(sample.stack_id)) return known->second;
    CodePath path = code_.PathOf(sample.stack_id, StackSide::kWaiter);
    const bool any_user = std::any_of(path.begin(), path.end(), [&](uint32_t index) {
      const CodeFrame& frame = code_.frame(index);
      return !frame.kernel && (!frame.function.empty() || !frame.module.empty());
    });
    const std::string_view reason = ReasonOf(path, code_);
    if (!any_user || std::find(std::begin(kExactReasons), std::end(kExactReasons), reason) ==
                         std::end(kExactReasons))
      return known->second;
    if (WaitsForLock(path, code_)) return known->second = {PlaceKind::kLock, 0};
    if (WaitsForBarrier(path, code_)) return known->second;
    const uint64_t process = ProcessOf(sample.at.thread);
    const auto [number, is_new_place] =
        numbers_.try_emplace({process, path}, static_cast<uint32_t>(sums_.size()));
    if (is_new_place) sums_.emplace_back().path = std::move(path);
    return known->second = {PlaceKind::kPlace, number->second};
  }

  uint64_t ProcessOf(EntityId thread) const {
    const Entity& entity = timeline_.entities()[thread];
    return NumberOnNode(entity.node, entity.tgid);
  }

  // The sample of the wait that begins then; null if no sample was taken.
  const WaitSample* SampleOf(SleepStart start) const {
    const auto found =
        std::lower_bound(samples_.begin(), samples_.end(), start,
                         [](const WaitSample& a, const SleepStart& b) { return a.at < b; });
    return found != samples_.end() && found->at == start ? &*found : nullptr;
  }

  void Walk(EntityId thread, std::span<const WaitSample> samples) {
    Visit visit;
    bool woken = false;     // at a place, and has not gone to wait since, but for locks
    bool on_visit = false;  // … and did not run for longer than a visit
    bool ran_on = false;    // … for longer; whether that was work is still open
    uint64_t run_ns = 0;
    uint64_t last_wait_ns = 0;
    for (SegmentCursor at = timeline_.SegmentsFrom(thread, samples.front().at.start_ns);
         !at.done() && !samples.empty(); at.Next()) {
      const ThreadSegment& segment = at.segment();
      if (segment.kind == SegmentKind::kRun) run_ns += at.end_ns() - at.start_ns();
      const bool plain = segment.kind == SegmentKind::kRun ||
                         segment.kind == SegmentKind::kRunnable ||
                         segment.kind == SegmentKind::kWait;
      if ((on_visit || ran_on) && run_ns > kLeastWorkNs) {
        ++sums_[visit.place].worked;
        on_visit = ran_on = false;
      } else if (on_visit && (!plain || run_ns > kMostRunNs)) {
        on_visit = false;
        ran_on = plain;
      }
      if (segment.kind != SegmentKind::kWait) continue;
      while (!samples.empty() && samples.front().at.start_ns < at.start_ns())
        samples = samples.subspan(1);
      const bool sampled = !samples.empty() && samples.front().at.start_ns == at.start_ns();
      const StackPlace place = sampled ? PlaceOf(samples.front()) : StackPlace{};
      const bool here = on_visit && place.kind == PlaceKind::kPlace && place.place == visit.place;
      if (here && at.start_ns() >= options_.from_ns && at.start_ns() < options_.to_ns) {
        visit.asleep_ns = at.start_ns();
        visit.blamed_ns = at.start_ns() - last_wait_ns;
        visits_.push_back(visit);
      }
      last_wait_ns = at.start_ns();
      const bool by_thread = segment.cause == WaitCause::kThread &&
                             segment.waker < timeline_.thread_count() && !segment.open_start;
      if (place.kind == PlaceKind::kLock && by_thread) continue;
      if (woken && sampled) ++sums_[visit.place].known;
      woken = on_visit = place.kind == PlaceKind::kPlace && by_thread;
      ran_on = false;
      run_ns = 0;
      if (!woken) continue;
      sums_[place.place].wakes += std::ldexp(1.0, samples.front().weight_log2);
      sums_[place.place].woken.insert(thread);
      visit = {
          .thread = thread, .waker = segment.waker, .woken_ns = at.end_ns(), .place = place.place};
    }
  }

  // The visits of `thread` stand in order of time. Gives the visit under way then, or null.
  Visit* VisitAt(EntityId thread, uint64_t time_ns) {
    const auto after = std::upper_bound(
        visits_.begin(), visits_.end(), std::pair(thread, time_ns),
        [](const auto& key, const Visit& v) { return key < std::pair(v.thread, v.woken_ns); });
    if (after == visits_.begin()) return nullptr;
    Visit& visit = *std::prev(after);
    return visit.thread == thread && time_ns <= visit.asleep_ns ? &visit : nullptr;
  }

  void LookAtWakes() {
    std::vector<uint8_t> matters(timeline_.thread_count());
    std::vector<std::tuple<EntityId, uint64_t, size_t>> woken;  // by whom, when, which visit
    for (size_t i = 0; i < visits_.size(); ++i) {
      matters[visits_[i].thread] = matters[visits_[i].waker] = 1;
      woken.emplace_back(visits_[i].waker, visits_[i].woken_ns, i);
    }
    std::sort(woken.begin(), woken.end());
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      for (SegmentCursor at = timeline_.SegmentsFrom(thread, first_ns_);
           !at.done() && at.start_ns() <= last_ns_; at.Next()) {
        const ThreadSegment& segment = at.segment();
        if (segment.waker >= timeline_.thread_count() || matters[segment.waker] == 0) continue;
        const bool early = segment.kind == SegmentKind::kRunnable;
        if (!early && segment.kind != SegmentKind::kWait) continue;
        const uint64_t time_ns = early ? at.start_ns() : at.end_ns();
        if (!early) MarkCompany(thread, segment.waker, time_ns, woken);
        if (Visit* visit = VisitAt(segment.waker, time_ns)) {
          const WaitSample* sample = early ? nullptr : SampleOf({thread, at.start_ns()});
          const bool for_lock = sample != nullptr && PlaceOf(*sample).kind == PlaceKind::kLock;
          visit->worked |= !for_lock;
        }
      }
    }
  }

  // Visits that began when `waker` woke `thread` too.
  void MarkCompany(EntityId thread, EntityId waker, uint64_t time_ns,
                   std::span<const std::tuple<EntityId, uint64_t, size_t>> woken) {
    const uint64_t from_ns = time_ns - std::min(time_ns, kAtOnceNs);
    const uint64_t process = ProcessOf(thread);
    for (auto at =
             std::lower_bound(woken.begin(), woken.end(), std::tuple(waker, from_ns, size_t{0}));
         at != woken.end() && std::get<0>(*at) == waker && std::get<1>(*at) <= time_ns + kAtOnceNs;
         ++at) {
      Visit& visit = visits_[std::get<2>(*at)];
      if (visit.thread != thread && ProcessOf(visit.thread) == process) visit.in_company = true;
    }
  }

  // Of records in order of time, those from the first visit to the last.
  template <typename Record>
  std::span<const Record> WhileVisits(std::span<const Record> records) const {
    const auto first =
        std::lower_bound(records.begin(), records.end(), first_ns_,
                         [](const Record& r, uint64_t time_ns) { return r.time_ns < time_ns; });
    const auto end =
        std::upper_bound(first, records.end(), last_ns_,
                         [](uint64_t time_ns, const Record& r) { return time_ns < r.time_ns; });
    return {first, end};
  }

  void LookAtRequests() {
    std::vector<uint8_t> visits(timeline_.thread_count());
    for (const Visit& visit : visits_) visits[visit.thread] = 1;
    const auto is_on_visits = [&](EntityId thread) {
      return thread < visits.size() && visits[thread] != 0;
    };
    for (const BlockRecord& request : WhileVisits<BlockRecord>(timeline_.block_records())) {
      if (request.complete || !is_on_visits(request.thread)) continue;
      if (Visit* visit = VisitAt(request.thread, request.time_ns)) visit->worked = true;
    }
    for (const Column<PacketRecord>& row : timeline_.packet_rows()) {
      for (const PacketRecord& packet : WhileVisits<PacketRecord>(row)) {
        if (!packet.sent || !is_on_visits(packet.thread)) continue;
        if (Visit* visit = VisitAt(packet.thread, packet.time_ns)) visit->worked = true;
      }
    }
  }

  bool IsWorthy(const PlaceSum& sum) const {
    const double least_worked = kLeastWorked * static_cast<double>(sum.samples);
    return sum.samples >= kFewestWakeups && sum.worked > 0 &&
           static_cast<double>(sum.worked) >= least_worked;
  }

  // In the order of the map, the paths that begin with a path follow it. From the last to the
  // first, so that the shortest path comes after the paths it may be told with.
  void TellCutPlacesWithWhole() {
    for (auto cut = numbers_.rbegin(); cut != numbers_.rend(); ++cut) {
      PlaceSum& sum = sums_[cut->second];
      if (!IsWorthy(sum)) continue;
      PlaceSum* whole = nullptr;
      int wholes = 0;
      for (auto at = cut.base(); at != numbers_.end() && BeginsWith(at->first, cut->first); ++at) {
        if (!AnyOf(sum.threads, sums_[at->second].woken)) continue;
        whole = &sums_[at->second];
        ++wholes;
      }
      if (wholes == 1) Add(std::exchange(sum, PlaceSum{}), *whole);
    }
  }

  static bool AnyOf(const std::map<EntityId, uint64_t>& threads, const std::set<EntityId>& woken) {
    return std::any_of(threads.begin(), threads.end(),
                       [&](const auto& of_one) { return woken.count(of_one.first) != 0; });
  }

  static bool BeginsWith(const PlaceKey& whole, const PlaceKey& cut) {
    return whole.first == cut.first && whole.second.size() > cut.second.size() &&
           std::equal(cut.second.begin(), cut.second.end(), whole.second.begin());
  }

  static void Add(const PlaceSum& cut, PlaceSum& whole) {
    whole.worked += cut.worked;
    whole.samples += cut.samples;
    whole.wakes += cut.wakes;
    whole.known += cut.known;
    whole.time_ns += cut.time_ns;
    for (const auto& [thread, count] : cut.threads) whole.threads[thread] += count;
    whole.woken.insert(cut.woken.begin(), cut.woken.end());
  }

  Suggestions SumUp() {
    for (const Visit& visit : visits_) {
      PlaceSum& sum = sums_[visit.place];
      if (visit.worked) ++sum.worked;
      if (visit.worked || !visit.in_company) continue;
      ++sum.samples;
      sum.time_ns += static_cast<double>(visit.blamed_ns);
      ++sum.threads[visit.thread];
    }
    Suggestions found;
    for (const Visit& visit : visits_) {  // before places are told together: each stands for itself
      if (!visit.worked && visit.in_company && IsWorthy(sums_[visit.place]))
        found.after_false_wakeups.push_back({visit.thread, visit.asleep_ns});
    }
    TellCutPlacesWithWhole();
    for (PlaceSum& sum : sums_) {
      if (!IsWorthy(sum)) continue;
      // A visit is known if stacks were taken at both of its ends, which is mostly so while each
      // stack stands for few waits. By the product of their chances one rare pair would outweigh
      // all others together. So each known visit has one vote on the share of all wakes.
      const double all_of_known = sum.wakes / static_cast<double>(std::max(sum.known, sum.samples));
      const auto most =
          std::max_element(sum.threads.begin(), sum.threads.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      found.all.push_back({.kind = SuggestionKind::kFalseWakeup,
                           .likely = true,
                           .thread = most->first,
                           .threads = static_cast<uint32_t>(sum.threads.size()),
                           .time_ns = sum.time_ns * all_of_known,
                           .count = static_cast<double>(sum.samples) * all_of_known,
                           .samples = sum.samples,
                           .path = std::move(sum.path)});
    }
    return found;
  }

  const Timeline& timeline_;
  const Code& code_;
  const SuggestionOptions& options_;
  std::vector<WaitSample> samples_;  // of user threads, by thread and time
  absl::flat_hash_map<uint32_t, StackPlace> places_of_stacks_;
  std::map<PlaceKey, uint32_t> numbers_;
  std::vector<PlaceSum> sums_;  // by place
  std::vector<Visit> visits_;   // by thread and time
  // From the first visit to the last, with what is woken at once with it.
  uint64_t first_ns_ = UINT64_MAX;
  uint64_t last_ns_ = 0;
};

}  // namespace

Suggestions FindFalseWakeups(const Timeline& timeline, const Code& code,
                             const SuggestionOptions& options) {
  return FalseWakeupFinder(timeline, code, options).Find();
}

}  // namespace gordian
