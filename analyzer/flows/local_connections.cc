// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/local_connections.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// What the messages of one flow tell.
struct LocalFlowUse {
  const FlowRecord* flow = nullptr;
  uint64_t first_ns = 0;      // of its first data
  std::set<int32_t> writers;  // processes
  std::set<int32_t> readers;
};

class LocalConnectionFinder {
 public:
  LocalConnectionFinder(std::span<const LocalMessage> messages, const FlowTable& flows,
                        const Timeline& timeline)
      : messages_(messages), flows_(flows), timeline_(timeline) {
    for (EntityId id = 0; id < timeline.thread_count(); ++id) {
      const EntityId creator = timeline.creator(id);
      if (creator != kNobody && timeline.entities()[creator].tgid != timeline.entities()[id].tgid)
        born_.insert(timeline.entities()[id].tgid);
    }
  }

  LocalConnections Find() {
    for (const LocalMessage& message : messages_) Use(message);
    std::vector<uint32_t> ids;
    for (const auto& [id, use] : uses_) ids.push_back(id);
    std::sort(ids.begin(), ids.end(), [this](uint32_t a, uint32_t b) {
      return std::pair(uses_.at(a).first_ns, a) < std::pair(uses_.at(b).first_ns, b);
    });
    FindConversations(ids);
    for (const uint32_t id : ids) Place(id);
    return std::move(found_);
  }

 private:
  using Processes = std::pair<int32_t, int32_t>;

  void Use(const LocalMessage& message) {
    const auto flow = flows_.find(message.flow_id);
    if (flow == flows_.end() || flow->second.local == LocalChannel::kNone) return;
    const auto [place, is_new] = uses_.try_emplace(message.flow_id);
    LocalFlowUse& use = place->second;
    const uint64_t begin_ns = message.begin_ns();
    use.first_ns = is_new ? begin_ns : std::min(use.first_ns, begin_ns);
    use.flow = &flow->second;
    (message.sent ? use.writers : use.readers).insert(ProcessOf(message.thread));
  }

  int32_t ProcessOf(EntityId thread) {
    if (thread >= timeline_.entities().size()) return 0;
    const Entity& entity = timeline_.entities()[thread];
    const int32_t process = entity.tgid != 0 ? entity.tgid : entity.tid;
    names_.try_emplace(process, entity.process_name.empty() ? entity.name : entity.process_name);
    return process;
  }

  static bool IsBetweenTwo(const LocalFlowUse& use) {
    return use.writers.size() == 1 && use.readers.size() == 1 && *use.writers.begin() != 0 &&
           *use.readers.begin() != 0 && *use.writers.begin() != *use.readers.begin();
  }

  void FindConversations(std::span<const uint32_t> ids) {
    std::set<Processes> ways;
    for (const uint32_t id : ids) {
      const LocalFlowUse& use = uses_.at(id);
      if (use.flow->local == LocalChannel::kPipe && IsBetweenTwo(use))
        ways.insert({*use.writers.begin(), *use.readers.begin()});
    }
    for (const Processes& way : ways)
      if (ways.contains({way.second, way.first})) both_ways_.insert(way);
  }

  void Place(uint32_t id) {
    const LocalFlowUse& use = uses_.at(id);
    use.flow->local == LocalChannel::kUnixSocket ? PlaceSocket(id, use) : PlacePipe(id, use);
  }

  void PlaceSocket(uint32_t id, const LocalFlowUse& use) {
    const LocalEnd source = LocalEndOf(use.flow->source);
    const LocalEnd destination = LocalEndOf(use.flow->destination);
    const std::pair ends = std::minmax(source.number, destination.number);
    const auto next = static_cast<uint32_t>(found_.connections.size());
    const auto [number, is_new] = sockets_.try_emplace({ends.first, ends.second}, next);
    if (is_new) {
      const bool to_server = use.flow->server != LocalServer::kSource;
      const std::set<int32_t>& at_server = to_server ? use.readers : use.writers;
      found_.connections.push_back({.client = to_server ? source : destination,
                                    .server = to_server ? destination : source,
                                    .service = ServiceOfSocket(*use.flow, at_server)});
    }
    LocalConnection& connection = found_.connections[number->second];
    const bool to_server = connection.server.number == destination.number;
    // Who serves a connection may be seen only when it answers.
    if (connection.service.empty())
      connection.service = ServiceOfSocket(*use.flow, to_server ? use.readers : use.writers);
    found_.place_of_flow[id] = {number->second, to_server};
  }

  std::string ServiceOfSocket(const FlowRecord& flow, const std::set<int32_t>& servers) const {
    if (!flow.name.empty()) return absl::StrCat("unix:", flow.name);
    if (servers.empty()) return "";
    return absl::StrCat("unix socket of ", NameOf(*servers.begin()));
  }

  void PlacePipe(uint32_t id, const LocalFlowUse& use) {
    const Processes way =
        IsBetweenTwo(use) ? Processes(*use.writers.begin(), *use.readers.begin()) : Processes();
    if (!both_ways_.contains(way)) {
      ++found_.pipes_left_out;
      return;
    }
    const Processes pair = std::minmax(way.first, way.second);
    const auto next = static_cast<uint32_t>(found_.connections.size());
    const bool begun_here = born_.contains(pair.first) || born_.contains(pair.second);
    const int32_t serves = begun_here ? way.second : pair.second;
    const auto [number, is_new] = pipes_.try_emplace(pair, next, serves);
    if (is_new) {
      const int32_t asks = serves == pair.second ? pair.first : pair.second;
      // Processes are their own ends: they may have several pipes each way.
      found_.connections.push_back(
          {.client = {.number = static_cast<uint64_t>(asks)},
           .server = {.number = static_cast<uint64_t>(serves)},
           .service = absl::StrCat("pipe of ", NameOf(asks), " → ", NameOf(serves)),
           .is_pipe = true});
    }
    const auto& [connection, server] = number->second;
    found_.place_of_flow[id] = {connection, way.second == server};
  }

  std::string NameOf(int32_t process) const {
    const auto name = names_.find(process);
    return name == names_.end() || name->second.empty() ? absl::StrCat("process ", process)
                                                        : name->second;
  }

  std::span<const LocalMessage> messages_;
  const FlowTable& flows_;
  const Timeline& timeline_;
  absl::flat_hash_map<uint32_t, LocalFlowUse> uses_;
  std::set<int32_t> born_;  // processes that began while it was recorded
  std::map<int32_t, std::string> names_;
  std::set<Processes> both_ways_;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> sockets_;
  std::map<Processes, std::pair<uint32_t, int32_t>> pipes_;  // the connection, and who serves
  LocalConnections found_;
};

}  // namespace

LocalConnections FindLocalConnections(std::span<const LocalMessage> messages,
                                      const FlowTable& flows, const Timeline& timeline) {
  return LocalConnectionFinder(messages, flows, timeline).Find();
}

std::vector<LocalData> LocalDataOf(std::span<const LocalMessage> messages,
                                   const LocalConnections& connections) {
  std::vector<LocalData> data;
  for (const LocalMessage& message : messages) {
    if (!message.sent) continue;
    const auto place = connections.place_of_flow.find(message.flow_id);
    if (place == connections.place_of_flow.end()) continue;
    data.push_back({.time_ns = message.begin_ns(),
                    .bytes = message.bytes,
                    .thread = message.thread,
                    .place = place->second});
  }
  std::stable_sort(data.begin(), data.end(), [](const LocalData& a, const LocalData& b) {
    return std::tie(a.place.connection, a.time_ns) < std::tie(b.place.connection, b.time_ns);
  });
  return data;
}

}  // namespace gordian
