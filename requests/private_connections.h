// SPDX-License-Identifier: Apache-2.0
// Connections between two ports that the kernel chose: a program and a helper that it began. Inner
// to the library.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "analyzer/timeline/timeline.h"
#include "requests/connection_packets.h"
#include "requests/local_services.h"
#include "requests/requests.h"

namespace gordian {

// Elsewhere the lower port is the server's. Here that is chance, and each such connection would be
// a service of its own. So who serves others, too, is who asks its helpers, and the helpers of one
// program are one service.
class PrivateConnections {
 public:
  explicit PrivateConnections(const Timeline& timeline) : timeline_(timeline) {}  // must outlive it

  // Marks them, and turns those whose ends are the wrong way round. Only where both ends are
  // threads of this node. A connection stays as it was turned first. `ports` are servers' in any
  // case.
  void Turn(std::span<const PacketRecord> packets, std::span<const uint16_t> ports,
            ConnectionPackets& grouped);
  // Those of the same two programs get one number, if there are several.
  void Join(FoundRequests& found, LocalServices& services) const;

 private:
  using Process = std::pair<uint32_t, int32_t>;      // its node and number
  using Program = std::pair<uint32_t, std::string>;  // its node and name
  struct Ends {
    EntityId asker = kNobody;
    EntityId server = kNobody;
    bool is_turned = false;
  };

  Process ProcessOf(EntityId thread) const;
  Program ProgramOf(EntityId thread) const;
  Ends EndsOf(std::span<const PacketRecord> packets, const ConnectionPackets& grouped,
              size_t connection) const;
  bool IsToBeTurned(const Ends& ends) const;

  const Timeline& timeline_;
  std::set<Process> servers_;  // of ports that others ask, too, or that a program chose
  std::map<std::pair<uint32_t, FlowTuple>, Ends> known_;          // by node, as it was told
  std::map<std::pair<Program, Program>, Program> asker_of_pair_;  // in order of their names
};

}  // namespace gordian
