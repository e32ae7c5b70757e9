// SPDX-License-Identifier: Apache-2.0
#include "trace/name_table.h"

namespace gordian {

uint32_t NameTableBuilder::Index(std::string_view name) {
  if (name.empty()) return 0;
  const auto [entry, is_new] = index_of_name_.try_emplace(name, names_.size() + 1);
  if (is_new) names_.push_back(name);
  return entry->second;
}

void NameTableBuilder::MoveTo(pb::NameTable& table) {
  table.Clear();
  for (const std::string_view name : names_) {
    table.add_length(static_cast<uint32_t>(name.size()));
    table.mutable_text()->append(name);
  }
  names_.clear();
  index_of_name_.clear();
}

absl::Status ReadNameTable(const pb::NameTable& table, std::vector<std::string_view>& names) {
  names.clear();
  names.emplace_back();
  const std::string_view text = table.text();
  size_t begin = 0;
  for (const uint32_t length : table.length()) {
    if (length > text.size() - begin) return absl::DataLossError("names run past their text");
    names.push_back(text.substr(begin, length));
    begin += length;
  }
  if (begin != text.size()) return absl::DataLossError("there is more text than names");
  return absl::OkStatus();
}

}  // namespace gordian
