// SPDX-License-Identifier: Apache-2.0
// The time in a slice, added up while the slice is swept, and its causes as a tree of alike ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "causes/causes.h"
#include "schema/slice.pb.h"

namespace gordian {

enum class SliceBy : uint8_t { kThread, kName, kProcess, kNode, kFunction, kPhase };
inline constexpr std::array<std::string_view, 6> kSliceByNames = {"thread", "name",     "process",
                                                                  "node",   "function", "phase"};

// Clean text. Each is asked for once for a thread, phase or stack.
struct SliceNames {
  std::function<std::string(EntityId)> thread;
  std::function<std::string(EntityId)> name;  // threads that do the same share it
  std::function<std::string(EntityId)> process;
  std::function<std::string(EntityId)> node;
  std::function<std::string(uint32_t)> phase;              // above 0
  std::function<std::string(uint32_t)> function_of_stack;  // by stack id
};

// Time by label. Fused with a sweep it needs memory for the labels alone:
//   SliceSums sums(graph, SliceBy::kThread, names);
//   SweepSlice(graph, request, [&](const SliceStretch& stretch) { sums.Add(stretch); });
class SliceSums {
 public:
  SliceSums(const ExecutionGraph& graph, SliceBy by, const SliceNames& names);

  void Add(const SliceStretch& stretch);
  // Most time first. Functions share the running time of a stretch by their samples in it;
  // "[not sampled]" has the running time of stretches without. "[ready]", "[waits]" and "[unknown]"
  // have what did not run. Without a phase: "[no phase]".
  std::vector<pb::SliceRow> Rows() const;
  // All of them together, without a name.
  pb::SliceRow All() const;

 private:
  struct Sum {
    uint64_t by_kind_ns[5] = {};  // by SegmentKind
    uint64_t stretches = 0;
    absl::flat_hash_set<EntityId> threads;
  };
  struct RunningSample {
    EntityId thread = kNobody;
    uint64_t time_ns = 0;
    uint32_t stack_id = 0;
  };
  struct OwnTimes {
    uint64_t by_kind_ns[5] = {};
  };

  OwnTimes TimesWithin(EntityId thread, uint64_t from_ns, uint64_t to_ns) const;
  uint32_t LabelOf(const std::string& text);
  uint32_t LabelOfThread(EntityId thread);
  void AddTo(uint32_t label, EntityId thread, const OwnTimes& times, uint64_t stretches);
  void AddPhases(const SliceStretch& stretch);
  void AddFunctions(const SliceStretch& stretch);

  const ExecutionGraph& graph_;
  SliceBy by_;
  const SliceNames& names_;
  std::vector<RunningSample> samples_;  // by thread and time; of functions alone
  absl::flat_hash_map<std::string, uint32_t> labels_;
  std::vector<uint32_t> label_of_thread_;
  absl::flat_hash_map<uint32_t, uint32_t> label_of_other_;  // of a phase, or a stack
  std::vector<Sum> sums_;                                   // by label
  Sum all_;
};

// The stretches as a tree of names: a stretch is below the one that has the edge that first led to
// it. Siblings of one name are one node. A name that occurs again below itself is that node again,
// as threads that wake each other in turns would make a long chain of alike causes. So a path down
// the tree has each name once. Preorder, siblings with most time first. O(stretches · depth).
std::vector<pb::SliceNode> FoldedTree(const ExecutionGraph& graph, const Slice& slice,
                                      const std::function<std::string(EntityId)>& name);

// Rows of equal names together.
std::vector<pb::SliceDiffRow> DifferenceOf(const pb::Slice& first, const pb::Slice& second);

// Both trees as one: nodes with the same names from the root on together, whatever the roots are
// called. Preorder.
std::vector<pb::SliceNodeDiff> TreeDifferenceOf(const pb::Slice& first, const pb::Slice& second);

inline uint64_t TimeOf(const pb::SliceTimes& times) {
  return times.run_ns() + times.ready_ns() + times.wait_ns() + times.unknown_ns();
}

}  // namespace gordian
