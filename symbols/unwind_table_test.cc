// SPDX-License-Identifier: Apache-2.0
// Rows must agree with libdw at any address; hostile files and hostile children must do no harm.
#include "symbols/unwind_table.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <random>

#include "symbols/elf_identity.h"
#include "symbols/elf_image.h"
#include "symbols/test_puppet.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using testing::ReadFile;

std::string CLibrary() {
  Dl_info info{};
  // A function that no sanitizer puts its own in the place of.
  EXPECT_NE(dladdr(reinterpret_cast<void*>(&gnu_get_libc_version), &info), 0);
  return info.dli_fname;
}

FileHandle Open(const std::string& path) {
  return FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

// A machine of three registers and a made-up memory, in which every word is another.
struct Machine {
  uint64_t address, stack, frame;

  static uint64_t Stored(uint64_t at) { return at * 0x9e3779b97f4a7c15ull ^ 0x1234; }
};

struct Caller {
  uint64_t cfa;
  uint64_t address_at;  // where the return address is stored
  uint64_t frame;       // the caller's frame register
  bool operator==(const Caller&) const = default;
};

Caller ByRow(const UnwindRow& row, const Machine& machine) {
  const auto words = [](int64_t count) { return static_cast<uint64_t>(count * 8); };
  Caller caller{.cfa = 0, .address_at = 0, .frame = machine.frame};
  switch (row.rule) {
    case UnwindRule::kStack:
      caller.cfa = machine.stack + words(row.cfa_words);
      break;
    case UnwindRule::kFrame:
      caller.cfa = machine.frame + words(row.cfa_words);
      break;
    case UnwindRule::kPlt:
      caller.cfa =
          machine.stack + 8 + ((machine.address & 15) >= static_cast<uint64_t>(row.cfa_words)) * 8;
      break;
    case UnwindRule::kRealigned:
      caller.cfa = Machine::Stored(machine.frame + words(row.cfa_words));
      caller.address_at = caller.cfa - 8;
      caller.frame = Machine::Stored(machine.frame + words(row.frame_words));
      return caller;
    case UnwindRule::kSignal:
      caller.cfa = Machine::Stored(machine.stack + 160);
      caller.address_at = machine.stack + 168;
      caller.frame = Machine::Stored(machine.stack + 120);
      return caller;
    case UnwindRule::kNone:
    case UnwindRule::kEnd:
      return caller;
  }
  caller.address_at = caller.cfa - 8;
  if (row.frame_words != 0) caller.frame = Machine::Stored(caller.cfa + words(row.frame_words));
  return caller;
}

// The value of a DWARF expression, by the standard; nothing if it needs more than this machine has.
std::optional<uint64_t> Evaluate(const Dwarf_Op* ops, size_t count, const Machine& machine,
                                 uint64_t cfa) {
  std::vector<uint64_t> stack;
  const auto push_register = [&](uint64_t number, uint64_t offset) {
    if (number != 6 && number != 7 && number != 16) return false;
    stack.push_back((number == 6   ? machine.frame
                     : number == 7 ? machine.stack
                                   : machine.address) +
                    offset);
    return true;
  };
  for (size_t i = 0; i < count; ++i) {
    const Dwarf_Op& op = ops[i];
    uint64_t top = stack.empty() ? 0 : stack.back();
    if (op.atom == DW_OP_call_frame_cfa) {
      stack.push_back(cfa);
    } else if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31) {
      if (!push_register(op.atom - DW_OP_breg0, op.number)) return std::nullopt;
    } else if (op.atom == DW_OP_bregx) {
      if (!push_register(op.number, op.number2)) return std::nullopt;
    } else if (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31) {
      stack.push_back(op.atom - DW_OP_lit0);
    } else if (stack.empty()) {
      return std::nullopt;
    } else if (op.atom == DW_OP_deref) {
      stack.back() = Machine::Stored(top);
    } else if (op.atom == DW_OP_plus_uconst) {
      stack.back() += op.number;
    } else if (stack.size() < 2) {
      return std::nullopt;
    } else {
      stack.pop_back();
      uint64_t& left = stack.back();
      if (op.atom == DW_OP_and)
        left &= top;
      else if (op.atom == DW_OP_ge)
        left = static_cast<int64_t>(left) >= static_cast<int64_t>(top);
      else if (op.atom == DW_OP_shl)
        left <<= top;
      else if (op.atom == DW_OP_plus)
        left += top;
      else
        return std::nullopt;
    }
  }
  if (stack.empty()) return std::nullopt;
  return stack.back();
}

