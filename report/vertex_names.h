// SPDX-License-Identifier: Apache-2.0
// The names of a report's vertices for people, and the vertices that people's names mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "schema/report.pb.h"
#include "words/vertex_labels.h"

namespace gordian {

class VertexNames {
 public:
  explicit VertexNames(const pb::Report& report);

  // Its label (words/vertex_labels.h); "?" for an id that is none.
  const std::string& Name(uint32_t vertex) const;
  // The same as a part of a sentence: "the disk vda", "worker-* (16 threads)".
  const std::string& Phrase(uint32_t vertex) const;
  const pb::ReportVertex* Find(uint32_t vertex) const;  // null for an id that is none

  // The vertices that `text` means, by their label as shown anywhere or in another form.
  std::vector<uint32_t> Called(std::string_view text) const;
  // All that `text` may mean, the narrowest meaning first (words/vertex_labels.h), and of each at
  // first its vertices in the report's scope alone.
  std::vector<std::vector<uint32_t>> Meanings(std::string_view text) const;
  // How far `text` is from the nearest of the vertex' names (EditDistance).
  size_t Distance(std::string_view text, uint32_t vertex) const;
  // For a text that means no vertex: the existing labels, nearest first.
  absl::Status NoneCalled(std::string_view text) const;

 private:
  struct Entry {
    const pb::ReportVertex* vertex = nullptr;
    size_t position = 0;
  };
  std::unordered_map<uint32_t, Entry> vertices_;
  std::vector<uint32_t> ids_;  // by position
  VertexLabels labels_;
};

// disk, nic, timer, irq, remote, link and unknown are no threads and hold no CPU.
bool IsThreadKind(const std::string& kind);

}  // namespace gordian
