// SPDX-License-Identifier: Apache-2.0
// The account of the search, for --explain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/findings/evidence/measures.h"
#include "analyzer/findings/evidence/words.h"
#include "analyzer/knots/knots.h"
#include "schema/report.pb.h"

namespace gordian {

// Does nothing unless wanted.
class Explain {
 public:
  Explain(const Measures& measures, const VertexWords& words, bool wanted)
      : measures_(measures), words_(words), wanted_(wanted) {}

  void LeftOut(std::span<const Edge> edges);
  void Background(const std::vector<uint32_t>& members);
  // `steps` name vertices by their place in `members`.
  void Refined(const std::vector<uint32_t>& members, std::span<const RefineStep> steps);
  std::vector<pb::ExplainStep> Take() { return std::move(steps_); }

 private:
  void AddRemoval(const char* action, uint32_t from, uint32_t to, uint64_t weight_ns,
                  const char* reason);
  void AddSet(const char* action, const std::vector<uint32_t>& vertices, const char* reason);

  const Measures& measures_;
  const VertexWords& words_;
  bool wanted_;
  std::vector<pb::ExplainStep> steps_;
};

}  // namespace gordian