struct LibdwAnswer {
  bool known = false;            // there is call frame information
  bool end = false;              // no caller
  std::optional<Caller> caller;  // nothing: it takes more than the machine has
};

LibdwAnswer ByLibdw(Dwarf_CFI* cfi, const Machine& machine, uint64_t module_address) {
  Dwarf_Frame* frame = nullptr;
  if (dwarf_cfi_addrframe(cfi, module_address, &frame) != 0) return {};
  LibdwAnswer answer{.known = true};
  Dwarf_Op memory[3];
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  Caller caller{};
  bool told = dwarf_frame_cfa(frame, &ops, &count) == 0 && count > 0;
  if (told) {
    const auto cfa = Evaluate(ops, count, machine, 0);
    told = cfa.has_value();
    if (told) caller.cfa = *cfa;
  }
  if (dwarf_frame_register(frame, 16, memory, &ops, &count) == 0) {
    answer.end = count == 0 && ops == memory;
    const auto at = count == 0 ? std::nullopt : Evaluate(ops, count, machine, caller.cfa);
    told = told && at.has_value();
    if (at) caller.address_at = *at;
  }
  caller.frame = machine.frame;
  if (dwarf_frame_register(frame, 6, memory, &ops, &count) == 0 && count > 0) {
    const auto at = Evaluate(ops, count, machine, caller.cfa);
    told = told && at.has_value();
    if (at) caller.frame = Machine::Stored(*at);
  }
  if (told) answer.caller = caller;
  std::free(frame);
  return answer;
}

struct Comparison {
  uint64_t addresses = 0;
  uint64_t same = 0;
  uint64_t not_told = 0;  // libdw knows, and the row does not say
  std::map<UnwindRule, uint64_t> rules;
};

// Every address of the file's code in steps of `step`, the table's own borders always.
Comparison Compare(const std::string& path, uint64_t step) {
  const FileHandle file = Open(path);
  const auto identity = ReadElfIdentity(file.get());
  EXPECT_TRUE(identity.ok()) << identity.status();
  SymbolCounters counters;
  const UnwindTable table = ReadUnwindTable(file.get(), identity->segments, {}, counters);
  EXPECT_TRUE(counters.empty());
  Comparison compared;
  if (table.rows.empty()) return compared;
  const ElfPointer elf = OpenElf(file.get());
  Dwarf_CFI* cfi = dwarf_getcfi_elf(elf.get());
  const auto compare = [&](uint64_t address) {
    const Machine machine{.address = 0x7f0000000000 + address,
                          .stack = 0x7ffd00001000 + address * 16,
                          .frame = 0x7ffd80001000 + address * 32};
    const UnwindRow* row = FindUnwindRow(table, address);
    const LibdwAnswer libdw = ByLibdw(cfi, machine, address);
    if (row == nullptr || !libdw.known) return;  // padding takes the rule of the code before it
    ++compared.addresses;
    ++compared.rules[row->rule];
    if (row->rule == UnwindRule::kNone && !libdw.end) {
      ++compared.not_told;
    } else if (libdw.end) {
      EXPECT_EQ(row->rule, UnwindRule::kEnd) << std::hex << address;
      compared.same += row->rule == UnwindRule::kEnd;
    } else {
      const bool same = libdw.caller && *libdw.caller == ByRow(*row, machine);
      EXPECT_TRUE(same) << path << " at " << std::hex << address << " rule "
                        << static_cast<int>(row->rule);
      compared.same += same;
    }
  };
  const uint64_t first = table.base + table.rows.front().address;
  const uint64_t last = table.base + table.rows.back().address;
  for (uint64_t address = first; address < last; address += step) compare(address);
  for (const UnwindRow& row : table.rows) compare(table.base + row.address);
  dwarf_cfi_end(cfi);
  return compared;
}

