// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_turns.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analysis/token_claims.h"
#include "analysis/token_lines.h"
#include "analysis/token_loop.h"
#include "requests/load.h"
#include "whatif/requests/thresholds.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Requests whose ways are kept, evenly spread: a kilobyte each. A busy server's minute has
// millions.
constexpr size_t kMostTurns = 100'000;
// Share of a client's requests that wait for another client. From here on that one is a part of
// its cycle, be it only for every second request (push, then wait for an answer).
constexpr double kThroughOther = 0.2;
// Times the time for which the root's requests are open. A request that asks for one thing after
// the other has its questions open for no longer than itself; a fifth is left to work behind
// answers.
constexpr double kMoreThanOneOpen = 1.2;

// The same requests as their clients' nodes saw them.
class AskedElsewhere {
 public:
  AskedElsewhere(const FoundRequests& found, uint16_t port) : found_(found) {
    for (const Request& request : found.others) {
      if (request.connection == kNoConnection) continue;
      const RequestConnection& connection = found.connections[request.connection];
      if (!connection.is_served && connection.is_asked &&
          connection.to_server.destination_port == port)
        asked_[connection.to_server].push_back(&request);
    }
  }

  // The first that was answered behind the answer's leaving, and had begun before. Null: none.
  const Request* Find(const Request& served) const {
    const auto row = asked_.find(found_.connections[served.connection].to_server);
    if (row == asked_.end()) return nullptr;
    const auto at = std::partition_point(
        row->second.begin(), row->second.end(),
        [&](const Request* asked) { return asked->answer_ns < served.answer_ns; });
    return at != row->second.end() && (*at)->start_ns < served.answer_ns ? *at : nullptr;
  }

 private:
  const FoundRequests& found_;
  absl::flat_hash_map<FlowTuple, std::vector<const Request*>> asked_;  // by answer
};

// Whether no thread shares its connection with others, nor has several in use at once. A question
// that nobody was seen to ask proves neither.
bool IsAskedByEach(std::span<const Request* const> requests, uint32_t open_at_once) {
  std::map<uint32_t, EntityId> clients;
  std::set<EntityId> askers;
  for (const Request* request : requests) {
    if (request->client == kNobody) continue;
    if (clients.try_emplace(request->connection, request->client).first->second != request->client)
      return false;
    askers.insert(request->client);
  }
  return !askers.empty() && open_at_once <= askers.size();
}

class TurnsFinder {
 public:
  TurnsFinder(const Timeline& timeline, const FoundRequests& found, const RequestWalk& walk,
              std::span<const uint32_t> vertex_of_entity, const PhasesAsRoot& root)
      : timeline_(timeline),
        found_(found),
        walk_(walk),
        vertices_(vertex_of_entity),
        phases_(root) {}

  TokenTurns Find() {
    const RequestsByPort by_port = SortByPort(found_);
    for (const Request& request : found_.requests) {
      if (request.thread == kNobody || request.connection == kNoConnection) continue;
      if (request.client != kNobody)
        made_.asker_of.try_emplace(PortOfRequest(found_, request), request.client);
      if (found_.connections[request.connection].is_private)
        made_.private_ports.insert(PortOfRequest(found_, request));
      made_.port_of_server.try_emplace(request.thread, PortOfRequest(found_, request));
    }
    if (by_port.empty() && phases_.phases.empty()) return {};
    FindThreadsOnOneConnection();
    const auto whole_ns = timeline_.end_ns() - timeline_.start_ns();
    for (const auto& [port, requests] : by_port) {
      const OpenAtOnce open = OpenAtOnceOf(requests);
      made_.open_at_once[port] = static_cast<uint32_t>(open.most);
      if (static_cast<double>(open.as_many_ns) <
          kClosedLoopShare * static_cast<double>(whole_ns) * found_.share)
        made_.never_full.insert(port);
      else
        made_.full_when[port] = WhenAsManyWereOpen(requests, open.most);
      if (IsAskedByEach(requests, made_.open_at_once[port])) made_.asked_by_each.insert(port);
    }
    std::vector<const Request*> requests = phases_.phases.empty() ? ChooseRoot(by_port) : Phases();
    if (requests.empty()) return {};
    std::sort(requests.begin(), requests.end(), [](const Request* a, const Request* b) {
      return std::tie(a->answer_ns, a->connection, a->thread) <
             std::tie(b->answer_ns, b->connection, b->thread);
    });
    const size_t stride = (requests.size() + kMostTurns - 1) / kMostTurns;
    for (size_t i = 0; i < requests.size(); i += stride) {
      RequestStepCounts counted_before;
      ways_[requests[i]] = walk_.StepsOf(*requests[i], counted_before);
    }
    made_.may_carry_several = MayCarrySeveral(requests, by_port);
    std::set<EntityId> clients;
    for (const Request* request : requests) clients.insert(request->client);
    made_.clients.assign(clients.begin(), clients.end());
    if (!made_.of_phase) DropOtherHalves(requests);
    TakeTurns(requests);
    if (stride == 1) KeepOneClaim(timeline_, vertices_, made_);
    const double as_many = static_cast<double>(OpenAtOnceOf(requests).as_many_ns) /
                           (static_cast<double>(std::max<uint64_t>(1, whole_ns)) * found_.share);
    made_.closed_share = std::max(as_many, closed_by_clients_);
    return std::move(made_);
  }

