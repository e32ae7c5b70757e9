// SPDX-License-Identifier: Apache-2.0
// Finds who sent packets that ended waits on a node, by asking the nodes that may have sent them.
//
// A node's list of addresses proves little: network namespaces, bridges and translated addresses
// make several nodes name one address, or none. So the sending decides, as where recordings are
// joined (nodes/messages.h). A thread's packet comes before a kernel's. Then the receiving node's
// own packet comes before others, and the latest before earlier ones. If only kernels sent it, the
// thread that was last to send in that flow until then wrote it, on whichever node.
//
// Those nodes are asked first that name the flow's source address, or are reached there. If no
// thread of theirs sent the packet, all others are asked. A node that sent nothing in a flow is not
// asked about it again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/timeline.h"
#include "schema/near.pb.h"
#include "trace/trace_event.h"

namespace gordian {

struct PacketSender {
  enum class Fate : uint8_t {
    kSent,        // by `thread` of `node`
    kHeldBack,    // a kernel held it back, so the wait was not for a thread (nodes/held_back.h)
    kNotSent,     // a kernel sent it for nobody, or the sending was not recorded
    kUnsure,      // a datagram of several that were under way
    kFromAbsent,  // as kNotSent; but a node that does not answer may know better
    kFromOutside  // no node sent anything in its flow
  };
  Fate fate = Fate::kFromOutside;
  size_t node = 0;
  EntityId thread = kNobody;
  // As its own clock tells: it may be later than the packet came, by as much as the clocks are
  // apart.
  uint64_t sent_ns = 0;
};
inline constexpr size_t kPacketFates = 6;

// Of one flow, in order of time, on the node that received them.
struct PacketsOfFlow {
  size_t receiver = 0;
  const pb::NearFlow& flow;
  std::span<const pb::NearPacket* const> packets;
  uint64_t slack_ns = 0;  // how far the clocks may be apart
};

class PacketSenders {
 public:
  // Its answer; nothing if it does not answer.
  using Ask =
      std::function<std::optional<pb::NearAnswer>(size_t node, const pb::NearQuestion& question)>;

  PacketSenders(size_t nodes, Ask ask) : ask_(std::move(ask)), addresses_(nodes) {}

  void AddAddress(size_t node, const std::string& address) { addresses_[node].insert(address); }

  // By packet.
  std::vector<PacketSender> Find(const PacketsOfFlow& asked);

 private:
  // What is known of a packet so far.
  struct Best {
    bool is_sent = false;
    bool is_by_thread = false;
    size_t node = 0;
    uint64_t packet_ns = 0;
    pb::NearSenders::Sender told;
    bool is_sent_by_thread = false;  // exactly it, on any node
  };
  struct Search {
    const PacketsOfFlow& asked;
    pb::NearQuestion question;
    std::string flow;
    std::vector<Best> best;  // by packet
    std::vector<size_t> writers;
    bool is_known = false;
    bool is_any_away = false;
  };
  void AskNode(size_t node, Search& search);
  void AskWriters(Search& search);
  static void Take(const pb::NearSenders::Sender& told, size_t node, size_t packet, Search& search);
  static PacketSender SenderOf(const Best& best, const pb::NearPacket& packet,
                               const Search& search);

  Ask ask_;
  std::vector<std::set<std::string>> addresses_;                 // by node
  absl::flat_hash_map<std::string, std::set<size_t>> ignorant_;  // by flow: who sent nothing in it
};

}  // namespace gordian
