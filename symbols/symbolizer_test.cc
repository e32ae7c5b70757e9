// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "symbols/elf_identity.h"
#include "symbols/file_tree.h"
#include "symbols/module_files.h"
#include "symbols/symbols.h"
#include "symbols/test_puppet.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::TempDir;

constexpr char kStaticPuppet[] = GORDIAN_TEST_PROGRAMS "/symbols_puppet_static";
constexpr char kPlugin[] = GORDIAN_TEST_PROGRAMS "/libsymbols_puppet_plugin.so";

ProcessMaps Capture(pid_t pid) {
  ProcessCapture capture;
  absl::StatusOr<ProcessMaps> maps = capture.Read(pid);
  EXPECT_TRUE(maps.ok()) << maps.status();
  return maps.ok() ? *std::move(maps) : ProcessMaps();
}

ResolvedAddress ResolveOne(Symbolizer& symbolizer, const ProcessMaps& maps, uint64_t address) {
  return symbolizer.Resolve(maps, std::span(&address, 1)).front();
}

ResolvedAddress ResolveOne(const ProcessMaps& maps, uint64_t address) {
  Symbolizer symbolizer;
  return ResolveOne(symbolizer, maps, address);
}

void RunCommand(const std::string& command) {
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

// "function file:line", with "inlined" where it is, the file without its folder.
std::vector<std::string> Texts(const ResolvedAddress& resolved) {
  std::vector<std::string> texts;
  for (const Frame& frame : resolved.frames) {
    texts.push_back(absl::StrCat(frame.function, " ", frame.file.substr(frame.file.rfind('/') + 1),
                                 ":", frame.line, frame.inlined ? " inlined" : ""));
  }
  return texts;
}

constexpr char kOuter[] = "void* knots::Outer<int>(std::vector<int, std::allocator<int> > const&)";

void ExpectInlinedFrames(const ResolvedAddress& resolved) {
  EXPECT_THAT(Texts(resolved),
              ElementsAre(absl::StrCat("knots::Innermost() inlined.cc:",
                                       MarkedLine("inlined.cc", "innermost"), " inlined"),
                          absl::StrCat("knots::Middle() inlined.cc:",
                                       MarkedLine("inlined.cc", "middle"), " inlined"),
                          absl::StrCat(kOuter, " inlined.cc:", MarkedLine("inlined.cc", "outer"))));
}

void ExpectLines(const ResolvedAddress& resolved) {
  EXPECT_THAT(Texts(resolved),
              ElementsAre(absl::StrCat("PuppetLines lines.c:", MarkedLine("lines.c", "lines"))));
}

TEST(Symbolizer, NamesFunctionFileAndLineInC) {
  const Puppet puppet(kPuppet);
  ASSERT_TRUE(puppet.ready());
  const ResolvedAddress resolved = ResolveOne(Capture(puppet.pid()), puppet.AddressIn("lines"));
  ExpectLines(resolved);
  EXPECT_EQ(resolved.module, std::filesystem::canonical(kPuppet));
}

TEST(Symbolizer, NamesInlinedFunctionsInnermostFirst) {
  const Puppet puppet(kPuppet);
  ASSERT_TRUE(puppet.ready());
  ExpectInlinedFrames(ResolveOne(Capture(puppet.pid()), puppet.AddressIn("inlined")));
}

TEST(Symbolizer, NamesAProgramAtFixedAddresses) {
  const Puppet puppet(kStaticPuppet);
  ASSERT_TRUE(puppet.ready());
  const ProcessMaps maps = Capture(puppet.pid());
  ExpectLines(ResolveOne(maps, puppet.AddressIn("lines")));
  ExpectInlinedFrames(ResolveOne(maps, puppet.AddressIn("inlined")));
}

TEST(Symbolizer, NamesALibraryThatWasLoadedLater) {
  const Puppet puppet(kPuppet, {kPlugin});
  ASSERT_TRUE(puppet.ready());
  const ResolvedAddress resolved = ResolveOne(Capture(puppet.pid()), puppet.AddressIn("plugin"));
  EXPECT_THAT(Texts(resolved), ElementsAre(absl::StrCat("PuppetPlugin plugin.cc:",
                                                        MarkedLine("plugin.cc", "plugin"))));
  EXPECT_THAT(resolved.module, EndsWith("/libsymbols_puppet_plugin.so"));
}

TEST(Symbolizer, NamesAProcessThatIsGone) {
  Puppet puppet(kPuppet);
  ASSERT_TRUE(puppet.ready());
  const ProcessMaps maps = Capture(puppet.pid());
  const uint64_t address = puppet.AddressIn("lines");
  puppet.Stop();
  ExpectLines(ResolveOne(maps, address));
}

TEST(Symbolizer, NamesAProgramWhoseFileWasDeletedEvenAfterItsEnd) {
  const TempDir folder;
  std::filesystem::copy(kPuppet, folder / "puppet");
  Puppet puppet(folder / "puppet");
  ASSERT_TRUE(puppet.ready());
  std::filesystem::remove(folder / "puppet");
  ProcessCapture capture;
  const absl::StatusOr<ProcessMaps> maps = capture.Read(puppet.pid());
  ASSERT_TRUE(maps.ok());
  if (capture.counters().contains("symbols_files_unreadable")) {
    GTEST_SKIP() << "/proc/PID/map_files cannot be read here (it takes root)";
  }
  ExpectLines(ResolveOne(*maps, puppet.AddressIn("lines")));
  const uint64_t address = puppet.AddressIn("inlined");
  puppet.Stop();
  ExpectInlinedFrames(ResolveOne(*maps, address));
}

TEST(Symbolizer, NeverNamesByAnotherFileThatTookTheName) {
  const TempDir folder;
  std::filesystem::copy(kPuppet, folder / "puppet");
  Puppet puppet(folder / "puppet");
  ASSERT_TRUE(puppet.ready());
  const ProcessMaps maps = Capture(puppet.pid());
  const uint64_t address = puppet.AddressIn("lines");
  puppet.Stop();
  std::filesystem::remove(folder / "puppet");
  std::filesystem::copy(kStaticPuppet, folder / "puppet");
  Symbolizer symbolizer;
  EXPECT_THAT(ResolveOne(symbolizer, maps, address).frames, IsEmpty());
  EXPECT_EQ(symbolizer.counters().at("symbols_modules_without_file"), 1u);
  EXPECT_EQ(symbolizer.counters().at("symbols_addresses_unnamed"), 1u);
}

TEST(Symbolizer, FindsFilesInTheRootOfTheProcess) {
  if (!Puppet::CanHaveItsOwnRoot())
    GTEST_SKIP() << "a container takes root, and no chroot around the test";
  const TempDir root;
  std::filesystem::copy(kStaticPuppet, root / "puppet");
  RunCommand(absl::StrCat(GORDIAN_STRIP, " ", root / "puppet"));
  std::filesystem::create_directory(root / ".debug");
  std::filesystem::copy(kStaticPuppet, root / ".debug/full");
  RunCommand(absl::StrCat("cd ", root.path(), " && ", GORDIAN_OBJCOPY,
                          " --add-gnu-debuglink=.debug/full puppet"));
  Puppet puppet("/puppet", {}, root.path());
  ASSERT_TRUE(puppet.ready());
  const ProcessMaps maps = Capture(puppet.pid());
  const ResolvedAddress resolved = ResolveOne(maps, puppet.AddressIn("inlined"));
  ExpectInlinedFrames(resolved);
  EXPECT_THAT(resolved.module,
              EndsWith("/puppet"));  // below our own root's name if that is a chroot
}

// ---- Separate debug files ----

class StrippedPuppet : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(kPuppet, folder_ / "puppet");
    RunCommand(absl::StrCat(GORDIAN_OBJCOPY, " --only-keep-debug ", folder_ / "puppet", " ",
                            folder_ / "puppet.debug"));
    RunCommand(absl::StrCat(GORDIAN_STRIP, " ", folder_ / "puppet"));
  }
  SymbolLimits Limits() const {
    SymbolLimits limits;
    limits.debug_folder = folder_ / "debug";
    return limits;
  }
  std::string BuildId() const {
    return ReadElfIdentity(OpenRegularFile(folder_ / "puppet")->handle.get())->build_id;
  }

  const TempDir folder_;
};

