// SPDX-License-Identifier: Apache-2.0
// Counts the faults of logs, by the names of trace/counters.h, with the first few examples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"

namespace gordian {

struct TalliedCounter {
  std::string name;
  uint64_t value = 0;
  std::vector<std::string> examples;  // "app.log:12: the line"
};

class Tally {
 public:
  // `name` is a literal, and one that trace/counters.cc defines.
  void Count(std::string_view name, uint64_t value = 1);
  // Counts one, and keeps it as an example if there are few yet: only then `describe` is asked.
  void CountLine(std::string_view name, std::string_view file, uint64_t line_number,
                 absl::FunctionRef<std::string()> describe);
  void CountLine(std::string_view name, std::string_view file, uint64_t line_number,
                 std::string_view line);
  // Likewise, with an example of each fault rather than of the first lines.
  void CountFault(std::string_view name, uint64_t fault, std::string_view file,
                  uint64_t line_number, absl::FunctionRef<std::string()> describe);
  uint64_t Value(std::string_view name) const;
  // Those that are not zero, by name.
  std::vector<TalliedCounter> Counters() const;

 private:
  struct Entry {
    uint64_t value = 0;
    std::vector<std::string> examples;
    std::vector<uint64_t> faults;  // those that have an example
  };
  Entry& At(std::string_view name);

  absl::flat_hash_map<std::string_view, Entry> entries_;
};

// A line's beginning, as examples have it.
std::string ShortText(std::string_view text);

}  // namespace gordian
