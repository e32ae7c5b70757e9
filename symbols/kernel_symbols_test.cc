// SPDX-License-Identifier: Apache-2.0
#include "symbols/kernel_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbols/symbols.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TempDir;
using testing::WriteFile;

constexpr char kSymbols[] =
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81001000 t __pi_memcpy\n"
    "ffffffff81001000 T memcpy\n"
    "ffffffff81001100 W schedule.isra.0\n"
    "ffffffff81001180 D some_data\n"
    "ffffffff81002000 T _etext\n"
    "ffffffffc0001000 t ext4_sync_file\t[ext4]\n"
    "ffffffffc0001200 t ext4_release_file\t[ext4]\n"
    "ffffffffc0100000 t bpf_prog_6deef7357e7b4530_on_switch\t[bpf]\n";

std::string TextAt(const KernelSymbols& symbols, uint64_t address) {
  ResolvedAddress resolved;
  if (!symbols.Find(address, resolved)) return "-";
  return resolved.frames.front().function + " " + resolved.module + " " +
         std::to_string(resolved.module_offset);
}

TEST(KernelSymbols, NameTheKernelAndItsModules) {
  const KernelSymbols symbols = KernelSymbols::Parse(kSymbols);
  EXPECT_EQ(TextAt(symbols, 0xffffffff81001010), "memcpy [kernel] 4112");
  EXPECT_EQ(TextAt(symbols, 0xffffffff81001190), "schedule [kernel] 4496");
  EXPECT_EQ(TextAt(symbols, 0xffffffffc0001001), "ext4_sync_file [ext4] 1");
  EXPECT_EQ(TextAt(symbols, 0xffffffffc0001200), "ext4_release_file [ext4] 512");
  EXPECT_EQ(TextAt(symbols, 0xffffffffc0100010), "bpf_prog_6deef7357e7b4530_on_switch [bpf] 16");
}

TEST(KernelSymbols, NameNothingFarFromAFunction) {
  const KernelSymbols symbols = KernelSymbols::Parse(kSymbols);
  EXPECT_EQ(TextAt(symbols, 0x1000), "-");
  EXPECT_EQ(TextAt(symbols, 0xffffffff90000000), "-");
  EXPECT_EQ(TextAt(symbols, 0xffffffffffffffff), "-");
}

TEST(KernelSymbols, CountLinesThatTheyCannotUnderstand) {
  const KernelSymbols symbols =
      KernelSymbols::Parse("zz\nffff\nffff T\nffff T \nffff Tx y\n1000 T good\n");
  EXPECT_EQ(symbols.malformed_lines(), 5u);
  EXPECT_EQ(symbols.size(), 1u);
}

TEST(Symbolizer, TellsHowToSeeTheKernelsNamesWhereItHidesThem) {
  const TempDir folder;
  WriteFile(folder / "kallsyms",
            "0000000000000000 T _text\n0000000000000000 t schedule\n0000000000000000 D data\n");
  Symbolizer symbolizer({.proc = folder.path()});
  const uint64_t addresses[] = {0xffffffff81000000, 0xffffffff81000001};
  const std::vector<ResolvedAddress> resolved = symbolizer.ResolveKernel(addresses);
  EXPECT_THAT(resolved[0].frames, IsEmpty());
  EXPECT_EQ(resolved[0].module, "[kernel]");
  EXPECT_THAT(symbolizer.notes(), ElementsAre(HasSubstr("kernel.kptr_restrict")));
  EXPECT_EQ(symbolizer.counters().at("symbols_addresses_unnamed"), 2u);
}

TEST(Symbolizer, TellsWhereTheKernelHasNoNames) {
  const TempDir folder;
  Symbolizer symbolizer({.proc = folder.path()});
  const uint64_t address = 0xffffffff81000000;
  EXPECT_THAT(symbolizer.ResolveKernel(std::span(&address, 1)).front().frames, IsEmpty());
  EXPECT_THAT(symbolizer.notes(), ElementsAre(HasSubstr("/proc/kallsyms")));
}

}  // namespace
}  // namespace gordian
