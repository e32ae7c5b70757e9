// SPDX-License-Identifier: Apache-2.0
// The vertices that people's names mean, and which of them wait for which.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/findings/evidence/fix_change.h"
#include "report/vertex_names.h"
#include "whatif/ask/ask.h"
#include "whatif/paths/paths.h"

namespace gordian {

// Without those around it.
std::string WithoutBlanks(std::string_view name);

// The vertices of one name, which are one or more.
struct NamedVertices {
  std::vector<uint32_t> ids;
  std::string name;  // of one its label; of several the name they were asked for by, and how many
};

// Recorded waits between the vertices of two names.
struct NamedWaits {
  std::vector<RemovedEdge> waits;
  NamedVertices from;
  NamedVertices to;
};

class RecordedNames {
 public:
  explicit RecordedNames(const AnalyzedRecording& recording);

  const AnalyzedRecording& recording() const { return recording_; }
  // A label means its one vertex. Any other name means all vertices of that name, of that process
  // or of that command, those of the report's scope first; "disk" means all disks. Of these
  // meanings the narrowest counts that has vertices as `fits` wants them; of it these. Empty if no
  // meaning has any; NotFound if there is no such name.
  absl::StatusOr<NamedVertices> Find(std::string_view name,
                                     const std::function<bool(uint32_t)>& fits) const;
  // The same, of meanings whose threads work. A program's name often is its first thread's, too,
  // which only waits for the others to end: what it has more of changes nothing.
  absl::StatusOr<NamedVertices> FindWorking(std::string_view name,
                                            const std::function<bool(uint32_t)>& fits) const;
  // The same, of meanings whose threads wait often, too: those that ask, and not who started them.
  // Where a finding asks for more requests of a thread under way, only meanings count that hold it,
  // if there are any.
  absl::StatusOr<NamedVertices> FindGoingRound(std::string_view name,
                                               const std::function<bool(uint32_t)>& fits) const;
  // The same of two names: the narrowest meanings that have recorded waits for each other, those
  // of threads often. Empty if there are none; NotFound if there is no such name.
  absl::StatusOr<NamedWaits> FindWaits(std::string_view from, std::string_view to) const;
  // The same of questions: who is asked may be outside of the scope, though others of that name are
  // in it.
  absl::StatusOr<NamedWaits> FindQuestions(std::string_view from, std::string_view to) const;
  // For names without waits: the waits that there are, nearest first.
  absl::Status NoSuchWaits(std::string_view from, std::string_view to) const;

  const std::string& Name(uint32_t vertex) const { return names_.Name(vertex); }
  const std::string& Kind(uint32_t vertex) const { return names_.Find(vertex)->kind(); }
  bool IsThread(uint32_t vertex) const { return IsThreadKind(Kind(vertex)); }
  bool IsDisk(uint32_t vertex) const { return Kind(vertex) == "disk"; }
  bool IsLink(uint32_t vertex) const { return Kind(vertex) == "link"; }
  bool IsKernelThread(uint32_t vertex) const;

  bool Waits(uint32_t from, uint32_t to) const;
  // … or through kernel threads that do a part of the waits for a disk.
  bool WaitsThroughKernel(uint32_t from, uint32_t to) const;
  bool WaitsForThreads(uint32_t vertex) const;
  bool EverWaits(uint32_t vertex) const;
  bool Sleeps(uint32_t vertex) const;  // on a timer
  // The nodes of the threads of these; one without a name if there is only one.
  std::vector<std::string> NodesOf(std::span<const uint32_t> vertices) const;

 private:
  // The least amount that has a part in what a name may mean.
  double LeastOf(std::string_view name, const std::function<bool(uint32_t)>& fits,
                 const std::function<double(uint32_t)>& amount) const;
  NamedWaits WaitsBetween(const std::vector<uint32_t>& waiters,
                          const std::vector<uint32_t>& awaited) const;
  double CountBetweenThreads(const NamedWaits& named) const;
  // Of its waits.
  void NameEnds(std::string_view from, std::string_view to, NamedWaits& found) const;
  absl::StatusOr<NamedWaits> FindWaitsBetween(
      std::string_view from, std::string_view to,
      const std::vector<std::vector<uint32_t>>& awaited) const;
  std::vector<std::vector<uint32_t>> Meanings(std::string_view name) const;
  std::vector<std::vector<uint32_t>> MeaningsThatAsk(std::string_view name) const;
  absl::StatusOr<NamedVertices> FindIn(const std::vector<std::vector<uint32_t>>& meanings,
                                       std::string_view name,
                                       const std::function<bool(uint32_t)>& fits) const;
  double RunOf(uint32_t vertex) const { return names_.Find(vertex)->run_s(); }
  std::vector<uint32_t> OfThreads(const std::function<bool(const Entity&)>& is_meant) const;
  std::vector<uint32_t> InScope(std::vector<uint32_t> vertices) const;
  std::vector<uint32_t> OfCode(std::string_view wanted) const;
  std::vector<uint32_t> OfKind(std::string_view wanted) const;
  NamedVertices Named(std::vector<uint32_t> vertices, std::string_view name) const;

  bool IsMostlyForDisks(uint32_t kernel_thread) const;

  const AnalyzedRecording& recording_;
  VertexNames names_;
  std::set<uint32_t> kernel_;                               // vertices
  std::map<uint32_t, std::map<uint32_t, uint64_t>> waits_;  // who waits for whom how often
};

}  // namespace gordian
