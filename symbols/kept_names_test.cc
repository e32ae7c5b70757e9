// SPDX-License-Identifier: Apache-2.0
// Names that were found once are found again without a look into the files: only the right ones,
// and only what may be believed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "symbols/cached_names.pb.h"
#include "symbols/elf_identity.h"
#include "symbols/file_tree.h"
#include "symbols/function_list.h"
#include "symbols/module_files.h"
#include "symbols/module_reader.h"
#include "symbols/symbols.h"
#include "symbols/test_puppet.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::IsEmpty;
using testing::ReadFile;
using ::testing::SizeIs;
using testing::TempDir;
using testing::WriteFile;

class KeptNames : public ::testing::Test {
 protected:
  struct Answer {
    ResolvedAddress resolved;
    int64_t cpu_ns;  // of children
    std::string Name() const {
      return resolved.frames.empty() ? "" : resolved.frames.back().function;
    }
  };

  // As a recording of its own would name it.
  Answer NameIn(const std::string& program, const std::string& function) const {
    const Puppet puppet(program);
    EXPECT_TRUE(puppet.ready());
    const ProcessMaps maps = *ProcessCapture().Read(puppet.pid());
    const uint64_t address = puppet.AddressIn(function);
    ReadingAccount account;
    SymbolLimits limits;
    limits.debug_folder = folder_ / "debug";
    limits.account = &account;
    Symbolizer symbolizer({.cache = folder_ / "cache"}, limits);
    ResolvedAddress resolved = symbolizer.Resolve(maps, std::span(&address, 1)).front();
    return {std::move(resolved), account.spent_ns()};
  }

  std::string WithoutDwarf() const {
    const std::string path = folder_ / "puppet";
    std::filesystem::copy(kPuppet, path);
    const std::string command = absl::StrCat(GORDIAN_STRIP, " -g ", path);
    EXPECT_EQ(std::system(command.c_str()), 0);
    return path;
  }

  const TempDir folder_;
};

TEST_F(KeptNames, AreNotReadAgainWithLinesAndInlinedFunctions) {
  const Answer first = NameIn(kPuppet, "inlined");
  EXPECT_GT(first.cpu_ns, 0);
  EXPECT_THAT(first.resolved.frames, SizeIs(3));
  const Answer second = NameIn(kPuppet, "inlined");
  EXPECT_EQ(second.cpu_ns, 0);
  EXPECT_EQ(second.resolved.frames, first.resolved.frames);
}

TEST_F(KeptNames, TellNewAddressesWithoutAReaderWhereThereIsNoDwarf) {
  const std::string program = WithoutDwarf();
  EXPECT_GT(NameIn(program, "inlined").cpu_ns, 0);
  const Answer other = NameIn(program, "lines");
  EXPECT_EQ(other.Name(), "PuppetLines");
  EXPECT_EQ(other.cpu_ns, 0);
}

TEST_F(KeptNames, TellNewAddressesOfMangledFunctions) {
  const std::string program = WithoutDwarf();
  EXPECT_EQ(NameIn(program, "lines").Name(), "PuppetLines");
  EXPECT_EQ(NameIn(program, "inlined").Name(),
            "void* knots::Outer<int>(std::vector<int, std::allocator<int> > const&)");
}

TEST_F(KeptNames, OfAddressesWithoutANameAreKeptToo) {
  const std::string program = folder_ / "puppet";
  std::filesystem::copy(kPuppet, program);
  ASSERT_EQ(std::system(absl::StrCat(GORDIAN_STRIP, " ", program).c_str()), 0);
  EXPECT_EQ(NameIn(program, "lines").Name(), "");
  for (const char* function : {"lines", "inlined"}) {
    const Answer second = NameIn(program, function);
    EXPECT_EQ(second.Name(), "");
    EXPECT_EQ(second.cpu_ns, 0) << function;
  }
}

TEST_F(KeptNames, AreReadAnewWhenADebugFileHasComeSince) {
  const std::string program = folder_ / "puppet";
  std::filesystem::copy(kPuppet, program);
  ASSERT_EQ(std::system(absl::StrCat(GORDIAN_STRIP, " ", program).c_str()), 0);
  EXPECT_EQ(NameIn(program, "lines").Name(), "");
  const std::string build_id = ReadElfIdentity(OpenRegularFile(program)->handle.get())->build_id;
  const std::filesystem::path place = BuildIdPath(folder_ / "debug", build_id);
  std::filesystem::create_directories(place.parent_path());
  ASSERT_EQ(
      std::system(absl::StrCat(GORDIAN_OBJCOPY, " --only-keep-debug ", kPuppet, " ", place.string())
                      .c_str()),
      0);
  EXPECT_EQ(NameIn(program, "lines").Name(), "PuppetLines");
}

