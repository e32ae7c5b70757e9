// SPDX-License-Identifier: Apache-2.0
// The wait-for graph as people see it: each group of similar threads is one vertex.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/model/model.h"
#include "words/vertex_labels.h"

namespace gordian {

enum class VertexKind : uint8_t {
  kThread,
  kGroup,
  kDisk,
  kNic,
  kTimer,
  kIrq,
  kRemote,
  kUnknown,
  kLink,
  kHeldBack
};

// thread, group, disk, nic, timer, irq, remote, unknown, link, held_back
std::string_view VertexKindName(VertexKind kind);

struct Vertex {
  VertexKind kind = VertexKind::kThread;
  std::string name;       // of a pool with numbers in its names: worker-*
  std::string process;    // where all members are of one
  std::string node;       // of a recording of many, where all members are of one
  std::string container;  // likewise
  int32_t tid = 0;        // where it is one thread
  int32_t pid = 0;        // where all members are of one process
  std::vector<EntityId> members;
  // How many threads it stands for at a time: its members, with all the short-lived threads of a
  // creator as one.
  uint32_t strands = 1;
  uint32_t threads = 0;  // all its members except the virtual ones
  bool target = false;
  bool recorder = false;
  bool kernel_thread = false;

  // Sums over the strands.
  uint64_t run_ns = 0;
  uint64_t runnable_ns = 0;
  uint64_t wait_ns = 0;
  uint64_t spin_ns = 0;
  uint64_t unknown_ns = 0;
  uint64_t life_ns = 0;
  // Devices:
  uint64_t busy_ns = 0;
  uint64_t several_ns = 0;  // disks: several requests in flight, or several threads waiting
  uint64_t operations = 0;
  uint64_t requests_without_end = 0;
  // Of the strand that runs and spins longest, and of the one that runs, spins or waits for a CPU
  // longest.
  uint64_t most_run_ns = 0;
  uint64_t most_active_ns = 0;
  int32_t busiest_tid = 0;  // of the latter

  bool is_device() const { return kind == VertexKind::kDisk || kind == VertexKind::kNic; }
  bool has_threads() const { return kind == VertexKind::kThread || kind == VertexKind::kGroup; }
  uint64_t cpu_ns() const { return run_ns + spin_ns; }
  uint64_t active_ns() const { return run_ns + spin_ns + runnable_ns; }
};

struct MergeNote {
  EntityId thread = kNobody;  // one of them
  bool merged = false;
  std::string text;
};

struct MergedGraph {
  std::vector<Vertex> vertices;
  // Sorted by (from, to), one per pair; ids are vertices. The waits of all members count. Waits of
  // members for each other are the edge from the vertex to itself.
  std::vector<Edge> edges;
  // Likewise, between other vertices.
  std::vector<QuestionCount> questions;
  std::vector<uint32_t> vertex_of_entity;
  // Which threads were drawn together or kept apart, and why, where their code was known.
  std::vector<MergeNote> merge_notes;
};

// The labels of its vertices, in everything that people read.
VertexLabels LabelsOf(const MergedGraph& graph);

// Threads become one vertex of that name.
struct GroupRule {
  // The threads of the vertex that has this label without the rule, as in worker/4711 or "worker-*
  // (16 threads)". Otherwise, the threads with the regular expression (RE2) as a part of their
  // name.
  std::string who;
  std::string name;
};
// REGEX=NAME, or LABEL=NAME; the last = divides.
absl::StatusOr<GroupRule> ParseGroupRule(std::string_view text);

using TimesInHalves =
    std::function<std::vector<std::array<ThreadTimes, 2>>(std::span<const EntityId> threads)>;

struct GraphOptions {
  bool merge_similar = true;
  std::vector<GroupRule> groups;  // the first that matches counts, also without merge_similar
  // By entity; may be shorter than the entities: the rest have no known code. See
  // similar_threads.h.
  std::vector<CodeProfile> code_profiles;
  // How threads spent the even and the odd eighths of the recording; asked only of threads of like
  // names that spend their time differently. See similar_threads.h.
  TimesInHalves halves;
};

// Short-lived threads follow their virtual one. Vertices are numbered by kind, name and thread id,
// so that equal recordings give equal numbers. Fails if a group's text is neither the label of
// threads nor a regular expression.
absl::StatusOr<MergedGraph> BuildGraph(const WaitForGraph& graph, const GraphOptions& options);

// With the vertices of `whole`: `part` is a graph of the same entities in another time.
MergedGraph BuildGraphLike(const MergedGraph& whole, const WaitForGraph& part);

}  // namespace gordian
