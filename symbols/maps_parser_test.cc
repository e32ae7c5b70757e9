// SPDX-License-Identifier: Apache-2.0
#include "symbols/maps_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(MapsParser, KeepsExecutableMappingsWithAllTheyTell) {
  const ParsedMaps parsed = ParseMaps(
      "555500000000-555500001000 r--p 00000000 fd:01 1234                       /usr/bin/cat\n"
      "555500001000-555500003000 r-xp 00001000 fd:01 1234                       /usr/bin/cat\n"
      "7fff00000000-7fff00021000 rw-p 00000000 00:00 0                          [stack]\n",
      100);
  ASSERT_THAT(parsed.mappings, SizeIs(1));
  const Mapping& mapping = parsed.mappings[0];
  EXPECT_EQ(mapping.start, 0x555500001000u);
  EXPECT_EQ(mapping.end, 0x555500003000u);
  EXPECT_EQ(mapping.file_offset, 0x1000u);
  EXPECT_EQ(mapping.device, makedev(0xfd, 1));
  EXPECT_EQ(mapping.inode, 1234u);
  EXPECT_EQ(mapping.kind, MappingKind::kFile);
  EXPECT_FALSE(mapping.deleted);
  EXPECT_EQ(mapping.path, "/usr/bin/cat");
  EXPECT_EQ(parsed.malformed_lines, 0u);
}

struct MappingCase {
  const char* name;
  uint64_t inode;
  MappingKind kind;
  bool deleted;
  const char* path;
};

TEST(MapsParser, UnderstandsEveryKindOfName) {
  const MappingCase cases[] = {
      {"", 0, MappingKind::kAnonymous, false, ""},
      {"[vdso]", 0, MappingKind::kVdso, false, "[vdso]"},
      {"[heap]", 0, MappingKind::kAnonymous, false, "[heap]"},
      {"[anon:dalvik-jit-code-cache]", 0, MappingKind::kAnonymous, false,
       "[anon:dalvik-jit-code-cache]"},
      {"/a b/c  d", 7, MappingKind::kFile, false, "/a b/c  d"},
      {"/a (deleted)", 7, MappingKind::kFile, true, "/a"},
      {"/a (deleted) (deleted)", 7, MappingKind::kFile, true, "/a (deleted)"},
      {"/new\\012line", 7, MappingKind::kFile, false, "/new\nline"},
      {"/memfd:jit (deleted)", 7, MappingKind::kFile, true, "/memfd:jit"},
      {"/dev/zero (deleted)", 7, MappingKind::kAnonymous, true, "/dev/zero"},
      {"/SYSV00000000 (deleted)", 7, MappingKind::kAnonymous, true, "/SYSV00000000"},
      {"anon_inode:[perf_event]", 7, MappingKind::kAnonymous, false, "anon_inode:[perf_event]"},
      {"\xff\xfe", 7, MappingKind::kFile, false, "\xff\xfe"},
  };
  for (const MappingCase& one : cases) {
    const ParsedMaps parsed = ParseMaps(
        absl::StrCat("1000-2000 r-xp 00000000 00:00 ", one.inode, "     ", one.name, "\n"), 10);
    ASSERT_THAT(parsed.mappings, SizeIs(1)) << one.name;
    EXPECT_EQ(parsed.mappings[0].kind, one.kind) << one.name;
    EXPECT_EQ(parsed.mappings[0].deleted, one.deleted) << one.name;
    EXPECT_EQ(parsed.mappings[0].path, one.path);
  }
}

TEST(MapsParser, CountsLinesThatItCannotUnderstand) {
  const std::string long_name(20000, 'x');
  for (const std::string& line : {
           std::string("x"),
           std::string("1000"),
           std::string("1000-"),
           std::string("1000-2000"),
           std::string("1000-2000 r-xp"),
           std::string("1000-2000 r-xp 0"),
           std::string("1000-2000 r-xp 0 00"),
           std::string("1000-2000 r-xp 0 00:00"),
           std::string("1000-2000 rx 0 00:00 0"),
           std::string("2000-1000 r-xp 0 00:00 0"),
           std::string("1000-1000 r-xp 0 00:00 0"),
           std::string("-1000-2000 r-xp 0 00:00 0"),
           std::string("1000-2000 r-xp 10000000000000000 00:00 0"),
           std::string("1000-2000 r-xp 0 100000000:00 0"),
           absl::StrCat("1000-2000 r-xp 0 00:00 1 /", long_name),
       }) {
    const ParsedMaps parsed = ParseMaps(line, 10);
    EXPECT_THAT(parsed.mappings, IsEmpty()) << line;
    EXPECT_EQ(parsed.malformed_lines, 1u) << line;
  }
}

TEST(MapsParser, TakesNoMappingOverAnotherOrBeforeIt) {
  const ParsedMaps parsed = ParseMaps(
      "1000-3000 r-xp 0 00:00 0\n2000-4000 r-xp 0 00:00 0\n500-600 r-xp 0 00:00 0\n"
      "3000-4000 r-xp 0 00:00 0\n",
      10);
  ASSERT_THAT(parsed.mappings, SizeIs(2));
  EXPECT_EQ(parsed.mappings[1].start, 0x3000u);
  EXPECT_EQ(parsed.malformed_lines, 2u);
}

TEST(MapsParser, CountsMappingsBeyondTheLimit) {
  std::string text;
  for (int i = 1; i <= 70000; ++i) absl::StrAppend(&text, i, "000-", i, "fff r-xp 0 00:00 0\n");
  const ParsedMaps parsed = ParseMaps(text, 65536);
  EXPECT_THAT(parsed.mappings, SizeIs(65536));
  EXPECT_EQ(parsed.left_out, 70000u - 65536u);
  EXPECT_EQ(parsed.malformed_lines, 0u);
}

}  // namespace
}  // namespace gordian
