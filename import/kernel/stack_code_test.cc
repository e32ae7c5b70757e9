// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/stack_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Addresses = std::vector<uint64_t>;

Mapping FileAt(uint64_t start, uint64_t end, const char* path) {
  return {.start = start, .end = end, .kind = MappingKind::kFile, .path = path};
}

std::vector<std::string> Paths(const TracedImage& image) {
  std::vector<std::string> paths;
  for (const Mapping& mapping : image.maps.mappings) paths.push_back(mapping.path);
  return paths;
}

TEST(KernelStacks, GivesEqualStacksOfAProcessOneNumber) {
  KernelStacks stacks;
  const Addresses kernel = {1, 2};
  const Addresses user = {3};
  EXPECT_EQ(stacks.Intern(7, 500, kernel, user), 1u);
  EXPECT_EQ(stacks.Intern(8, 600, kernel, user), 2u);
  EXPECT_EQ(stacks.Intern(7, 400, kernel, user), 1u);
  EXPECT_EQ(stacks[1].first_time_ns, 400u);
  EXPECT_THAT(stacks[1].record.kernel, ElementsAre(1, 2));
  EXPECT_THAT(stacks[1].record.user, ElementsAre(3));
}

TEST(KernelStacks, TellsAKernelsFrameFromAProgramsOfTheSameAddress) {
  KernelStacks stacks;
  const Addresses both = {1, 2};
  EXPECT_NE(stacks.Intern(0, 0, both, {}), stacks.Intern(0, 0, {}, both));
}

TEST(KernelStacks, SharesStacksOfTheKernelAloneAmongProcesses) {
  KernelStacks stacks;
  const Addresses kernel = {1};
  EXPECT_EQ(stacks.Intern(7, 0, kernel, {}), stacks.Intern(8, 0, kernel, {}));
  EXPECT_EQ(stacks.Intern(7, 0, {}, {}), 0u);
}

TEST(KernelStacks, CutsLongStacksAndCountsThoseBeyondItsRoom) {
  KernelStacks stacks;
  Addresses frames(1000);
  uint64_t kept = 0;
  for (uint64_t i = 0; kept * kMaxStackFrames < KernelStacks::kMaxFrames; ++i) {
    frames[0] = i;
    if (stacks.Intern(7, 0, frames, {}) == 0) break;
    ++kept;
  }
  EXPECT_THAT(stacks[1].record.kernel, SizeIs(kMaxStackFrames));
  EXPECT_EQ(kept, KernelStacks::kMaxFrames / kMaxStackFrames);
  EXPECT_EQ(stacks.dropped(), 1u);
}

TEST(CodeMap, KeepsOneImageBetweenTwoExecs) {
  CodeMap map;
  map.AddMapping(300, 7, FileAt(0x1000, 0x2000, "/new"));  // told before what came first
  map.NoteExec(200, 7);
  map.AddMapping(100, 7, FileAt(0x1000, 0x2000, "/old"));
  const auto images = map.ImagesOf({7});
  ASSERT_THAT(images.at(7), SizeIs(2));
  EXPECT_THAT(Paths(images.at(7)[0]), ElementsAre("/old"));
  EXPECT_THAT(Paths(images.at(7)[1]), ElementsAre("/new"));
  EXPECT_EQ(images.at(7)[1].begin_ns, 200u);
}

TEST(CodeMap, GivesAChildWhatItsParentHadMapped) {
  CodeMap map;
  map.AddMapping(100, 7, FileAt(0x1000, 0x2000, "/parent"));
  map.NoteFork(200, 8, 7);
  map.AddMapping(300, 7, FileAt(0x3000, 0x4000, "/later"));
  EXPECT_THAT(Paths(map.ImagesOf({8}).at(8)[0]), ElementsAre("/parent"));
  EXPECT_THAT(map.ImagesOf({9}), IsEmpty());
}

TEST(CodeMap, LetsALaterMappingTakeTheOldOnesPlace) {
  CodeMap map;
  map.AddMapping(100, 7, FileAt(0x1000, 0x4000, "/whole"));
  map.AddMapping(200, 7, FileAt(0x2000, 0x3000, "/part"));
  const auto images = map.ImagesOf({7});
  const std::vector<Mapping>& mappings = images.at(7)[0].maps.mappings;
  ASSERT_THAT(mappings, SizeIs(2));
  EXPECT_EQ(mappings[0].end, 0x2000u);
  EXPECT_EQ(mappings[1].path, "/part");
}

TEST(CodeMap, NamesThePlaceOfAnAddressInTheKernel) {
  CodeMap map;
  map.AddKernelMapping(0x1000, 0x2000, "[kernel.kallsyms]_text");
  map.AddKernelMapping(0x5000, 0x6000, "/lib/modules/6.1/kernel/fs/nls/nls-utf8.ko.xz");
  map.AddKernelFunction(0x7000, 0x7100, "bpf_prog_1_count");
  EXPECT_EQ(map.KernelPlace(0x1010).module, "[kernel]");
  EXPECT_EQ(map.KernelPlace(0x1010).module_offset, 0x10u);
  EXPECT_EQ(map.KernelPlace(0x5020).module, "[nls_utf8]");
  EXPECT_EQ(map.KernelPlace(0x7010).frames[0].function, "bpf_prog_1_count");
  EXPECT_EQ(map.KernelPlace(0x9000).module_offset, 0x9000u);
}

TEST(NameStacks, KeepsModuleAndPlaceOfCodeWhoseFileIsNotHere) {
  KernelCode code;
  code.map.AddMapping(100, 7, FileAt(0x1000, 0x2000, "/none/program"));
  code.stacks.Intern(7, 200, {}, Addresses{0x1010, 0x9000});
  const pb::Symbols symbols = NameStacks(code, {});
  ASSERT_EQ(symbols.stacks_size(), 1);
  ASSERT_EQ(symbols.stacks(0).user_size(), 2);
  const pb::SymbolFrame& inner = symbols.frames(static_cast<int>(symbols.stacks(0).user(0)));
  EXPECT_EQ(symbols.text(static_cast<int>(inner.module())), "/none/program");
  EXPECT_EQ(inner.module_offset(), 0x10u);
  // A return address stands behind its call.
  const pb::SymbolFrame& outer = symbols.frames(static_cast<int>(symbols.stacks(0).user(1)));
  EXPECT_EQ(symbols.text(static_cast<int>(outer.module())), "");
  EXPECT_EQ(outer.module_offset(), 0x8fffu);
  ASSERT_EQ(symbols.processes_size(), 1);
  EXPECT_EQ(symbols.processes(0).tgid(), 7);
}

}  // namespace
}  // namespace gordian
