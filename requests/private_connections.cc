// SPDX-License-Identifier: Apache-2.0
#include "requests/private_connections.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// Where Linux begins to choose ports (ip_local_port_range). Programs choose lower ones.
constexpr uint16_t kFirstChosenByKernel = 32768;

using End = std::pair<HostAddress, uint16_t>;

End ServerEnd(const FlowTuple& tuple) { return {tuple.destination, tuple.destination_port}; }
End ClientEnd(const FlowTuple& tuple) { return {tuple.source, tuple.source_port}; }

bool AreChosenByKernel(const FlowTuple& tuple) {
  return std::min(tuple.source_port, tuple.destination_port) >= kFirstChosenByKernel;
}

template <typename Program>
std::pair<Program, Program> PairOf(const Program& a, const Program& b) {
  return {std::min(a, b), std::max(a, b)};
}

void TurnRound(size_t connection, ConnectionPackets& grouped) {
  RequestConnection& it = grouped.connections[connection];
  it.to_server = it.to_server.Mirrored();
  std::swap(it.is_served, it.is_asked);
  std::swap(grouped.sent[connection].to_server, grouped.sent[connection].to_client);
  for (uint64_t i = grouped.first[connection]; i < grouped.first[connection + 1]; ++i)
    grouped.places[i].to_server = 1 - grouped.places[i].to_server;
}

}  // namespace

PrivateConnections::Process PrivateConnections::ProcessOf(EntityId thread) const {
  if (thread >= timeline_.thread_count()) return {};
  const Entity& entity = timeline_.entities()[thread];
  return {entity.node, entity.tgid};
}

PrivateConnections::Program PrivateConnections::ProgramOf(EntityId thread) const {
  if (thread >= timeline_.thread_count()) return {};
  const Entity& entity = timeline_.entities()[thread];
  return {entity.node, entity.process_name.empty() ? entity.name : entity.process_name};
}

PrivateConnections::Ends PrivateConnections::EndsOf(std::span<const PacketRecord> packets,
                                                    const ConnectionPackets& grouped,
                                                    size_t connection) const {
  Ends ends;
  for (const PacketPlace& place : grouped.PlacesOf(connection)) {
    const PacketRecord& packet = packets[place.index];
    if (!packet.sent || packet.thread == kNobody) continue;
    EntityId& end = place.to_server != 0 ? ends.asker : ends.server;
    if (end == kNobody) end = packet.thread;
    if (ends.asker != kNobody && ends.server != kNobody) break;
  }
  return ends;
}

// If both serve others, or neither does, all connections of the two are as the first one is.
bool PrivateConnections::IsToBeTurned(const Ends& ends) const {
  const bool server_serves = servers_.contains(ProcessOf(ends.server));
  if (server_serves != servers_.contains(ProcessOf(ends.asker))) return server_serves;
  const Program asker = ProgramOf(ends.asker);
  const auto first = asker_of_pair_.find(PairOf(asker, ProgramOf(ends.server)));
  return first != asker_of_pair_.end() && first->second != asker;
}

void PrivateConnections::Turn(std::span<const PacketRecord> packets,
                              std::span<const uint16_t> ports, ConnectionPackets& grouped) {
  const auto is_told = [ports](uint16_t port) {
    return std::find(ports.begin(), ports.end(), port) != ports.end();
  };
  std::map<End, size_t> connections_of;
  for (const RequestConnection& connection : grouped.connections) {
    ++connections_of[ServerEnd(connection.to_server)];
    ++connections_of[ClientEnd(connection.to_server)];
  }
  std::vector<size_t> privates;
  for (size_t i = 0; i < grouped.connections.size(); ++i) {
    const RequestConnection& connection = grouped.connections[i];
    if (!connection.is_served) continue;
    const FlowTuple& tuple = connection.to_server;
    const bool is_private = AreChosenByKernel(tuple) && !is_told(tuple.source_port) &&
                            !is_told(tuple.destination_port) &&
                            connections_of[ServerEnd(connection.to_server)] == 1 &&
                            connections_of[ClientEnd(connection.to_server)] == 1;
    if (!is_private) {
      servers_.insert(ProcessOf(EndsOf(packets, grouped, i).server));
    } else if (connection.is_asked) {
      privates.push_back(i);
    }
  }
  for (const size_t i : privates) {
    RequestConnection& connection = grouped.connections[i];
    connection.is_private = true;
    const auto [known, is_new] =
        known_.try_emplace({connection.node, connection.to_server}, Ends{});
    if (is_new) {
      Ends ends = EndsOf(packets, grouped, i);
      ends.is_turned = IsToBeTurned(ends);
      if (ends.is_turned) std::swap(ends.asker, ends.server);
      const Program asker = ProgramOf(ends.asker);
      asker_of_pair_.try_emplace(PairOf(asker, ProgramOf(ends.server)), asker);
      known->second = ends;
    }
    if (known->second.is_turned) TurnRound(i, grouped);
  }
}

void PrivateConnections::Join(FoundRequests& found, LocalServices& services) const {
  std::map<std::pair<Program, Program>, std::vector<RequestConnection*>> of_programs;
  for (RequestConnection& connection : found.connections) {
    if (!connection.is_private) continue;
    for (const FlowTuple& tuple : {connection.to_server, connection.to_server.Mirrored()}) {
      const auto known = known_.find({connection.node, tuple});
      if (known == known_.end()) continue;
      of_programs[{ProgramOf(known->second.asker), ProgramOf(known->second.server)}].push_back(
          &connection);
      break;
    }
  }
  for (auto& [programs, connections] : of_programs) {
    if (connections.size() < 2) continue;
    const auto& [asker, server] = programs;
    const uint16_t number = services.NumberOf(absl::StrCat(server.second, " for ", asker.second));
    for (RequestConnection* const connection : connections)
      connection->to_server.destination_port = number;
  }
}

}  // namespace gordian
