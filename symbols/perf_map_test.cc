// SPDX-License-Identifier: Apache-2.0
#include "symbols/perf_map.h"

#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gordian {
namespace {

std::string NameAt(const PerfMap& map, uint64_t address) {
  Frame frame;
  if (!map.Find(address, frame)) return "-";
  return frame.file.empty() ? frame.function : absl::StrCat(frame.function, " @ ", frame.file);
}

TEST(PerfMap, ReadsJavasNames) {
  const PerfMap map = PerfMap::Parse(
      "0x00007f1c00000400 0x0000000000000080 StubRoutines::forward exception\n"
      "7f1c00001000 200 java.lang.String java.util.HashMap.get(java.lang.Object)\n");
  EXPECT_EQ(NameAt(map, 0x7f1c00000400), "StubRoutines::forward exception");
  EXPECT_EQ(NameAt(map, 0x7f1c0000047f), "StubRoutines::forward exception");
  EXPECT_EQ(NameAt(map, 0x7f1c00000480), "-");
  EXPECT_EQ(NameAt(map, 0x7f1c00001001),
            "java.lang.String java.util.HashMap.get(java.lang.Object)");
  EXPECT_EQ(NameAt(map, 0), "-");
}

TEST(PerfMap, SplitsPythonsNamesIntoFunctionAndFile) {
  const PerfMap map = PerfMap::Parse(
      "1000 10 py::Server.handle:/srv/app: v2/server.py\n"
      "1010 10 py::<lambda>:<string>\n"
      "1020 10 py::no_file\n"
      "1030 10 py_trampoline\n");
  EXPECT_EQ(NameAt(map, 0x1000), "Server.handle @ /srv/app: v2/server.py");
  EXPECT_EQ(NameAt(map, 0x1010), "<lambda> @ <string>");
  EXPECT_EQ(NameAt(map, 0x1020), "py::no_file");
  EXPECT_EQ(NameAt(map, 0x1030), "py_trampoline");
}

TEST(PerfMap, BelievesTheLaterOfTwoEntriesThatOverlap) {
  const PerfMap map = PerfMap::Parse(
      "1000 100 old\n"
      "1040 20 inside\n"
      "1000 10 front\n"
      "10f0 20 across the end\n");
  EXPECT_EQ(NameAt(map, 0x1000), "front");
  EXPECT_EQ(NameAt(map, 0x1010), "old");
  EXPECT_EQ(NameAt(map, 0x1040), "inside");
  EXPECT_EQ(NameAt(map, 0x105f), "inside");
  EXPECT_EQ(NameAt(map, 0x1060), "old");
  EXPECT_EQ(NameAt(map, 0x10ef), "old");
  EXPECT_EQ(NameAt(map, 0x10f0), "across the end");
  EXPECT_EQ(NameAt(map, 0x1110), "-");
}

// The oracle: the last line that covers the address.
TEST(PerfMap, NamesEveryAddressByTheLastLineThatCoversIt) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    std::string expected[256];
    for (std::string& name : expected) name = "-";
    for (int line = 0; line < 40; ++line) {
      const unsigned start = random() % 200;
      const unsigned size = 1 + random() % 56;
      const std::string name = absl::StrCat("f", line);
      absl::StrAppendFormat(&text, "%x %x %s\n", start, size, name);
      for (unsigned at = start; at < start + size; ++at) expected[at] = name;
    }
    const PerfMap map = PerfMap::Parse(text);
    for (unsigned at = 0; at < 256; ++at) ASSERT_EQ(NameAt(map, at), expected[at]) << text;
  }
}

TEST(PerfMap, CountsLinesThatItCannotUnderstand) {
  const PerfMap map = PerfMap::Parse(
      "nonsense\n"
      "1000\n"
      "1000 10\n"
      "1000 10 \n"
      "1000 0 empty\n"
      "-1000 10 negative\n"
      "fffffffffffffff0 100 around the end\n"
      "10000000000000000 10 too large\n"
      "\n"
      "2000 10 good");
  EXPECT_EQ(map.malformed_lines(), 8u);
  EXPECT_EQ(map.entries(), 1u);
  EXPECT_EQ(NameAt(map, 0x2000), "good");
}

TEST(PerfMap, CutsLongNamesAndCountsWhatIsBeyondItsLimit) {
  std::string text = absl::StrCat("1 1 ", std::string(5000, 'n'), "\n");
  for (size_t i = 0; i < kMaxPerfMapEntries; ++i) absl::StrAppendFormat(&text, "%x 1 f\n", i + 2);
  const PerfMap map = PerfMap::Parse(text);
  EXPECT_EQ(map.entries(), kMaxPerfMapEntries);
  EXPECT_EQ(map.left_out(), 1u);
  EXPECT_EQ(NameAt(map, 1).size(), kMaxPerfMapNameBytes);
}

}  // namespace
}  // namespace gordian