TEST_F(StrippedPuppet, HasNoNamesByItself) {
  const Puppet puppet(folder_ / "puppet");
  ASSERT_TRUE(puppet.ready());
  Symbolizer symbolizer({}, Limits());
  EXPECT_THAT(ResolveOne(symbolizer, Capture(puppet.pid()), puppet.AddressIn("lines")).frames,
              IsEmpty());
  EXPECT_EQ(symbolizer.counters().at("symbols_addresses_unnamed"), 1u);
}

TEST_F(StrippedPuppet, IsNamedByTheDebugFileOfItsBuildId) {
  const std::filesystem::path place = BuildIdPath(folder_ / "debug", BuildId());
  std::filesystem::create_directories(place.parent_path());
  std::filesystem::rename(folder_ / "puppet.debug", place);
  Puppet puppet(folder_ / "puppet");
  ASSERT_TRUE(puppet.ready());
  const ProcessMaps maps = Capture(puppet.pid());
  const uint64_t lines = puppet.AddressIn("lines");
  Symbolizer symbolizer({}, Limits());
  ExpectInlinedFrames(ResolveOne(symbolizer, maps, puppet.AddressIn("inlined")));

  // The debug file is enough.
  puppet.Stop();
  std::filesystem::remove(folder_ / "puppet");
  ExpectLines(ResolveOne(symbolizer, maps, lines));
}

