// SPDX-License-Identifier: Apache-2.0
// libelf's and libdw's handles, owned. Only for the child process.
#pragma once

#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>

#include <memory>
#include <string>

namespace gordian {

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};
struct DwarfEnd {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
using ElfPointer = std::unique_ptr<Elf, ElfEnd>;
using DwarfPointer = std::unique_ptr<Dwarf, DwarfEnd>;

// Null if `file` is -1 or holds no ELF.
ElfPointer OpenElf(int file);
// The section of that name if it has content here, else null.
Elf_Scn* FindSection(Elf* elf, const char* name);

// The file that .gnu_debugdata holds, xz-compressed: a small symbol table for stripped programs.
// Empty if there is none, it is damaged, or it is larger than 256 MiB.
std::string MiniDebugInfo(Elf* elf);

}  // namespace gordian