class UnwindTableOf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kHasUnwindTables) GTEST_SKIP() << "there are tables on x86-64 only";
  }
};

TEST_F(UnwindTableOf, ThePuppetSaysWhatLibdwSaysAtEveryAddress) {
  const Comparison compared = Compare(kPuppet, 1);
  EXPECT_GT(compared.addresses, 300u);
  EXPECT_EQ(compared.same, compared.addresses);
  EXPECT_GT(compared.rules.at(UnwindRule::kPlt), 0u);
  EXPECT_GT(compared.rules.at(UnwindRule::kEnd), 0u) << "_start is nobody's callee";
}

TEST_F(UnwindTableOf, TheCLibrarySaysWhatLibdwSaysAndLeavesNextToNothingOut) {
  const Comparison compared = Compare(CLibrary(), 7);
  EXPECT_GT(compared.addresses, 100000u);
  EXPECT_LT(compared.not_told * 100, compared.addresses);
  EXPECT_EQ(compared.same + compared.not_told, compared.addresses);
  EXPECT_GT(compared.rules.at(UnwindRule::kStack), 10000u);
  EXPECT_GT(compared.rules.at(UnwindRule::kFrame), 1000u);
  EXPECT_GT(compared.rules.at(UnwindRule::kSignal), 0u);
  EXPECT_GT(compared.rules.at(UnwindRule::kEnd), 0u);
}

TEST_F(UnwindTableOf, APartOfAFileThatHasMoreRowsIsCounted) {
  const FileHandle file = Open(CLibrary());
  SymbolCounters counters;
  const auto identity = ReadElfIdentity(file.get());
  const UnwindTable table =
      ReadUnwindTable(file.get(), identity->segments, {.max_rows = 1000}, counters);
  EXPECT_EQ(table.rows.size(), 1000u);
  EXPECT_EQ(counters["unwind_tables_cut"], 1u);
}

size_t RowsOf(const std::string& bytes, SymbolCounters& counters) {
  const FileHandle file = InMemory(bytes);
  const auto identity = ReadElfIdentity(file.get());
  // Else hundreds of children wait for idle CPUs, a second each on a busy machine.
  ReadingAccount account;
  account.Hurry();
  const UnwindLimits limits = {
      .max_cpu_seconds = 2, .max_wall_seconds = 60, .max_rows = 100000, .account = &account};
  const UnwindTable table =
      ReadUnwindTable(file.get(), identity.ok() ? identity->segments : std::vector<ModuleSegment>{},
                      limits, counters);
  for (size_t i = 1; i < table.rows.size(); ++i)
    EXPECT_LT(table.rows[i - 1].address, table.rows[i].address);
  return table.rows.size();
}

TEST_F(UnwindTableOf, WhatIsNoElfFileIsEmpty) {
  SymbolCounters counters;
  EXPECT_EQ(RowsOf("", counters), 0u);
  EXPECT_EQ(RowsOf(std::string(10000, 'x'), counters), 0u);
  EXPECT_TRUE(counters.empty());
}

TEST_F(UnwindTableOf, AFileCutOffAnywhereDoesNoHarm) {
  const std::string good = ReadFile(kPuppet);
  SymbolCounters counters;
  EXPECT_GT(RowsOf(good, counters), 10u);
  for (size_t part = 1; part < 40; ++part)
    RowsOf(good.substr(0, good.size() * part / 40), counters);
}

