// SPDX-License-Identifier: Apache-2.0
#include "bench/cluster_generator.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bench/cluster_sessions.h"

namespace gordian {
namespace {

constexpr int kGroupSize = 8;
constexpr int kTokens = 3;  // pieces of work that go around in a ring
constexpr uint64_t kDispatchNs = 2'000;
constexpr uint64_t kLongestWorkNs = 40'000;
constexpr uint64_t kShortestTransitNs = 20'000;
constexpr uint64_t kLongestTransitNs = 120'000;
constexpr uint64_t kRetransmitNs = 2'000'000;
constexpr uint32_t kLongestPayload = 1400;
constexpr uint64_t kDeliverNs = 2'000;  // a packet, until its CPU takes the next
constexpr uint64_t kStepNs = 4;         // no two events at once, on a drifting clock neither
constexpr int kIdle = -1;

struct Thread {
  int node = 0;
  int group = 0;
  int place = 0;
  int queued = 0;
  bool waiting = false;
};

// One of the packets of a connection.
struct Packet {
  int receiver = 0;
  int sender = 0;
  uint64_t sent_ns = 0;
  uint32_t sequence = 0;
  uint32_t payload = 0;
  bool recorded = true;
};

struct Connection {
  PlayedWay way;
  uint32_t next_sequence = 0;
  bool outside = false;
  size_t delivered = 0;      // of its packets, in order
  std::set<size_t> arrived;  // beyond that
  std::vector<Packet> packets;
};

struct Due {
  enum class What { kDispatch, kWorkDone, kArrive, kSendAgain, kAcknowledged };
  uint64_t time_ns = 0;
  uint64_t order = 0;
  What what = What::kWorkDone;
  int subject = 0;  // CPU, or connection
  size_t packet = 0;
  bool operator>(const Due& other) const {
    return std::tie(time_ns, order) > std::tie(other.time_ns, other.order);
  }
};

class Cluster {
 public:
  Cluster(const ClusterShape& shape, ClusterSessions& sessions)
      : shape_(shape),
        sessions_(sessions),
        random_(shape.seed),
        running_(shape.nodes * shape.cpus_per_node, kIdle),
        delivering_until_ns_(running_.size()),
        idle_(shape.nodes),
        ready_(shape.nodes) {
    for (int cpu = static_cast<int>(running_.size()) - 1; cpu >= 0; --cpu) {
      idle_[NodeOf(cpu)].push_back(cpu);
    }
    for (int i = 0; i < shape.groups * kGroupSize; ++i) {
      const int group = i / kGroupSize;
      const int place = i % kGroupSize;
      // Every second, or third, … of the groups spans nodes.
      const bool across = (group + 1) * shape.groups_across_percent / 100 >
                          group * shape.groups_across_percent / 100;
      threads_.push_back({.node = (across ? group + place : group) % shape.nodes,
                          .group = group,
                          .place = place,
                          .queued = place < kTokens ? 1 : 0});
    }
    for (int from = 0; from < shape.nodes; ++from) {
      for (int to = 0; to < shape.nodes; ++to) {
        for (int number = 0; from != to && number < shape.connections; ++number) {
          connections_.push_back({.way = {.from = from, .to = to, .number = number},
                                  .next_sequence = static_cast<uint32_t>(random_()),
                                  .outside = Chance(shape.outside_percent)});
        }
      }
    }
  }

  absl::StatusOr<PlayedCluster> Run() {
    played_.start_ns = now_ns_ = kPlayedStartNs;
    for (size_t i = 0; i < threads_.size(); ++i) {
      sessions_.AddThread(threads_[i].node, TidOf(static_cast<int>(i)),
                          absl::StrCat("w", TidOf(static_cast<int>(i))));
    }
    for (const Connection& connection : connections_) {
      sessions_.AddConnection(connection.way);
    }
    for (size_t i = 0; i < threads_.size(); ++i) MakeReady(static_cast<int>(i), now_ns_);
    while (sessions_.events() < shape_.events && !due_.empty()) {
      const Due due = due_.top();
      due_.pop();
      Act(due);
    }
    if (auto status = sessions_.Finish(now_ns_ + kDispatchNs); !status.ok()) return status;
    return std::move(played_);
  }

