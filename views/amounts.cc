// SPDX-License-Identifier: Apache-2.0
#include "views/amounts.h"

#include <map>
#include <utility>

#include "participation/recorded_participation.h"

namespace gordian {

UnitTimes& UnitTimes::operator+=(const UnitTimes& other) {
  run_ns += other.run_ns;
  runnable_ns += other.runnable_ns;
  wait_ns += other.wait_ns;
  spin_ns += other.spin_ns;
  unknown_ns += other.unknown_ns;
  return *this;
}

UnitTraffic& UnitTraffic::operator+=(const UnitTraffic& other) {
  sent_bytes += other.sent_bytes;
  received_bytes += other.received_bytes;
  sent_messages += other.sent_messages;
  received_messages += other.received_messages;
  return *this;
}

WaitForGraph GraphWithin(const Analysis& analysis, const TimeRange& range) {
  const TimeRange& all = analysis.range();
  if (range.from_ns == all.from_ns && range.to_ns == all.to_ns) return analysis.wait_for_graph();
  return analysis.GraphOfPart(range);
}

std::vector<UnitTimes> TimesOfThreads(const Analysis& analysis, const TimeRange& range) {
  const WaitForGraph graph = GraphWithin(analysis, range);
  std::vector<UnitTimes> times;
  times.reserve(analysis.timeline().thread_count());
  for (EntityId id = 0; id < analysis.timeline().thread_count(); ++id) {
    const Entity& thread = graph.entities[id];
    times.push_back(
        {thread.run_ns, thread.runnable_ns, thread.wait_ns, thread.spin_ns, thread.unknown_ns});
  }
  return times;
}

Amounts AmountsWithin(const Analysis& analysis, const Units& units, const AmountsRequest& request) {
  const Timeline& timeline = analysis.timeline();
  const TimeRange& range = request.range;
  Amounts amounts{.level = request.level, .units = {}, .critical_paths = 0, .elsewhere = {}};
  amounts.units.resize(UnitCount(units, request.level));
  const std::vector<UnitTimes> times = TimesOfThreads(analysis, range);
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& thread = timeline.entities()[id];
    UnitAmounts& unit = amounts.units[UnitOfThread(units, request.level, id)];
    unit.times += times[id];
    if (thread.begin_ns < range.to_ns && thread.end_ns > range.from_ns) ++unit.threads;
  }
  if (!request.with_participation || range.length_ns() == 0) return amounts;
  const std::vector<uint8_t> is_target = analysis.TargetThreads();
  const RecordedGraph graph = {.timeline = timeline, .is_target = is_target};
  const WindowParticipation window = ParticipationWithin(graph, range.from_ns, range.to_ns);
  amounts.critical_paths = window.paths;
  for (const StayParticipation& stay : window.stays)
    amounts.units[UnitOfThread(units, request.level, stay.thread)].participation += stay.cp;
  return amounts;
}

std::vector<uint32_t> UnitsOfParties(const Traffic& traffic, const Units& units, UnitLevel level) {
  std::map<std::pair<uint32_t, int32_t>, uint32_t> processes;
  for (uint32_t i = 0; i < units.processes.size(); ++i)
    processes.emplace(std::pair(units.processes[i].node, units.processes[i].pid), i);
  std::vector<uint32_t> result;
  for (const TrafficParty& party : traffic.parties) {
    const auto process = processes.find({party.node, party.pid});
    if (level == UnitLevel::kThread || party.node == kNoTrafficNode) {
      result.push_back(kNoUnit);
    } else if (party.pid != 0 && process != processes.end()) {
      result.push_back(UnitOfProcess(units, level, process->second));
    } else {
      result.push_back(UnitOfNode(units, level, party.node));
    }
  }
  return result;
}

void AddTraffic(const WindowTraffic& traffic, const WindowSpan& windows, const Units& units,
                Amounts& amounts) {
  const std::vector<uint32_t> unit_of = UnitsOfParties(traffic.traffic, units, amounts.level);
  const auto of_party = [&](uint32_t party) -> UnitTraffic& {
    const uint32_t unit = unit_of[party];
    return unit == kNoUnit ? amounts.elsewhere : amounts.units[unit].traffic;
  };
  for (const TrafficPair& pair : traffic.traffic.pairs) {
    const TrafficAmount amount = AmountWithin(traffic, pair, windows);
    of_party(pair.from) += {.sent_bytes = amount.payload_bytes, .sent_messages = amount.messages};
    of_party(pair.to) +=
        {.received_bytes = amount.payload_bytes, .received_messages = amount.messages};
  }
}

}  // namespace gordian
