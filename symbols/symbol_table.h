// SPDX-License-Identifier: Apache-2.0
// The functions of ELF symbol tables, sorted for look-ups. Only for the child process.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <vector>

namespace gordian {

class SymbolTable {
 public:
  struct Symbol {
    uint64_t address = 0;
    uint64_t end = 0;  // as the table says, or the next symbol's address
    const char* name = nullptr;
  };

  explicit SymbolTable(size_t max_symbols) : max_symbols_(max_symbols) {}

  // Takes the functions of .symtab and .dynsym. `elf` must live as long as this.
  void Add(Elf* elf);
  // To be called once, after the last Add.
  void Sort();
  // The innermost function that `address` lies in, or null.
  const Symbol* Find(uint64_t address) const;

  const std::vector<Symbol>& symbols() const { return symbols_; }
  size_t size() const { return symbols_.size(); }
  uint64_t left_out() const { return left_out_; }

 private:
  void AddSection(Elf* elf, Elf_Scn* section);

  size_t max_symbols_;
  uint64_t left_out_ = 0;
  std::vector<Symbol> symbols_;  // by address, one per address
};

}  // namespace gordian
