// SPDX-License-Identifier: Apache-2.0
// The data that the stages of the phase analysis hand to each other, in order:
//
//   model + logs (or probes)   ->  phases, blocked intervals
//   samples (or records)       ->  resource use
//   both                       ->  demand -> use per timeslice -> attribution -> bottlenecks ->
//   issues
//
// Plain values; ids are indices into the vectors of their Job. Times are nanoseconds of one clock:
// CLOCK_MONOTONIC of the recorded node, or, without a recording, since the Unix epoch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gordian {

using PhaseTypeId = uint32_t;
using ResourceTypeId = uint32_t;
using PhaseId = uint32_t;
using ResourceId = uint32_t;
inline constexpr uint32_t kNoId = 0xffffffff;

// How often phases of a type occur within one phase of the parent's type.
enum class PhaseRepeat : uint8_t {
  kOnce,
  kSequential,  // one after another; the key tells which
  kConcurrent,  // side by side; likewise
};

// The place that a phase is bound to. A replay never moves it elsewhere, and of phases bound to one
// thread only one runs at a time.
enum class PhasePlace : uint8_t { kAnywhere, kNode, kProcess, kThread };
const char* PlaceWord(PhasePlace place);  // as models and reports write it

struct PhaseType {
  std::string name;            // one part of a path: Compute
  PhaseTypeId parent = kNoId;  // kNoId: the root, which is types[0] and the only one
  PhaseRepeat repeat = PhaseRepeat::kOnce;
  PhasePlace place = PhasePlace::kAnywhere;
  std::vector<PhaseTypeId> after;  // siblings that must have ended before; no cycles
};

enum class ResourceKind : uint8_t {
  kConsumable,  // a rate with a capacity: CPU, bandwidth, memory
  kBlocking,    // there or not: garbage collection, a full queue, a lock
};

struct ResourceType {
  std::string name;  // cpu, disk, network, gc
  ResourceKind kind = ResourceKind::kConsumable;
  bool per_node = true;  // else the nodes share one
  double capacity = 0;   // of one instance, in `unit`; 0: the samples tell it
  std::string unit;      // cores, B/s
};

enum class RuleKind : uint8_t {
  kNone,      // does not use it
  kExact,     // uses `amount` of the capacity (0.5 is half), or so much in the resource's unit
  kVariable,  // uses as much as it can get, in proportion to `amount`
  kLeaves,    // the same, but a phase that consists of others uses nothing by itself
};

struct AttributionRule {
  RuleKind kind = RuleKind::kLeaves;
  double amount = 1;
  bool in_unit = false;  // of kExact: not a share of the capacity
  bool operator==(const AttributionRule&) const = default;
};

struct JobModel {
  std::string name;
  std::vector<PhaseType> types;  // parents before children
  std::vector<ResourceType> resources;
  // types.size() rows of resources.size(); rules that a model does not name are already inherited
  // from the parent's row. For blocking resources: kNone, or anything else for "can be blocked by
  // it".
  std::vector<AttributionRule> rules;

  const AttributionRule& rule(PhaseTypeId type, ResourceTypeId resource) const {
    return rules[type * resources.size() + resource];
  }
};

// One execution of a phase type, in [start_ns, end_ns).
struct Phase {
  PhaseTypeId type = 0;
  PhaseId parent = kNoId;  // phases[0] is the root, and the only one without a parent
  std::string key;         // Superstep[3] has the key 3; empty for kOnce
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  std::string node;          // empty: not known, or several
  int32_t pid = 0;           // 0: not known
  int32_t tid = 0;           // 0: not known, or several threads
  bool end_assumed = false;  // the logs do not tell its end: that of its parent, or the last line
  // Siblings that must have ended before, besides those by type: if the log itself tells the order,
  // as Spark's does of stages. No cycles; mostly empty.
  std::vector<PhaseId> after;
};

// An instance of a resource type: a node's, or the shared one.
struct Resource {
  ResourceTypeId type = 0;
  std::string name;  // as shown: cpu, vda, eth0
  std::string node;  // empty: shared, or the only node
  double capacity = 0;
};

// Average use in [start_ns, end_ns), in the resource type's unit.
struct ResourceSample {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  double use = 0;
};

// A phase could not go on in [start_ns, end_ns), as the resource was not there. It holds for all
// phases within that phase.
struct BlockedInterval {
  PhaseId phase = 0;
  ResourceId resource = 0;
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
};

// One job: its model, its phases, and the resources they used. Or several jobs that shared the
// machines at the same time: then the root only holds them together.
struct Job {
  JobModel model;
  std::vector<Phase> phases;  // parents before children; children by start
  std::vector<PhaseId> jobs;  // of several: the root of each, a child of phases[0]; else empty
  std::vector<Resource> resources;
  std::vector<std::vector<ResourceSample>> samples;  // by resource, by time, without overlaps; of
                                                     // blocking ones none
  std::vector<BlockedInterval> blocked;              // by start
};

// "/Job/Superstep[3]/Worker[2]/Compute"
std::string PathOf(const Job& job, PhaseId phase);
// "/Job/Superstep/Worker/Compute"
std::string PathOf(const JobModel& model, PhaseTypeId type);

}  // namespace gordian
