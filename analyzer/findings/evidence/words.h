// SPDX-License-Identifier: Apache-2.0
// Names as they stand in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/graph/graph.h"
#include "words/vertex_labels.h"

namespace gordian {

// A, B and C; of many: the first few and the number of the others.
std::string Enumerate(const std::vector<std::string>& names);

class VertexWords {
 public:
  explicit VertexWords(const MergedGraph& graph);

  // "B", "the disk vda", "worker-* (16 threads)": the phrase of words/vertex_labels.h.
  const std::string& of(uint32_t vertex) const { return labels_.phrase(vertex); }
  // With a verb: "B waits", "worker-* (16 threads) wait".
  std::string does(uint32_t vertex, std::string_view one, std::string_view several) const;
  std::string of_all(const std::vector<uint32_t>& vertices) const;
  // The same with threads and groups of one name told together: "server (4 threads) and client".
  std::string of_all_by_name(const std::vector<uint32_t>& vertices) const;

 private:
  struct Threads {
    bool any = false;
    bool are_group = false;
    uint32_t count = 0;
  };
  VertexLabels labels_;
  std::vector<Threads> threads_;
};

}  // namespace gordian