TEST_F(StrippedPuppet, IsNamedByTheFileOfItsDebugLinkInEveryUsualPlace) {
  RunCommand(absl::StrCat("cd ", folder_.path(), " && ", GORDIAN_OBJCOPY,
                          " --add-gnu-debuglink=puppet.debug puppet"));
  const Puppet puppet(folder_ / "puppet");
  ASSERT_TRUE(puppet.ready());
  const ProcessMaps maps = Capture(puppet.pid());
  std::string last = folder_ / "puppet.debug";
  for (const std::string& place :
       {folder_ / "puppet.debug", folder_ / ".debug/puppet.debug",
        absl::StrCat(folder_ / "debug", folder_.path(), "/puppet.debug")}) {
    std::filesystem::create_directories(std::filesystem::path(place).parent_path());
    std::filesystem::rename(last, place);
    last = place;
    Symbolizer symbolizer({}, Limits());
    ExpectLines(ResolveOne(symbolizer, maps, puppet.AddressIn("lines")));
  }
}

TEST_F(StrippedPuppet, IsNotNamedByTheDebugFileOfAnotherBuild) {
  RunCommand(absl::StrCat("cd ", folder_.path(), " && ", GORDIAN_OBJCOPY,
                          " --add-gnu-debuglink=puppet.debug puppet"));
  std::filesystem::copy(kPlugin, folder_ / "puppet.debug",
                        std::filesystem::copy_options::overwrite_existing);
  const Puppet puppet(folder_ / "puppet");
  ASSERT_TRUE(puppet.ready());
  Symbolizer symbolizer({}, Limits());
  EXPECT_THAT(ResolveOne(symbolizer, Capture(puppet.pid()), puppet.AddressIn("lines")).frames,
              IsEmpty());
}

TEST_F(StrippedPuppet, IsNamedByTheSmallSymbolTableThatSomeDistributionsLeave) {
  RunCommand(absl::StrCat("cd ", folder_.path(), " && cp ", kPuppet, " mini && ", GORDIAN_OBJCOPY,
                          " -S --keep-symbol=PuppetLines mini && xz mini && ", GORDIAN_OBJCOPY,
                          " --add-section .gnu_debugdata=mini.xz puppet"));
  const Puppet puppet(folder_ / "puppet");
  ASSERT_TRUE(puppet.ready());
  Symbolizer symbolizer({}, Limits());
  EXPECT_THAT(Texts(ResolveOne(symbolizer, Capture(puppet.pid()), puppet.AddressIn("lines"))),
              ElementsAre("PuppetLines :0"));
}

// ---- This process and its libraries ----

TEST(Symbolizer, NamesThisProcessAndTheCLibrary) {
  const ProcessMaps maps = Capture(::getpid());
  const std::vector<uint64_t> addresses = {
      reinterpret_cast<uint64_t>(&MarkedLine),
      reinterpret_cast<uint64_t>(::dlsym(RTLD_DEFAULT, "getpid")),
      reinterpret_cast<uint64_t>(&MarkedLine)};
  Symbolizer symbolizer;
  const std::vector<ResolvedAddress> resolved = symbolizer.Resolve(maps, addresses);
  ASSERT_THAT(resolved, SizeIs(3));
  ASSERT_FALSE(resolved[0].frames.empty());
  EXPECT_THAT(resolved[0].frames.back().function, StartsWith("gordian::MarkedLine("));
  EXPECT_THAT(resolved[0].frames.back().file, EndsWith("test_puppet.cc"));
  EXPECT_EQ(resolved[2].frames, resolved[0].frames);
  ASSERT_FALSE(resolved[1].frames.empty());
  EXPECT_THAT(resolved[1].frames.back().function, AnyOf("getpid", "___interceptor_getpid"));
  EXPECT_THAT(symbolizer.counters(), IsEmpty());
}

TEST(Symbolizer, NamesTheKernelsOwnCodeInAProcess) {
  const auto vdso = static_cast<uint64_t>(::getauxval(AT_SYSINFO_EHDR));
  if (vdso == 0) GTEST_SKIP() << "this kernel gives its processes no vDSO";
  const ProcessMaps maps = Capture(::getpid());
  std::vector<uint64_t> addresses;
  for (const Mapping& mapping : maps.mappings) {
    if (mapping.kind != MappingKind::kVdso) continue;
    for (uint64_t at = mapping.start; at < mapping.end; at += 16) addresses.push_back(at);
  }
  ASSERT_FALSE(addresses.empty());
  Symbolizer symbolizer;
  std::vector<std::string> names;
  for (const ResolvedAddress& resolved : symbolizer.Resolve(maps, addresses)) {
    EXPECT_EQ(resolved.module, "[vdso]");
    if (!resolved.frames.empty()) names.push_back(resolved.frames.back().function);
  }
  EXPECT_THAT(names, ::testing::Contains(HasSubstr("clock_gettime")));
}

