// SPDX-License-Identifier: Apache-2.0
#include "requests/let_through.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "requests/open_requests.h"

namespace gordian {
namespace {

using Requests = std::vector<const Request*>;

// Share of the requests on a way. If so many came in other numbers of parts than most do, there are
// several at once on its connections, and how many are under way is not known.
constexpr double kManyOddlyParted = 0.25;

// A program on a node, whatever number of processes it has. Many programs are called python3: their
// commands tell them apart.
struct ProgramKey {
  uint32_t node = 0;
  std::string name;
  std::string command;
  auto Fields() const { return std::tie(node, name, command); }
  bool operator<(const ProgramKey& other) const { return Fields() < other.Fields(); }
};

ProgramKey ProgramOf(const Timeline& timeline, EntityId thread) {
  const Entity& entity = timeline.entities()[thread];
  return {entity.node, entity.process_name, entity.command};
}

// A gateway and the server behind it may be one process, with many requests at once on one
// connection. What it asks itself is its own work: there is nobody that it could ask more.
bool AsksItself(const Timeline& timeline, const Request& request) {
  if (request.client == kNobody || request.thread == kNobody) return false;
  const Entity& client = timeline.entities()[request.client];
  const Entity& server = timeline.entities()[request.thread];
  return client.node == server.node && client.tgid == server.tgid;
}

// A client sends a request in one part, or in two: its head and its body. What comes in all numbers
// of parts is several requests at once on a connection (streams of HTTP/2, pipelining), which are
// told as one.
bool HoldSeveralAtOnce(const Requests& requests) {
  std::map<uint32_t, size_t> by_parts;
  for (const Request* request : requests) ++by_parts[request->parts];
  std::vector<size_t> counts;
  counts.reserve(by_parts.size());
  for (const auto& [parts, count] : by_parts) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  size_t odd = 0;
  for (size_t i = 2; i < counts.size(); ++i) odd += counts[i];
  return static_cast<double>(odd) >= kManyOddlyParted * static_cast<double>(requests.size());
}

template <typename Value>
void KeepEachOnce(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// A number that begins or ends at a time: of those under way, or of those of its own.
struct NumberChange {
  uint64_t time_ns = 0;
  int under_way = 0;
  int own = 0;
};

std::vector<NumberChange> ChangesOf(const Requests& under_way, const Requests& own) {
  std::vector<NumberChange> changes;
  changes.reserve(2 * (under_way.size() + own.size()));
  for (const Request* request : under_way) {
    changes.push_back({request->start_ns, 1, 0});
    changes.push_back({request->answer_ns, -1, 0});
  }
  for (const Request* request : own) {
    changes.push_back({request->start_ns, 0, 1});
    changes.push_back({request->answer_ns, 0, -1});
  }
  std::sort(changes.begin(), changes.end(), [](const NumberChange& a, const NumberChange& b) {
    return std::tie(a.time_ns, a.under_way, a.own) < std::tie(b.time_ns, b.under_way, b.own);
  });
  return changes;
}

void Measure(const Requests& under_way, const Requests& own, uint64_t searched_ns,
             LetThrough& let_through) {
  let_through.requests = under_way.size();
  let_through.most = OpenAtOnceOf(under_way).most;
  const std::vector<NumberChange> changes = ChangesOf(under_way, own);
  const auto most = static_cast<int64_t>(let_through.most);
  int64_t way = 0;
  int64_t open = 0;
  uint64_t full_ns = 0;
  double way_ns = 0;  // under way, times how long
  uint64_t kept_ns = 0;
  uint64_t both_ns = 0;
  for (size_t i = 0; i + 1 < changes.size(); ++i) {
    way += changes[i].under_way;
    open += changes[i].own;
    const uint64_t lasts_ns = changes[i + 1].time_ns - changes[i].time_ns;
    const bool is_full = way >= most;
    const bool keeps = open > most;
    full_ns += is_full ? lasts_ns : 0;
    way_ns += static_cast<double>(way) * static_cast<double>(lasts_ns);
    kept_ns += keeps ? lasts_ns : 0;
    both_ns += is_full && keeps ? lasts_ns : 0;
    if (is_full && keeps && lasts_ns > 0)
      let_through.kept = std::max(let_through.kept, static_cast<uint64_t>(open - most));
  }
  if (searched_ns == 0) return;
  const auto all_ns = static_cast<double>(searched_ns);
  let_through.full_share = static_cast<double>(full_ns) / all_ns;
  let_through.on_average = way_ns / all_ns;
  let_through.kept_share = static_cast<double>(kept_ns) / all_ns;
  if (kept_ns > 0)
    let_through.full_while_kept_share = static_cast<double>(both_ns) / static_cast<double>(kept_ns);
}

// A server, as those who ask it know it: a port, or a pool of one program.
using ServerKey = std::pair<uint16_t, ProgramKey>;

// By port of a server: how many connections lead to it.
std::map<uint16_t, size_t> ConnectionsOfPorts(const FoundRequests& found) {
  std::map<uint16_t, std::set<FlowTuple>> tuples;
  for (const RequestConnection& connection : found.connections)
    tuples[connection.to_server.destination_port].insert(connection.to_server);
  std::map<uint16_t, size_t> counts;
  for (const auto& [port, some] : tuples) counts[port] = some.size();
  return counts;
}

// Where a program works for another without packets, steps of the other's requests are its
// threads'.
constexpr size_t kRequestsWalked = 100;

using ProgramRequests = std::map<ProgramKey, Requests>;

// By program that has no requests of its own: the one in whose requests its threads stand most
// often. Of each program as many requests are walked through, evenly spread.
std::map<ProgramKey, ProgramKey> WorksFor(const Timeline& timeline, const RequestWalk& walk,
                                          const ProgramRequests& own) {
  std::map<ProgramKey, std::map<ProgramKey, size_t>> steps_of;
  RequestStepCounts counts;
  for (const auto& [program, requests] : own) {
    const size_t stride = std::max<size_t>(1, requests.size() / kRequestsWalked);
    for (size_t i = 0; i < requests.size(); i += stride) {
      for (const RequestStep& step : walk.StepsOf(*requests[i], counts)) {
        for (const EntityId thread : {step.thread, step.waits_for}) {
          if (thread >= timeline.thread_count()) continue;
          const ProgramKey other = ProgramOf(timeline, thread);
          if (!own.contains(other)) ++steps_of[other][program];
        }
      }
    }
  }
  std::map<ProgramKey, ProgramKey> works_for;
  for (const auto& [program, steps] : steps_of) {
    const auto most =
        std::max_element(steps.begin(), steps.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    works_for[program] = most->first;
  }
  return works_for;
}

// Those open at one moment: a program may make a new one for each request.
uint64_t ConnectionsInTheMiddle(const FoundRequests& found, const Requests& requests) {
  const auto tuple_of = [&](const Request* request) {
    return found.connections[request->connection].to_server;
  };
  uint64_t first_ns = std::numeric_limits<uint64_t>::max();
  uint64_t last_ns = 0;
  for (const Request* request : requests) {
    first_ns = std::min(first_ns, request->start_ns);
    last_ns = std::max(last_ns, request->answer_ns);
  }
  const uint64_t middle_ns = first_ns + (last_ns - first_ns) / 2;
  std::set<FlowTuple> before;
  std::set<FlowTuple> through;
  for (const Request* request : requests)
    if (request->start_ns <= middle_ns) before.insert(tuple_of(request));
  for (const Request* request : requests)
    if (request->answer_ns > middle_ns && before.contains(tuple_of(request)))
      through.insert(tuple_of(request));
  return through.size();
}

LetThrough Describe(const Timeline& timeline, const FoundRequests& found, const ProgramKey& program,
                    const Requests& requests) {
  LetThrough let_through{.node = program.node, .program = program.name};
  for (const Request* request : requests) {
    let_through.ports.push_back(found.connections[request->connection].to_server.destination_port);
    let_through.askers.push_back(request->client);
    if (request->thread != kNobody) let_through.servers.push_back(request->thread);
  }
  let_through.connections = ConnectionsInTheMiddle(found, requests);
  KeepEachOnce(let_through.ports);
  KeepEachOnce(let_through.askers);
  KeepEachOnce(let_through.servers);
  let_through.beginner = WhoBeganEach(timeline, let_through.askers, requests.size());
  if (!let_through.servers.empty())
    let_through.server = ProgramOf(timeline, let_through.servers.front()).name;
  return let_through;
}

}  // namespace

EntityId WhoBeganEach(const Timeline& timeline, const std::vector<EntityId>& askers,
                      size_t requests) {
  if (askers.size() != requests) return kNobody;
  std::map<std::pair<uint32_t, int32_t>, size_t> begun_by;
  for (const EntityId asker : askers) {
    const Entity& entity = timeline.entities()[asker];
    if (entity.begin_ns > timeline.start_ns() && entity.end_ns < timeline.end_ns() &&
        entity.parent_tid > 0 && entity.tid == entity.tgid)
      ++begun_by[{entity.node, entity.parent_tid}];
  }
  const auto most =
      std::max_element(begun_by.begin(), begun_by.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == begun_by.end() || most->second * 2 <= askers.size()) return kNobody;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const Entity& entity = timeline.entities()[thread];
    if (std::pair(entity.node, entity.tid) == most->first) return thread;
  }
  return kNobody;
}

uint64_t SearchedNs(const FoundRequests& found, uint64_t from_ns, uint64_t to_ns) {
  if (found.stretches.empty()) return to_ns - from_ns;
  uint64_t searched_ns = 0;
  for (const SearchedStretch& stretch : found.stretches)
    searched_ns += stretch.to_ns - stretch.from_ns;
  return searched_ns;
}

std::vector<LetThrough> FindLetThrough(const Timeline& timeline, const FoundRequests& found,
                                       const RequestWalk& walk, uint64_t from_ns, uint64_t to_ns) {
  const std::map<uint16_t, size_t> connections_of_port = ConnectionsOfPorts(found);
  std::map<std::pair<ProgramKey, ServerKey>, Requests> asked;
  ProgramRequests own;
  for (const auto* requests : {&found.requests, &found.others}) {
    for (const Request& request : *requests) {
      if (request.connection == kNoConnection || AsksItself(timeline, request)) continue;
      const uint16_t port = found.connections[request.connection].to_server.destination_port;
      const bool is_private = request.thread != kNobody && connections_of_port.at(port) == 1;
      const ServerKey server =
          is_private ? ServerKey{0, ProgramOf(timeline, request.thread)} : ServerKey{port, {}};
      if (request.client != kNobody)
        asked[{ProgramOf(timeline, request.client), server}].push_back(&request);
      if (request.thread != kNobody) own[ProgramOf(timeline, request.thread)].push_back(&request);
    }
  }
  const std::map<ProgramKey, ProgramKey> works_for = WorksFor(timeline, walk, own);
  const uint64_t searched_ns = SearchedNs(found, from_ns, to_ns);
  std::vector<LetThrough> all;
  for (const auto& [key, requests] : asked) {
    if (HoldSeveralAtOnce(requests)) continue;
    all.push_back(Describe(timeline, found, key.first, requests));
    const auto other = works_for.find(key.first);
    // Nobody works for the server that it asks: it is that one's client.
    const bool works = other != works_for.end() && other->second.name != all.back().server;
    if (works) all.back().works_for = other->second.name;
    Measure(requests, own[works ? other->second : key.first], searched_ns, all.back());
  }
  return all;
}

}  // namespace gordian
