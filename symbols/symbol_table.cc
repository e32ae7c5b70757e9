// SPDX-License-Identifier: Apache-2.0
#include "symbols/symbol_table.h"

#include <gelf.h>

#include <algorithm>
#include <climits>
#include <string_view>

#include "symbols/function_name.h"

namespace gordian {
namespace {

// Functions rarely lie in each other; more steps back only cost time in hostile tables.
constexpr int kMaxStepsBack = 16;

bool IsExecutable(Elf* elf, size_t section_index) {
  GElf_Shdr header;
  Elf_Scn* section = elf_getscn(elf, section_index);
  return section != nullptr && gelf_getshdr(section, &header) != nullptr &&
         (header.sh_flags & SHF_EXECINSTR) != 0;
}

// Functions, and the labels of hand-written code. Marks of the assembler ("$x", ".L1") are neither.
bool IsFunction(Elf* elf, const GElf_Sym& symbol, const char* name) {
  const int type = GELF_ST_TYPE(symbol.st_info);
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 || name == nullptr) return false;
  if (name[0] == '\0' || name[0] == '$' || name[0] == '.') return false;
  if (type == STT_FUNC || type == STT_GNU_IFUNC) return true;
  return type == STT_NOTYPE && symbol.st_shndx < SHN_LORESERVE &&
         IsExecutable(elf, symbol.st_shndx);
}

}  // namespace

void SymbolTable::Add(Elf* elf) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) AddSection(elf, section);
  }
}

void SymbolTable::AddSection(Elf* elf, Elf_Scn* section) {
  GElf_Shdr header;
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || gelf_getshdr(section, &header) == nullptr) return;
  const size_t entry_bytes = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
  const size_t count = entry_bytes == 0 ? 0 : std::min<size_t>(data->d_size / entry_bytes, INT_MAX);
  for (size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (!IsFunction(elf, symbol, name)) continue;
    if (symbols_.size() == max_symbols_) {
      left_out_ += count - i;
      return;
    }
    const uint64_t size_bytes = std::min(symbol.st_size, UINT64_MAX - symbol.st_value);
    symbols_.push_back({symbol.st_value, symbol.st_value + size_bytes, name});
  }
}

void SymbolTable::Sort() {
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    if (a.address != b.address) return a.address < b.address;
    const bool a_sized = a.end != a.address;
    const bool b_sized = b.end != b.address;
    if (a_sized != b_sized) return a_sized;
    return IsBetterAlias(a.name, b.name);
  });
  symbols_.erase(
      std::unique(symbols_.begin(), symbols_.end(),
                  [](const Symbol& a, const Symbol& b) { return a.address == b.address; }),
      symbols_.end());
  for (size_t i = 0; i < symbols_.size(); ++i) {
    if (symbols_[i].end != symbols_[i].address) continue;
    // Without a size: up to the next one; the last one is one byte long.
    symbols_[i].end = i + 1 < symbols_.size() ? symbols_[i + 1].address : symbols_[i].address + 1;
  }
}

const SymbolTable::Symbol* SymbolTable::Find(uint64_t address) const {
  auto at = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                             [](uint64_t a, const Symbol& symbol) { return a < symbol.address; });
  for (int step = 0; step < kMaxStepsBack && at != symbols_.begin(); ++step) {
    --at;
    if (address < at->end) return &*at;
  }
  return nullptr;
}

}  // namespace gordian
