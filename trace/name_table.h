// SPDX-License-Identifier: Apache-2.0
// A block's table of names, to and from pb::NameTable. Index 0 is the empty name and does not stand
// in the table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "schema/trace.pb.h"

namespace gordian {

class NameTableBuilder {
 public:
  // The index of `name`, which must live until MoveTo.
  uint32_t Index(std::string_view name);
  // Replaces the contents of the table and forgets the names.
  void MoveTo(pb::NameTable& table);

 private:
  absl::flat_hash_map<std::string_view, uint32_t> index_of_name_;
  std::vector<std::string_view> names_;
};

// DataLoss if lengths and text do not agree. names[0] is the empty name.
absl::Status ReadNameTable(const pb::NameTable& table, std::vector<std::string_view>& names);

}  // namespace gordian
