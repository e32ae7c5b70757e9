// SPDX-License-Identifier: Apache-2.0
// The kernel's own functions, from /proc/kallsyms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/symbols.h"

namespace gordian {

inline constexpr uint64_t kMaxKallsymsBytes = 128 << 20;

class KernelSymbols {
 public:
  KernelSymbols() = default;
  static KernelSymbols Parse(std::string text);

  // Whether `address` lies in a function; fills all of `resolved`.
  bool Find(uint64_t address, ResolvedAddress& resolved) const;

  size_t size() const { return symbols_.size(); }
  uint64_t malformed_lines() const { return malformed_lines_; }
  // There are functions, but the kernel shows their addresses as 0 (kernel.kptr_restrict).
  bool hidden() const { return hidden_; }

 private:
  struct Symbol {
    uint64_t address = 0;
    std::string_view name;    // in *text_
    std::string_view module;  // in *text_; empty: the kernel itself
  };

  std::unique_ptr<const std::string> text_;
  std::vector<Symbol> symbols_;  // functions, by address, one per address
  std::unordered_map<std::string_view, uint64_t> first_addresses_;  // by module
  uint64_t malformed_lines_ = 0;
  bool hidden_ = false;
};

}  // namespace gordian
