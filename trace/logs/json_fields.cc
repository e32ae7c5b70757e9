// SPDX-License-Identifier: Apache-2.0
#include "trace/logs/json_fields.h"

#include <map>

#include "trace/logs/json_cursor.h"

namespace gordian {

// A key may have dots itself: {"span.name": …} is {"span": {"name": …}}. So from each node every
// node whose path begins with its own is a child, whatever dots lie between.
JsonFields::JsonFields(const std::vector<std::string>& names) : slots_(names.size()) {
  std::map<std::string, uint32_t> paths = {{"", 0}};
  const auto add = [&paths](const std::string& path) {
    return paths.try_emplace(path, static_cast<uint32_t>(paths.size())).first->second;
  };
  std::vector<uint32_t> node_of_name;
  for (const std::string& name : names) {
    size_t dots = 0;
    for (size_t dot = name.find('.'); dot != std::string::npos && ++dots <= kMaxNameDots;
         dot = name.find('.', dot + 1))
      add(name.substr(0, dot));
    node_of_name.push_back(add(name));
  }
  nodes_.resize(paths.size());
  for (size_t i = names.size(); i-- > 0;) nodes_[node_of_name[i]].slot = static_cast<uint32_t>(i);
  for (const auto& [path, node] : paths) {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (auto below = paths.lower_bound(prefix);
         below != paths.end() && below->first.starts_with(prefix); ++below) {
      if (below->second != node)
        nodes_[node].children.emplace(below->first.substr(prefix.size()), below->second);
    }
  }
}

uint32_t JsonFields::ChildOf(uint32_t node, std::string_view key) const {
  if (node == kNowhere) return kNowhere;
  const auto found = nodes_[node].children.find(absl::string_view(key.data(), key.size()));
  if (found != nodes_[node].children.end()) return found->second;
  // An empty key adds nothing to an empty path.
  return node == 0 && key.empty() ? 0 : kNowhere;
}

void JsonFields::Take(uint32_t node, bool in_array, std::string_view text) {
  if (node == kNowhere || nodes_[node].slot == kNowhere) return;
  Slot& slot = slots_[nodes_[node].slot];
  if (!slot.set) touched_.push_back(nodes_[node].slot);
  if (slot.set && in_array) {
    if (slot.text.data() != slot.own.data()) slot.own.assign(slot.text);
    slot.own += ',';
    slot.own += text;
    slot.text = slot.own;
  } else if (text.data() == scratch_.data()) {
    slot.own.assign(text);
    slot.text = slot.own;
  } else {
    slot.text = text;
  }
  slot.set = true;
}

// Ends: each turn takes a token, or returns.
bool JsonFields::Read(std::string_view line) {
  for (const size_t slot : touched_) slots_[slot].set = false;
  touched_.clear();
  JsonCursor cursor(line);
  if (!cursor.Take('{')) return false;
  levels_[0] = {0, 0, false};
  size_t depth = 1;
  bool begun = true;  // nothing stands in the innermost level yet
  while (depth > 0) {
    const Level& level = levels_[depth - 1];
    if (cursor.Take(level.array ? ']' : '}')) {
      --depth;
      begun = false;
      continue;
    }
    if (!begun && !cursor.Take(',')) return false;
    begun = false;
    uint32_t node = level.node;
    size_t path_bytes = level.path_bytes;
    std::string_view text;
    if (!level.array) {
      if (!cursor.String(text, scratch_)) return false;
      path_bytes += text.size() + (path_bytes > 0 ? 1 : 0);
      if (path_bytes > kMaxPathBytes) return false;
      node = ChildOf(node, text);
      if (!cursor.Take(':')) return false;
    }
    const char first = cursor.Peek();
    if (first == '{' || first == '[') {
      if (depth == kMaxDepth) return false;
      cursor.Take(first);
      levels_[depth++] = {node, path_bytes, first == '['};
      begun = true;
    } else if (first == '"') {
      if (!cursor.String(text, scratch_)) return false;
      Take(node, level.array, text);
    } else if (first == 't' || first == 'f') {
      text = first == 't' ? "true" : "false";
      if (!cursor.Word(text)) return false;
      Take(node, level.array, text);
    } else if (first == 'n') {
      if (!cursor.Word("null")) return false;
    } else {
      if (!cursor.Number(text)) return false;
      Take(node, level.array, text);
    }
  }
  return cursor.Peek() == '\0';  // where a log was cut, zeros may follow
}

}  // namespace gordian