 private:
  bool Chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  int NodeOf(int cpu) const { return cpu / shape_.cpus_per_node; }
  static int32_t TidOf(int thread) { return thread == kIdle ? 0 : 1000 + thread; }
  uint64_t Stamp(uint64_t time_ns) { return now_ns_ = std::max(time_ns, now_ns_ + kStepNs); }
  void Plan(uint64_t time_ns, Due::What what, int subject, size_t packet = 0) {
    due_.push({time_ns, order_++, what, subject, packet});
  }

  void Act(const Due& due) {
    switch (due.what) {
      case Due::What::kDispatch:
        return TakeNext(due.subject, kIdle, due.time_ns);
      case Due::What::kWorkDone:
        return WorkDone(due.subject, due.time_ns);
      case Due::What::kArrive:
        return Arrive(due);
      case Due::What::kSendAgain:
        return SendAgain(due.subject, due.packet, due.time_ns);
      case Due::What::kAcknowledged: {
        const Connection& connection = connections_[due.subject];
        const int cpu = connection.way.from * shape_.cpus_per_node;
        if (IsLater(due, cpu)) return;
        return sessions_.ReceiveAcknowledgement(cpu, Stamp(due.time_ns), connection.way,
                                                TidOf(running_[cpu]));
      }
    }
  }

  // A packet that comes in while its CPU is busy with the one before is taken after that.
  bool IsLater(const Due& due, int cpu) {
    uint64_t& until_ns = delivering_until_ns_[cpu];
    if (due.time_ns < until_ns) {
      Plan(until_ns, due.what, due.subject, due.packet);
      return true;
    }
    until_ns = due.time_ns + kDeliverNs;
    return false;
  }

  void MakeReady(int thread, uint64_t time_ns) {
    const int node = threads_[thread].node;
    threads_[thread].waiting = false;
    ready_[node].push_back(thread);
    if (idle_[node].empty()) return;
    Plan(time_ns + kDispatchNs, Due::What::kDispatch, idle_[node].back());
    idle_[node].pop_back();
  }

