// SPDX-License-Identifier: Apache-2.0
// All functions of a module, by address: what a symbol table says, in a form that can be kept on
// disk and that this process itself may look into.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gordian {

inline constexpr uint32_t kFunctionListFormat = 1;

class FunctionList {
 public:
  // From a message pb::FunctionList; nothing if it breaks the rules: it may be anything.
  static std::optional<FunctionList> Parse(std::string_view message);

  // Each address has to be asked for in a child all the same.
  bool is_enough() const { return is_enough_; }
  // The name, as in the file, of the innermost function that `address` lies in; empty: none.
  std::string_view NameAt(uint64_t address) const;
  size_t size() const { return functions_.size(); }

 private:
  struct Function {
    uint64_t address;
    uint64_t end;
    uint32_t name_at;
    uint32_t name_bytes;
  };

  bool is_enough_ = false;
  std::string names_;
  std::vector<Function> functions_;  // by address, one per address
};

}  // namespace gordian
