// SPDX-License-Identifier: Apache-2.0
// The names of the ends of flows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "traffic/node_traffic.h"
#include "traffic/traffic.h"

namespace gordian {

class Parties {
 public:
  Parties(TrafficLevel level, const std::vector<TrafficNode>& nodes)
      : level_(level), nodes_(nodes) {}
  // Hosts' names, and the paths of cgroups.
  void AddSession(const pb::Session& session);

  // A process of a recorded node; null if it is not known.
  uint32_t Local(size_t node, const TrafficProcess* process);
  uint32_t Outside(const HostAddress& address, uint16_t port, uint16_t peer_port);
  uint32_t UnknownFlow();
  std::vector<TrafficParty> Take() { return std::move(parties_); }

 private:
  uint32_t Number(TrafficParty party);
  std::string Prefix(size_t node) const;
  TrafficParty ContainerOf(size_t node, const TrafficProcess& process) const;

  const TrafficLevel level_;
  const std::vector<TrafficNode>& nodes_;
  struct NodeNames {
    std::string host;
    absl::flat_hash_map<uint64_t, std::string> cgroups;
  };
  std::vector<NodeNames> names_;
  std::vector<TrafficParty> parties_;
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace gordian