 private:
  std::vector<const Request*> ChooseRoot(const RequestsByPort& by_port) {
    made_.port = RootPort(timeline_, found_, by_port);
    if (made_.port == 0) return {};
    const auto local = found_.local_services.find(made_.port);
    made_.service = local != found_.local_services.end() ? CleanText(local->second)
                                                         : absl::StrCat("port ", made_.port);
    return by_port.at(made_.port);
  }

  // Not those within others of their name. Where servers were looked for in stretches of the time
  // only, what phases ask of them is known there alone.
  std::vector<const Request*> Phases() {
    made_.of_phase = true;
    made_.service = absl::StrCat("phase ", std::string(phases_.name));
    std::vector<const Request*> outer;  // of a thread the last one first
    for (size_t i = phases_.phases.size(); i-- > 0;) {
      const Request& phase = phases_.phases[i];
      const bool is_inner = !outer.empty() && outer.back()->thread == phase.thread &&
                            outer.back()->start_ns < phase.answer_ns;
      if (!is_inner && IsSearched(phase)) outer.push_back(&phase);
    }
    if (!outer.empty())
      made_.open_at_once[made_.port] = static_cast<uint32_t>(OpenAtOnceOf(outer).most);
    return outer;
  }

  bool IsSearched(const Request& phase) const {
    return found_.stretches.empty() || std::any_of(found_.stretches.begin(), found_.stretches.end(),
                                                   [&](const SearchedStretch& stretch) {
                                                     return stretch.from_ns <= phase.start_ns &&
                                                            phase.answer_ns <= stretch.to_ns;
                                                   });
  }

  std::pair<uint32_t, int32_t> ProcessOf(EntityId thread) const {
    if (thread >= timeline_.thread_count()) return {0, -1};
    return {timeline_.entities()[thread].node, timeline_.entities()[thread].tgid};
  }

  bool MayCarrySeveral(std::span<const Request* const> requests,
                       const RequestsByPort& by_port) const {
    double open_ns = 0;
    std::set<std::pair<uint32_t, int32_t>> servers;
    for (const Request* request : requests) {
      open_ns += static_cast<double>(request->latency_ns());
      servers.insert(ProcessOf(request->thread));
    }
    return std::any_of(by_port.begin(), by_port.end(), [&](const auto& of_port) {
      if (of_port.first == made_.port) return false;
      double asked_ns = 0;
      for (const Request* request : of_port.second) {
        const bool is_theirs = request->client < timeline_.thread_count() &&
                               servers.contains(ProcessOf(request->client));
        if (is_theirs) asked_ns += static_cast<double>(request->latency_ns());
      }
      return asked_ns > kMoreThanOneOpen * open_ns;
    });
  }

  // By request: those of one line follow each other. Of phases it is their thread.
  std::vector<uint32_t> LinesOfAll(std::span<const Request* const> requests) const {
    if (!made_.of_phase) return LinesOf(timeline_, requests);
    std::vector<uint32_t> lines;
    for (const Request* request : requests) lines.push_back(request->thread);
    return lines;
  }

