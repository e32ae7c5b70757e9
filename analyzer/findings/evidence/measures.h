// SPDX-License-Identifier: Apache-2.0
// Shares of the recording, the same for all judgements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/graph/graph.h"
#include "analyzer/model/model.h"

namespace gordian {

class Measures {
 public:
  // Both must outlive it.
  Measures(const WaitForGraph& recording, const MergedGraph& graph);

  const MergedGraph& graph() const { return graph_; }
  const Vertex& vertex(uint32_t id) const { return graph_.vertices[id]; }
  std::span<const Edge> edges_from(uint32_t vertex) const;
  // Null if there is no such edge.
  const Edge* FindEdge(uint32_t from, uint32_t to) const;

  double span_ns() const { return span_ns_; }
  double OfRecording(uint64_t time_ns) const { return static_cast<double>(time_ns) / span_ns_; }

  // The edge's own waits as a share of the waiter's time, at most 1. Of a group: of its threads'
  // time; or, if most of them have nothing to do, of the time of the threads that have work.
  double OwnShare(const Edge& edge) const;
  // The same of the time in which its threads do not wait for each other: a wait for a peer is a
  // wait for whatever that peer does. Not if they wait less for each other than for `edge.to`. And
  // not if there are times in which no peer does anything: then they wait for work.
  double ShareBesidePeers(const Edge& edge) const;
  // Whether threads of the first ask, and threads of the second answer. Who waits for an answer has
  // work under way; who waits for the next question has none. False if it is not known, and if each
  // asks the other as often.
  bool Asks(uint32_t asker, uint32_t answerer) const {
    return Questions(asker, answerer) > Questions(answerer, asker);
  }
  // Of the time in which its threads do not wait for each other: how much they wait for answers.
  double AnswerShare(uint32_t vertex) const;
  // Of a group the waits must also be worth mentioning beside the group's own work.
  bool Matters(const Edge& edge) const;

  // Of a group's busiest thread. Devices: in use.
  double BusyShare(uint32_t vertex) const;
  double CpuShare(uint32_t vertex) const;
  // Of a group: the mean over its threads; or, if most of them have nothing to do, over the threads
  // that have work.
  double RunnableShare(uint32_t vertex) const;
  // The mean over all its threads, whether they have work or not.
  double MeanRunnableShare(uint32_t vertex) const;
  // Whether the first is a share of their time at work, not of all their time.
  bool RunsSeldom(uint32_t vertex) const;
  // Of a group: the mean over its threads.
  double TimerShare(uint32_t vertex) const;
  // Asleep on timers for much of the time, and longer than at work.
  bool IsSleeper(uint32_t vertex) const;
  // Whether others wait for it while it sleeps, and not only while it works. `waited_for`: for what
  // share of the time they wait for it at all.
  bool SleepHoldsUp(uint32_t id, double waited_for) const;
  double WaitShare(uint32_t vertex) const;
  // A thread that began late or ended early, and was busy as long as it lived.
  bool BusyForAllItsShortLife(uint32_t vertex) const;
  uint64_t DiskWaitNs(uint32_t vertex) const;

  // Of all CPUs, by all recorded threads.
  double machine_cpu_share() const { return machine_cpu_share_; }
  uint32_t cpus() const { return cpus_; }

 private:
  double MeanShare(const Vertex& vertex, uint64_t time_ns) const;
  uint64_t Questions(uint32_t asker, uint32_t answerer) const;

  const MergedGraph& graph_;
  double span_ns_;
  uint32_t cpus_;
  double machine_cpu_share_ = 0;
  std::vector<uint32_t> first_edge_;  // by vertex, and one more
};

}  // namespace gordian
