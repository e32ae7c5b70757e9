// SPDX-License-Identifier: Apache-2.0
// Names as they stand in sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/graph/graph.h"
#include "words/vertex_labels.h"

namespace gordian {

// A, B and C; of many: the first few and the number of the others.
std::string Enumerate(const std::vector<std::string>& names);

// Labels of all vertices are made when the first word is asked for. Not thread-safe.
class VertexWords {
 public:
  // It must outlive this.
  explicit VertexWords(const MergedGraph& graph) : graph_(graph) {}

  const VertexLabels& labels() const;

  // "B", "the disk vda", "worker-* (16 threads)": the phrase of words/vertex_labels.h.
  const std::string& of(uint32_t vertex) const { return labels().phrase(vertex); }
  // With a verb: "B waits", "worker-* (16 threads) wait".
  std::string does(uint32_t vertex, std::string_view one, std::string_view several) const;
  std::string of_all(const std::vector<uint32_t>& vertices) const;
  // The same with threads and groups of one name told together: "server (4 threads) and client".
  std::string of_all_by_name(const std::vector<uint32_t>& vertices) const;

 private:
  const MergedGraph& graph_;
  mutable std::optional<VertexLabels> labels_;
};

}  // namespace gordian