// The liar has the build-id of another program, and other names in it.
TEST_F(KeptNames, AreNotSpoiltByAnotherFileOfTheSameBuildId) {
  std::string bytes = ReadFile(kPuppet);
  for (size_t at = bytes.find("PuppetLines"); at != bytes.npos; at = bytes.find("PuppetLines", at))
    bytes.replace(at, 11, "PuppetLying");
  const std::string liar = WriteFile(folder_ / "liar", bytes);
  ::chmod(liar.c_str(), 0700);
  ASSERT_EQ(ReadElfIdentity(OpenRegularFile(liar)->handle.get())->build_id,
            ReadElfIdentity(OpenRegularFile(kPuppet)->handle.get())->build_id);
  // From one recording to the next …
  EXPECT_EQ(NameIn(liar, "lines").Name(), "PuppetLying");
  EXPECT_EQ(NameIn(kPuppet, "lines").Name(), "PuppetLines");
  EXPECT_EQ(NameIn(liar, "lines").Name(), "PuppetLying");
  // … and in one.
  const Puppet lying(liar);
  const Puppet honest(kPuppet);
  const ProcessMaps lying_maps = *ProcessCapture().Read(lying.pid());
  const ProcessMaps honest_maps = *ProcessCapture().Read(honest.pid());
  const uint64_t lying_address = lying.AddressIn("lines");
  const uint64_t honest_address = honest.AddressIn("lines");
  const ProcessAddresses questions[] = {{&lying_maps, std::span(&lying_address, 1)},
                                        {&honest_maps, std::span(&honest_address, 1)}};
  const auto answers = Symbolizer().Resolve(questions);
  EXPECT_EQ(answers[0][0].frames.back().function, "PuppetLying");
  EXPECT_EQ(answers[1][0].frames.back().function, "PuppetLines");
}

TEST_F(KeptNames, AreReadAnewIfTheyAreDamaged) {
  const Answer first = NameIn(kPuppet, "lines");
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "cache")) {
    std::string bytes = ReadFile(entry.path());
    bytes.resize(bytes.size() - 1);
    WriteFile(entry.path(), bytes);
  }
  const Answer second = NameIn(kPuppet, "lines");
  EXPECT_GT(second.cpu_ns, 0);
  EXPECT_EQ(second.resolved.frames, first.resolved.frames);
}

TEST(PackedAnswers, AreUnpackedOnlyWithinTheirRules) {
  const Offsets good = {
      {16, {.frames = {{.function = "f", .file = "a.c", .line = 7, .inlined = true}, {}}}},
      {32, {.spins = true}}};
  const auto unpacked = UnpackAnswers(PackAnswers(good), 2);
  ASSERT_TRUE(unpacked);
  ASSERT_THAT(*unpacked, SizeIs(2));
  EXPECT_EQ(unpacked->at(16).frames, good.at(16).frames);
  EXPECT_TRUE(unpacked->at(32).spins);
  EXPECT_THAT(unpacked->at(32).frames, IsEmpty());

  EXPECT_FALSE(UnpackAnswers(PackAnswers(good), 1)) << "more frames than are kept";
  EXPECT_FALSE(UnpackAnswers("\xff\xff\xff", 2));
  pb::CachedNames bad;
  bad.add_strings("");
  bad.add_places()->add_frames()->set_function(1);
  EXPECT_FALSE(UnpackAnswers(bad.SerializeAsString(), 2)) << "no such string";
  EXPECT_FALSE(
      UnpackAnswers(PackAnswers({{1, {.frames = {{.function = std::string(5000, 'x')}}}}}), 2))
      << "too long a name";
}

pb::FunctionList TwoFunctions() {
  pb::FunctionList list;
  list.set_format(kFunctionListFormat);
  list.add_address_steps(0x1000);
  list.add_address_steps(0x10);
  list.add_size_bytes(0x100);
  list.add_size_bytes(8);
  list.add_name_bytes(5);
  list.add_name_bytes(3);
  list.set_names("outerin1");
  return list;
}

TEST(FunctionList, KnowsTheInnermostFunctionOfAnAddress) {
  const auto list = FunctionList::Parse(TwoFunctions().SerializeAsString());
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->is_enough());
  EXPECT_EQ(list->NameAt(0xfff), "");
  EXPECT_EQ(list->NameAt(0x1000), "outer");
  EXPECT_EQ(list->NameAt(0x1010), "in1");
  EXPECT_EQ(list->NameAt(0x1018), "outer");
  EXPECT_EQ(list->NameAt(0x1100), "");
  EXPECT_EQ(list->NameAt(UINT64_MAX), "");
}

TEST(FunctionList, IsTakenOnlyWithinItsRules) {
  const auto taken = [](const pb::FunctionList& list) {
    return FunctionList::Parse(list.SerializeAsString()).has_value();
  };
  ASSERT_TRUE(taken(TwoFunctions()));
  pb::FunctionList bad = TwoFunctions();
  bad.add_address_steps(1);
  EXPECT_FALSE(taken(bad)) << "no size";
  bad = TwoFunctions();
  bad.set_address_steps(1, 0);
  EXPECT_FALSE(taken(bad)) << "two at one address";
  bad = TwoFunctions();
  bad.set_address_steps(1, UINT64_MAX);
  EXPECT_FALSE(taken(bad)) << "beyond the last address";
  bad = TwoFunctions();
  bad.set_names("outer");
  EXPECT_FALSE(taken(bad)) << "a name that is not there";
  bad = TwoFunctions();
  bad.set_names("outerin12");
  EXPECT_FALSE(taken(bad)) << "a part of no name";
  bad = TwoFunctions();
  bad.set_name_bytes(1, UINT32_MAX);
  EXPECT_FALSE(taken(bad)) << "too long a name";
  bad = TwoFunctions();
  bad.set_size_bytes(1, UINT64_MAX);
  EXPECT_TRUE(taken(bad)) << "to the last address";
  EXPECT_FALSE(FunctionList::Parse("\xff\xff\xff"));
}

}  // namespace
}  // namespace gordian
