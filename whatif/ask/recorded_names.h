// SPDX-License-Identifier: Apache-2.0
// The vertices that the names of a report mean, and which of them wait for which.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "report/vertex_names.h"
#include "whatif/ask/ask.h"

namespace gordian {

// Without those around it.
std::string WithoutBlanks(std::string_view name);

class RecordedNames {
 public:
  explicit RecordedNames(const AnalyzedRecording& recording)
      : recording_(recording), names_(recording.report) {}

  const AnalyzedRecording& recording() const { return recording_; }
  absl::StatusOr<uint32_t> Find(std::string_view name) const;
  const std::string& Name(uint32_t vertex) const { return names_.Name(vertex); }
  // As a part of a sentence: "the disk vda".
  const std::string& Phrase(uint32_t vertex) const { return names_.Phrase(vertex); }
  const std::string& Kind(uint32_t vertex) const { return names_.Find(vertex)->kind(); }
  bool IsThread(uint32_t vertex) const { return IsThreadKind(Kind(vertex)); }
  bool IsDisk(uint32_t vertex) const { return Kind(vertex) == "disk"; }
  bool IsLink(uint32_t vertex) const { return Kind(vertex) == "link"; }
  bool IsKernelThread(uint32_t vertex) const;

  bool Waits(uint32_t from, uint32_t to) const;
  bool WaitsForThreads(uint32_t vertex) const;
  bool Sleeps(uint32_t vertex) const;  // on a timer
  // The nodes of the threads of these; one without a name if there is only one.
  std::vector<std::string> NodesOf(std::span<const uint32_t> vertices) const;

 private:
  const AnalyzedRecording& recording_;
  VertexNames names_;
};

}  // namespace gordian