TEST_F(UnwindTableOf, AFileWithAnyBytesChangedDoesNoHarm) {
  const std::string good = ReadFile(kPuppet);
  const size_t tables =
      good.find(std::string("\x01\x1b\x03\x3b", 4));  // where .eh_frame_hdr begins
  ASSERT_NE(tables, std::string::npos);
  std::mt19937_64 random(1);
  SymbolCounters counters;
  size_t rows = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bad = good;
    const size_t first = round % 3 == 0 ? 0 : tables + 4;
    for (int i = 0; i < 20; ++i)
      bad[first + random() % std::min<size_t>(2000, bad.size() - first)] =
          static_cast<char>(random());
    rows += RowsOf(bad, counters);
  }
  EXPECT_GT(rows, 0u);
  for (const auto& [name, value] : counters) RecordProperty(name, std::to_string(value));
}

// The child may be in the hands of the file that it read.
// Of a program that runs, as a recorder reads it.
class KeptUnwindTable : public ::testing::Test {
 protected:
  struct Reading {
    UnwindTable table;
    bool by_a_child;
  };

  const Mapping& ProgramOf(const ProcessMaps& maps, const std::string& path) const {
    for (const Mapping& mapping : maps.mappings)
      if (mapping.path == path) return mapping;
    ADD_FAILURE() << path << " is not mapped";
    return maps.mappings.front();
  }

  Reading Read(const std::string& program) const {
    const Puppet puppet(program);
    EXPECT_TRUE(puppet.ready());
    const ProcessMaps maps = *ProcessCapture().Read(puppet.pid());
    DiskCache cache(temp_.path() + "/cache");
    SymbolCounters counters;
    ReadingAccount account;
    const UnwindTable table =
        ReadUnwindTable({}, maps, ProgramOf(maps, std::filesystem::canonical(program)),
                        {.account = &account}, counters, cache);
    EXPECT_TRUE(counters.empty());
    return {table, account.spent_ns() > 0};
  }

  const testing::TempDir temp_;
};

TEST_F(KeptUnwindTable, IsReadOnceOnly) {
  const Reading first = Read(kPuppet);
  EXPECT_TRUE(first.by_a_child);
  EXPECT_FALSE(first.table.rows.empty());
  const Reading second = Read(kPuppet);
  EXPECT_FALSE(second.by_a_child);
  EXPECT_EQ(second.table.base, first.table.base);
  EXPECT_EQ(second.table.rows, first.table.rows);
}

// A build-id is what a file says of itself.
TEST_F(KeptUnwindTable, IsNotSpoiltByAnotherFileOfTheSameBuildId) {
  const Reading honest = Read(kPuppet);
  std::string bytes = ReadFile(kPuppet);
  const FileHandle file = Open(kPuppet);
  const ElfPointer elf = OpenElf(file.get());
  GElf_Shdr header;
  ASSERT_NE(gelf_getshdr(FindSection(elf.get(), ".eh_frame_hdr"), &header), nullptr);
  bytes[header.sh_offset] = 9;  // a version that does not exist: it has no table
  const std::string lying = testing::WriteFile(temp_.path() + "/liar", bytes);
  ::chmod(lying.c_str(), 0700);
  const FileHandle opened = Open(lying);
  ASSERT_EQ(ReadElfIdentity(opened.get())->build_id, ReadElfIdentity(file.get())->build_id);
  EXPECT_TRUE(Read(lying).table.rows.empty());
  const Reading again = Read(lying);
  EXPECT_TRUE(again.table.rows.empty());
  EXPECT_FALSE(again.by_a_child);
  EXPECT_EQ(Read(kPuppet).table.rows, honest.table.rows);
}