  void FindThreadsOnOneConnection() {
    std::map<EntityId, uint32_t> first;
    std::set<EntityId> on_more;
    for (const Request& request : found_.requests) {
      if (request.thread == kNobody || request.connection == kNoConnection) continue;
      const auto [seen, is_new] = first.try_emplace(request.thread, request.connection);
      if (seen->second != request.connection) on_more.insert(request.thread);
    }
    for (const auto& [thread, connection] : first)
      if (!on_more.contains(thread)) made_.on_one_connection.insert(thread);
  }

  // From those of the stretches that were looked at to those of all of the time.
  uint64_t Scaled(uint64_t requests) const {
    return static_cast<uint64_t>(std::round(static_cast<double>(requests) / found_.share));
  }

  uint32_t VertexOf(EntityId id) const { return id < vertices_.size() ? vertices_[id] : ~0U; }

  // Of clients (vertices), those that work for another one's requests.
  void DropOtherHalves(std::vector<const Request*>& requests) const {
    struct Half {
      uint64_t requests = 0;
      uint64_t open_ns = 0;
      std::map<uint32_t, uint64_t> through;  // requests through other clients
    };
    std::map<uint32_t, Half> halves;
    for (const auto& [request, way] : ways_) {
      if (request->client == kNobody) continue;  // nobody's half is not known
      Half& half = halves[VertexOf(request->client)];
      ++half.requests;
      half.open_ns += request->latency_ns();
    }
    if (halves.size() < 2) return;
    for (const auto& [request, way] : ways_) {
      if (request->client == kNobody) continue;
      const uint32_t own = VertexOf(request->client);
      std::set<uint32_t> through;
      for (const RequestStep& step : way) {
        for (const EntityId worker : {step.thread, step.cause_thread}) {
          const uint32_t vertex = VertexOf(worker);
          if (vertex != own && halves.contains(vertex)) through.insert(vertex);
        }
      }
      for (const uint32_t vertex : through) ++halves[own].through[vertex];
    }
    std::set<uint32_t> dropped;
    for (const auto& [vertex, half] : halves) {
      for (const auto& [other, count] : half.through) {
        if (static_cast<double>(count) < kThroughOther * static_cast<double>(half.requests))
          continue;
        const bool is_less =
            std::pair(half.open_ns, vertex) < std::pair(halves[other].open_ns, other);
        dropped.insert(is_less ? vertex : other);
      }
    }
    std::erase_if(requests, [&](const Request* request) {
      return request->client != kNobody && dropped.contains(VertexOf(request->client));
    });
  }