  // `from` leaves the CPU (if it is not idle already) for a ready thread.
  void TakeNext(int cpu, int from, uint64_t time_ns) {
    const int node = NodeOf(cpu);
    int next = kIdle;
    if (!ready_[node].empty()) {
      next = ready_[node].front();
      ready_[node].pop_front();
    }
    running_[cpu] = next;
    if (from != next) sessions_.Switch(cpu, Stamp(time_ns), TidOf(from), TidOf(next));
    if (next == kIdle) {
      idle_[node].push_back(cpu);
    } else {
      Plan(now_ns_ + 1'000 + random_() % kLongestWorkNs, Due::What::kWorkDone, cpu);
    }
  }

  // Passes a piece of work on and begins the next, if there is one.
  void WorkDone(int cpu, uint64_t time_ns) {
    const int index = running_[cpu];
    Thread& thread = threads_[index];
    if (thread.queued > 0) {
      --thread.queued;
      const int next = index - thread.place + (thread.place + 1) % kGroupSize;
      if (threads_[next].node == thread.node) {
        ++threads_[next].queued;
        if (threads_[next].waiting) {
          sessions_.Wake(cpu, Stamp(time_ns), TidOf(next), TidOf(index));
          MakeReady(next, now_ns_);
        }
      } else {
        Send(cpu, index, next, time_ns);
      }
    }
    if (thread.queued > 0) {
      Plan(now_ns_ + 1'000 + random_() % kLongestWorkNs, Due::What::kWorkDone, cpu);
    } else {
      thread.waiting = true;
      TakeNext(cpu, index, time_ns);
    }
  }

  void Send(int cpu, int sender, int receiver, uint64_t time_ns) {
    const int pair = threads_[sender].node * (shape_.nodes - 1) + threads_[receiver].node -
                     (threads_[receiver].node > threads_[sender].node ? 1 : 0);
    const int index =
        pair * shape_.connections + threads_[sender].group % std::max(shape_.connections, 1);
    Connection& connection = connections_[index];
    const Packet packet{
        .receiver = receiver,
        .sender = sender,
        .sent_ns = Stamp(time_ns),
        .sequence = connection.next_sequence,
        .payload = 1 + static_cast<uint32_t>(random_() % kLongestPayload),
        .recorded = !connection.outside && !Chance(shape_.sends_unrecorded_percent)};
    connection.next_sequence += packet.payload;
    const size_t number = connection.packets.size();
    connection.packets.push_back(packet);
    if (packet.recorded) Record(connection, packet, cpu, TidOf(sender));
    Travel(index, number, now_ns_);
  }

  void Record(const Connection& connection, const Packet& packet, int cpu, int32_t tid) {
    ++played_.packets;
    sessions_.Send(cpu, now_ns_, connection.way, packet.sequence, packet.payload, tid);
  }

  void Travel(int connection, size_t packet, uint64_t time_ns) {
    if (Chance(shape_.packets_lost_percent)) {
      Plan(time_ns + kRetransmitNs, Due::What::kSendAgain, connection, packet);
      return;
    }
    const uint64_t transit_ns =
        kShortestTransitNs + random_() % (kLongestTransitNs - kShortestTransitNs);
    Plan(time_ns + transit_ns, Due::What::kArrive, connection, packet);
  }

  void SendAgain(int index, size_t number, uint64_t time_ns) {
    const Connection& connection = connections_[index];
    const int cpu = connection.way.from * shape_.cpus_per_node;  // where its timer runs
    Stamp(time_ns);
    if (connection.packets[number].recorded) Record(connection, connection.packets[number], cpu, 0);
    Travel(index, number, now_ns_);
  }

  // The packet is acknowledged. Packets in order reach their receivers: the arriving packet's, and
  // those of packets that waited for it, are woken.
  void Arrive(const Due& due) {
    Connection& connection = connections_[due.subject];
    const Packet& packet = connection.packets[due.packet];
    const int cpu =
        connection.way.to * shape_.cpus_per_node + connection.way.number % shape_.cpus_per_node;
    if (IsLater(due, cpu)) return;
    played_.packets += 3;
    sessions_.Receive(cpu, Stamp(due.time_ns), connection.way, packet.sequence, packet.payload,
                      TidOf(running_[cpu]));
    connection.arrived.insert(due.packet);
    while (connection.arrived.erase(connection.delivered) > 0) {
      Deliver(connection.way, connection.packets[connection.delivered++], packet, cpu);
    }
    sessions_.Acknowledge(cpu, Stamp(now_ns_), connection.way);
    Plan(now_ns_ + kShortestTransitNs, Due::What::kAcknowledged, due.subject);
  }

  void Deliver(const PlayedWay& way, const Packet& delivered, const Packet& arrived, int cpu) {
    Thread& receiver = threads_[delivered.receiver];
    ++receiver.queued;
    if (!receiver.waiting) return;
    Stamp(now_ns_);
    sessions_.WakeByPacket(cpu, now_ns_, TidOf(delivered.receiver), TidOf(running_[cpu]), way);
    played_.messages.push_back({.receiver_node = way.to,
                                .receiver_tid = TidOf(delivered.receiver),
                                .woken_ns = now_ns_,
                                .sender_node = way.from,
                                .sender_tid = TidOf(arrived.sender),
                                .sent_ns = arrived.sent_ns,
                                .recorded = arrived.recorded});
    MakeReady(delivered.receiver, now_ns_);
  }

  const ClusterShape& shape_;
  ClusterSessions& sessions_;
  std::mt19937_64 random_;
  std::vector<Thread> threads_;
  std::vector<Connection> connections_;
  std::vector<int> running_;                   // by CPU
  std::vector<uint64_t> delivering_until_ns_;  // likewise
  std::vector<std::vector<int>> idle_;         // CPUs, by node
  std::vector<std::deque<int>> ready_;         // threads, by node
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  uint64_t now_ns_ = 0;
  uint64_t order_ = 0;
  PlayedCluster played_;
};

absl::StatusOr<PlayedCluster> Generate(const ClusterShape& shape, const std::string& directory,
                                       bool as_one_node) {
  auto sessions = ClusterSessions::Create(shape, directory, as_one_node);
  if (!sessions.ok()) return sessions.status();
  return Cluster(shape, **sessions).Run();
}

}  // namespace

absl::StatusOr<PlayedCluster> GenerateCluster(const ClusterShape& shape,
                                              const std::string& directory) {
  return Generate(shape, directory, false);
}

absl::StatusOr<PlayedCluster> GenerateAsOneNode(const ClusterShape& shape,
                                                const std::string& directory) {
  return Generate(shape, directory, true);
}

}  // namespace gordian
