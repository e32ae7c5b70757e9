// SPDX-License-Identifier: Apache-2.0
// A model's template with its variables found, ready for every line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/models/phase_model.h"

namespace gordian {

// The values of a line's variables; one that is not there has no data.
using LineValues = std::vector<std::string_view>;
// Where in LineValues each stands.
using LineVariables = absl::flat_hash_map<std::string, size_t>;

// Text as the name of a phase's type: what would have a meaning in a path is replaced.
std::string AsTypeName(std::string_view text);

class LineTemplate {
 public:
  LineTemplate() = default;
  LineTemplate(const TextTemplate& text, const LineVariables& variables);

  bool empty() const { return parts_.empty(); }
  // False if it is empty or one of its variables is not there. `out` refers to the values or to
  // `scratch`.
  bool Fill(const LineValues& values, std::string& scratch, std::string_view& out) const;
  // Of its variables the first that is not there; empty if all are.
  std::string_view Missing(const LineValues& values) const;
  // As the model has it: "worker-{id}".
  std::string Source() const;

 private:
  struct Part {
    std::string literal;
    size_t variable = 0;
    bool is_variable = false;
    bool names_type = false;
  };
  std::vector<Part> parts_;
};

}  // namespace gordian