  void TakeTurns(std::vector<const Request*> requests) {
    made_.requests = Scaled(requests.size());
    made_.followed = requests.size();
    struct Life {
      uint64_t first_ns = 0;
      uint64_t answered_ns = 0;
      uint64_t took_ns = 0;               // that answer
      uint64_t longest_ns = 0;            // from one answer to the next
      const Request* as_asked = nullptr;  // the last one, as its client's node saw it
    };
    const AskedElsewhere elsewhere(found_, made_.port);
    std::map<uint32_t, Life> lives;
    std::map<uint32_t, std::vector<AnswerAndPause>> pauses;
    uint64_t gaps_ns = 0;
    OwnTime of_clients;
    const std::set<EntityId> of_one = ClientsOfOneConnection(requests);
    const Processes servers = ProcessesThatAnswer(timeline_, requests);
    double lived_ns = 0;
    const std::vector<uint32_t> lines = LinesOfAll(requests);
    for (size_t i = 0; i < requests.size(); ++i) {
      const Request* const request = requests[i];
      ++made_.asked_by[request->client];
      auto [life, is_first] = lives.try_emplace(lines[i], Life{request->start_ns, 0});
      if (!is_first && life->second.answered_ns < found_.StretchOf(request->start_ns)) {
        lived_ns += static_cast<double>(life->second.answered_ns - life->second.first_ns);
        life->second = {request->start_ns, 0};
        is_first = true;
      }
      const Request* const as_asked = made_.of_phase ? nullptr : elsewhere.Find(*request);
      const Request* const asked_before = std::exchange(life->second.as_asked, as_asked);
      if (!is_first && request->start_ns >= life->second.answered_ns &&
          of_one.contains(request->client))
        pauses[lines[i]].push_back(
            {.response_ns = static_cast<double>(life->second.took_ns),
             .pause_ns = static_cast<double>(request->start_ns - life->second.answered_ns)});
      const bool is_walked = ways_.contains(request);
      if (is_walked && !is_first && request->start_ns >= life->second.answered_ns) {
        TokenTurn turn = {.request = request, .answered_ns = life->second.answered_ns};
        if (as_asked != nullptr && asked_before != nullptr &&
            asked_before->answer_ns <= as_asked->start_ns) {
          turn.client_from_ns = asked_before->answer_ns;
          turn.client_to_ns = as_asked->start_ns;
        }
        turn.way = std::move(ways_[request]);
        const uint64_t from_ns = turn.client_to_ns > 0 ? turn.client_from_ns : turn.answered_ns;
        const uint64_t to_ns = turn.client_to_ns > 0 ? turn.client_to_ns : request->start_ns;
        gaps_ns += to_ns - from_ns;
        if (request->client != kNobody) {
          OwnTime own = OwnTimeBetween(timeline_, request->client, from_ns, to_ns, servers);
          if (!of_one.contains(request->client)) own.slept_ns = 0;
          of_clients += own;
        }
        made_.turns.push_back(std::move(turn));
      }
      if (!is_first)
        life->second.longest_ns =
            std::max(life->second.longest_ns,
                     request->answer_ns - std::min(request->answer_ns, life->second.answered_ns));
      life->second.answered_ns = request->answer_ns;
      life->second.took_ns = request->latency_ns();
    }
    std::vector<std::vector<AnswerAndPause>> of_lines;
    of_lines.reserve(pauses.size());
    for (auto& [line, of_line] : pauses) of_lines.push_back(std::move(of_line));
    // Who sleeps by a timer thinks, or keeps time.
    uint64_t own_ns = of_clients.awake_ns + of_clients.served_ns;
    if (of_clients.slept_ns > 0 && PausesAreTheClientsOwn(of_lines)) own_ns += of_clients.slept_ns;
    for (auto& [client, asked] : made_.asked_by) asked = Scaled(asked);
    uint64_t begin_ns = requests.front()->start_ns;
    for (const auto& [connection, life] : lives) begin_ns = std::min(begin_ns, life.first_ns);
    const uint64_t end_ns = requests.back()->answer_ns;
    for (const auto& [connection, life] : lives) {
      lived_ns += static_cast<double>(life.answered_ns - life.first_ns);
      if (!found_.stretches.empty()) continue;
      // At both ends of the recording it had a request that was not seen whole.
      const uint64_t before_ns = life.first_ns - begin_ns;
      const uint64_t behind_ns = end_ns - life.answered_ns;
      if (before_ns <= life.longest_ns) lived_ns += static_cast<double>(before_ns);
      if (behind_ns <= life.longest_ns) lived_ns += static_cast<double>(behind_ns);
    }
    auto span_ns = static_cast<double>(end_ns - begin_ns);
    if (!found_.stretches.empty()) {
      span_ns = 0;
      for (const SearchedStretch& stretch : found_.stretches)
        span_ns += static_cast<double>(stretch.to_ns - stretch.from_ns);
    }
    if (span_ns > 0)
      made_.population = static_cast<uint32_t>(std::max(1.0, std::round(lived_ns / span_ns)));
    if (gaps_ns > 0)
      closed_by_clients_ = static_cast<double>(own_ns) / static_cast<double>(gaps_ns);
    double cycles_ns = static_cast<double>(gaps_ns);
    for (const TokenTurn& turn : made_.turns)
      cycles_ns += static_cast<double>(turn.request->latency_ns());
    if (cycles_ns > 0)
      made_.served_on_share = static_cast<double>(of_clients.served_ns) / cycles_ns;
  }

  const Timeline& timeline_;
  const FoundRequests& found_;
  const RequestWalk& walk_;
  const std::span<const uint32_t> vertices_;
  const PhasesAsRoot phases_;
  std::map<const Request*, std::vector<RequestStep>> ways_;
  TokenTurns made_;
  double closed_by_clients_ = 0;
};

}  // namespace

TokenTurns TurnsOfRoot(const Timeline& timeline, const FoundRequests& found,
                       const RequestWalk& walk, std::span<const uint32_t> vertex_of_entity,
                       const PhasesAsRoot& root) {
  return TurnsFinder(timeline, found, walk, vertex_of_entity, root).Find();
}

}  // namespace gordian