TEST_F(KeptUnwindTable, IsReadAnewIfWhatWasKeptIsDamaged) {
  const Reading first = Read(kPuppet);
  for (const auto& entry : std::filesystem::directory_iterator(temp_.path() + "/cache")) {
    std::string bytes = ReadFile(entry.path());
    bytes[bytes.size() / 2] ^= 1;
    testing::WriteFile(entry.path(), bytes);
  }
  const Reading second = Read(kPuppet);
  EXPECT_TRUE(second.by_a_child);
  EXPECT_EQ(second.table.rows, first.table.rows);
  EXPECT_FALSE(Read(kPuppet).by_a_child);
}

TEST(PackedUnwindTable, IsUnpackedOnlyWithinTheRulesOfRows) {
  UnwindTable table{.base = 4096, .rows = {{.address = 1}, {.address = 2}}};
  const std::string good = PackUnwindTable(table);
  ASSERT_TRUE(UnpackUnwindTable(good, 2));
  EXPECT_EQ(UnpackUnwindTable(good, 2)->rows, table.rows);
  EXPECT_EQ(UnpackUnwindTable(good, 2)->base, 4096u);
  EXPECT_FALSE(UnpackUnwindTable(good, 1));
  for (size_t size = 0; size < good.size(); ++size) {
    const bool between_rows = size > 0 && size % sizeof(UnwindRow) == 0;
    EXPECT_EQ(UnpackUnwindTable(good.substr(0, size), 2).has_value(), between_rows) << size;
  }
  table.rows[1].address = 1;
  EXPECT_FALSE(UnpackUnwindTable(PackUnwindTable(table), 2)) << "not in order";
  table.rows[1] = {.address = 2, .rule = static_cast<UnwindRule>(kUnwindRules)};
  EXPECT_FALSE(UnpackUnwindTable(PackUnwindTable(table), 2)) << "no such rule";
}

TEST(UnwindRows, AreTakenOnlyWithinTheirRules) {
  const auto message = [](const std::vector<UnwindRow>& rows) {
    return std::string(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(UnwindRow));
  };
  const UnwindRow at_10{.address = 10, .cfa_words = 1, .rule = UnwindRule::kStack};
  const UnwindRow at_20{.address = 20};
  std::vector<UnwindRow> rows;
  EXPECT_TRUE(TakeUnwindRows(message({at_10}), 2, rows));
  EXPECT_FALSE(TakeUnwindRows(message({at_10}), 2, rows)) << "does not go on";
  EXPECT_FALSE(TakeUnwindRows(message({at_20, at_20}), 9, rows)) << "twice the same address";
  EXPECT_FALSE(TakeUnwindRows(message({at_20}).substr(1), 2, rows)) << "half a row";
  EXPECT_FALSE(TakeUnwindRows(message({at_20, {.address = 30}}), 2, rows)) << "too many";
  UnwindRow bad = at_20;
  bad.rule = static_cast<UnwindRule>(kUnwindRules);
  EXPECT_FALSE(TakeUnwindRows(message({bad}), 2, rows)) << "no such rule";
  EXPECT_THAT(rows, ::testing::ElementsAre(at_10)) << "nothing of a bad message";
  EXPECT_TRUE(TakeUnwindRows(message({at_20}), 2, rows));
  EXPECT_THAT(rows, ::testing::ElementsAre(at_10, at_20));
}

TEST(UnwindRows, HoldFromTheirAddressToTheNext) {
  const UnwindTable table{.base = 0x1000, .rows = {{.address = 16}, {.address = 32}}};
  EXPECT_EQ(FindUnwindRow(table, 0), nullptr);
  EXPECT_EQ(FindUnwindRow(table, 0x100f), nullptr);
  EXPECT_EQ(FindUnwindRow(table, 0x1010), &table.rows[0]);
  EXPECT_EQ(FindUnwindRow(table, 0x101f), &table.rows[0]);
  EXPECT_EQ(FindUnwindRow(table, 0x1020), &table.rows[1]);
  EXPECT_EQ(FindUnwindRow(table, UINT64_MAX), &table.rows[1]);
}

}  // namespace
}  // namespace gordian
