// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/line_template.h"

namespace gordian {
namespace {

constexpr size_t kMaxTypeNameBytes = 100;

}  // namespace

std::string AsTypeName(std::string_view text) {
  std::string name(text.substr(0, kMaxTypeNameBytes));
  for (char& letter : name) {
    if (letter == '/' || letter == '\\') letter = '-';
    if (letter == '[' || letter == '{') letter = '(';
    if (letter == ']' || letter == '}') letter = ')';
  }
  return name;
}

// A variable's literal is its name. ParseModel has refused names that are no variable; slot 0 would
// only hold a wrong text.
LineTemplate::LineTemplate(const TextTemplate& text, const LineVariables& variables) {
  for (const TextTemplate::Part& part : text.parts) {
    const auto found = variables.find(part.text);
    const size_t slot = part.variable && found != variables.end() ? found->second : 0;
    parts_.push_back({part.text, slot, part.variable, part.names_type});
  }
}

bool LineTemplate::Fill(const LineValues& values, std::string& scratch,
                        std::string_view& out) const {
  if (parts_.empty()) return false;
  if (parts_.size() == 1) {
    out = parts_[0].is_variable ? values[parts_[0].variable] : std::string_view(parts_[0].literal);
    return out.data() != nullptr;
  }
  scratch.clear();
  for (const Part& part : parts_) {
    const std::string_view text =
        part.is_variable ? values[part.variable] : std::string_view(part.literal);
    if (text.data() == nullptr) return false;
    if (part.names_type) {
      scratch += AsTypeName(text);
    } else {
      scratch += text;
    }
  }
  out = scratch;
  return true;
}

std::string_view LineTemplate::Missing(const LineValues& values) const {
  for (const Part& part : parts_) {
    if (part.is_variable && values[part.variable].data() == nullptr) return part.literal;
  }
  return {};
}

std::string LineTemplate::Source() const {
  std::string source;
  for (const Part& part : parts_)
    source += part.is_variable ? "{" + part.literal + "}" : part.literal;
  return source;
}

}  // namespace gordian