TEST(Symbolizer, ReadsAFileOnceForAllProcesses) {
  const Puppet one(kPuppet);
  const Puppet two(kPuppet);
  ASSERT_TRUE(one.ready() && two.ready());
  const ProcessMaps maps[] = {Capture(one.pid()), Capture(two.pid())};
  const uint64_t addresses[] = {one.AddressIn("lines"), two.AddressIn("inlined")};
  const ProcessAddresses processes[] = {{&maps[0], std::span(addresses, 1)},
                                        {&maps[1], std::span(addresses + 1, 1)}};
  SymbolLimits limits;
  Symbolizer symbolizer({}, limits);
  const auto resolved = symbolizer.Resolve(processes);
  ASSERT_THAT(resolved, SizeIs(2));
  ExpectLines(resolved[0][0]);
  ExpectInlinedFrames(resolved[1][0]);
}

TEST(Symbolizer, KeepsNamesWhenTheFileIsGone) {
  const TempDir folder;
  std::filesystem::copy(kPuppet, folder / "puppet");
  Puppet puppet(folder / "puppet");
  ASSERT_TRUE(puppet.ready());
  const ProcessMaps maps = Capture(puppet.pid());
  const uint64_t address = puppet.AddressIn("lines");
  puppet.Stop();
  Symbolizer symbolizer;
  ExpectLines(ResolveOne(symbolizer, maps, address));
  std::filesystem::remove(folder / "puppet");
  ExpectLines(ResolveOne(symbolizer, maps, address));
}

TEST(Symbolizer, LeavesFilesBeyondTheLimitUnread) {
  const Puppet puppet(kPuppet);
  ASSERT_TRUE(puppet.ready());
  Symbolizer symbolizer({}, SymbolLimits{.max_file_bytes = 1000});
  EXPECT_THAT(ResolveOne(symbolizer, Capture(puppet.pid()), puppet.AddressIn("lines")).frames,
              IsEmpty());
  EXPECT_GE(symbolizer.counters().at("symbols_files_too_large"), 1u);
}

TEST(Symbolizer, KeepsTheInnermostFramesAndTheFunctionWhereThereAreTooMany) {
  const Puppet puppet(kPuppet);
  ASSERT_TRUE(puppet.ready());
  Symbolizer symbolizer({}, SymbolLimits{.max_inline_depth = 2});
  const ResolvedAddress resolved =
      ResolveOne(symbolizer, Capture(puppet.pid()), puppet.AddressIn("inlined"));
  ASSERT_THAT(resolved.frames, SizeIs(2));
  EXPECT_EQ(resolved.frames[0].function, "knots::Innermost()");
  EXPECT_EQ(resolved.frames[1].function, kOuter);
  EXPECT_EQ(symbolizer.counters().at("symbols_inlines_cut"), 1u);
}

TEST(Symbolizer, CountsAModuleThatTakesTooLong) {
  const Puppet puppet(kPuppet);
  ASSERT_TRUE(puppet.ready());
  Symbolizer symbolizer({}, SymbolLimits{.max_wall_seconds = 0});
  EXPECT_THAT(ResolveOne(symbolizer, Capture(puppet.pid()), puppet.AddressIn("lines")).frames,
              IsEmpty());
  EXPECT_EQ(symbolizer.counters().at("symbols_modules_broken_off"), 1u);
  EXPECT_EQ(symbolizer.counters().at("symbols_addresses_unnamed"), 1u);
}

TEST(Symbolizer, LeavesModulesOutAtRequest) {
  const Puppet puppet(kPuppet);
  ASSERT_TRUE(puppet.ready());
  const std::atomic<bool> stop = true;
  Symbolizer symbolizer({}, SymbolLimits{.stop = &stop});
  EXPECT_THAT(ResolveOne(symbolizer, Capture(puppet.pid()), puppet.AddressIn("lines")).frames,
              IsEmpty());
  EXPECT_EQ(symbolizer.counters().at("symbols_modules_left_at_request"), 1u);
}

TEST(Symbolizer, CountsAddressesOutsideOfAllMappings) {
  Symbolizer symbolizer;
  const ResolvedAddress resolved = ResolveOne(symbolizer, Capture(::getpid()), 42);
  EXPECT_THAT(resolved.frames, IsEmpty());
  EXPECT_EQ(resolved.module_offset, 42u);
  EXPECT_EQ(symbolizer.counters().at("symbols_addresses_unmapped"), 1u);
}

}  // namespace
}  // namespace gordian
