// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "symbols/file_tree.h"
#include "symbols/perf_map.h"
#include "symbols/symbols.h"
#include "symbols/test_puppet.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ReadFile;
using ::testing::SizeIs;
using testing::TempDir;
using testing::WriteFile;

constexpr int kPid = 4242;

// A process tree of one process, 7 in its own namespace, and the root that it sees.
class CaptureFixture : public ::testing::Test {
 protected:
  CaptureFixture() {
    namespace fs = std::filesystem;
    fs::create_directories(folder_ / "proc/4242/map_files");
    fs::create_directories(folder_ / "root/tmp");
    fs::create_directories(folder_ / "host");
    fs::create_directory_symlink(folder_ / "root", folder_ / "proc/4242/root");
    WriteFile(folder_ / "proc/4242/stat",
              "4242 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20\n");
    WriteFile(folder_ / "proc/4242/status", absl::StrCat("Name:\tx\nUid:\t", ::geteuid(), "\t",
                                                         ::geteuid(), "\t0\t0\nNSpid:\t4242\t7\n"));
    WriteMaps("");
  }

  void WriteMaps(const std::string& text) { WriteFile(folder_ / "proc/4242/maps", text); }
  // A line for `path`, which lies in the root, with its true number.
  std::string Line(const std::string& path, uint64_t start, const std::string& name = "") const {
    struct stat status = {};
    EXPECT_EQ(::stat((folder_ / ("root" + path)).c_str(), &status), 0);
    return absl::StrCat(absl::Hex(start), "-", absl::Hex(start + 0x10000), " r-xp 0 08:01 ",
                        status.st_ino, " ", name.empty() ? path : name, "\n");
  }
  SymbolPaths Paths() const { return {.proc = folder_ / "proc", .root = folder_ / "host"}; }
  ProcessMaps Read(ProcessCapture& capture) {
    absl::StatusOr<ProcessMaps> maps = capture.Read(kPid);
    EXPECT_TRUE(maps.ok()) << maps.status();
    return maps.ok() ? *std::move(maps) : ProcessMaps();
  }

  const TempDir folder_;
};

TEST_F(CaptureFixture, TellsProcessesOfOnePidApart) {
  ProcessCapture capture(Paths());
  EXPECT_TRUE(capture.Read(kPid, 777).ok());
  EXPECT_EQ(capture.Read(kPid, 778).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(capture.Read(1).status().code(), absl::StatusCode::kNotFound);
  const ProcessMaps maps = Read(capture);
  EXPECT_EQ(maps.pid_in_namespace, 7);
  EXPECT_EQ(maps.start_time_ticks, 777u);
}

TEST_F(CaptureFixture, ReadsBuildIdsInTheRootOfTheProcess) {
  std::filesystem::copy(kPuppet, folder_ / "root/app");
  WriteMaps(Line("/app", 0x10000));
  ProcessCapture capture(Paths());
  const ProcessMaps maps = Read(capture);
  ASSERT_THAT(maps.mappings, SizeIs(1));
  EXPECT_THAT(maps.mappings[0].build_id, SizeIs(20));
  EXPECT_FALSE(maps.mappings[0].segments.empty());
  EXPECT_NE(maps.mappings[0].file, nullptr) << "the host has no such file: it must be held";
  EXPECT_THAT(capture.counters(), IsEmpty());
}

TEST_F(CaptureFixture, TakesTheWayToTheRootOffPathsOfAProcessThatDidAChroot) {
  std::filesystem::copy(kPuppet, folder_ / "root/app");
  WriteMaps(Line("/app", 0x10000, (folder_ / "root/app")));
  ProcessCapture capture({.proc = folder_ / "proc", .root = folder_ / "nothing"});
  EXPECT_THAT(Read(capture).mappings[0].build_id, SizeIs(20));

  // A folder whose name only begins alike is another.
  std::filesystem::create_directory(folder_ / "rooted");
  std::filesystem::copy(kPuppet, folder_ / "rooted/app");
  WriteMaps(Line("/app", 0x10000, (folder_ / "rooted/app")));
  ProcessCapture again({.proc = folder_ / "proc", .root = folder_ / "nothing"});
  EXPECT_THAT(Read(again).mappings[0].build_id, IsEmpty());
}

TEST_F(CaptureFixture, ReadsADeletedFileByItsMappingAndNeverByItsOldName) {
  std::filesystem::copy(kPuppet, folder_ / "root/app");
  WriteMaps(Line("/app", 0x10000, "/app (deleted)"));
  ProcessCapture capture(Paths());
  EXPECT_THAT(Read(capture).mappings[0].build_id, IsEmpty());
  EXPECT_EQ(capture.counters().at("symbols_files_unreadable"), 1u);
  std::filesystem::create_symlink(folder_ / "root/app",
                                  folder_ / "proc/4242/map_files/10000-20000");
  EXPECT_THAT(Read(capture).mappings[0].build_id, SizeIs(20));
}

TEST_F(CaptureFixture, TakesNoFileThatOnlyHasTheName) {
  std::filesystem::copy(kPuppet, folder_ / "root/app");
  WriteMaps("10000-20000 r-xp 0 08:01 1 /app\n");
  ProcessCapture capture(Paths());
  EXPECT_THAT(Read(capture).mappings[0].build_id, IsEmpty());
  EXPECT_EQ(capture.counters().at("symbols_files_unreadable"), 1u);
}

TEST_F(CaptureFixture, HoldsNoMoreFilesOpenThanItMay) {
  std::string text;
  for (int i = 1; i <= 3; ++i) {
    const std::string name = absl::StrCat("/app", i);
    std::filesystem::copy(kPuppet, folder_ / ("root" + name));
    text += Line(name, 0x100000 * i);
  }
  WriteMaps(text);
  ProcessCapture capture(Paths(), CaptureLimits{.max_open_files = 2});
  Read(capture);
  EXPECT_EQ(capture.counters().at("symbols_files_not_held"), 1u);
}

TEST_F(CaptureFixture, CountsWhatIsMappedAsCodeButIsNone) {
  WriteFile(folder_ / "root/data", std::string(1000, 'x'));
  WriteMaps(Line("/data", 0x10000) + "garbage\n");
  ProcessCapture capture(Paths());
  EXPECT_THAT(Read(capture).mappings, SizeIs(1));
  EXPECT_EQ(capture.counters().at("symbols_files_malformed"), 1u);
  EXPECT_EQ(capture.counters().at("symbols_maps_lines_malformed"), 1u);
}

// ---- Perf maps ----

TEST_F(CaptureFixture, FindsThePerfMapByTheProcessesOwnPidInItsOwnRoot) {
  WriteFile(folder_ / "root/tmp/perf-7.map", "1000 10 inner\n");
  WriteFile(folder_ / "root/tmp/perf-4242.map", "1000 10 of another process\n");
  ProcessCapture capture(Paths());
  ProcessMaps maps = Read(capture);
  capture.ReadPerfMap(maps);
  ASSERT_NE(maps.perf_map, nullptr);
  Frame frame;
  EXPECT_TRUE(maps.perf_map->Find(0x1000, frame));
  EXPECT_EQ(frame.function, "inner");
}

TEST_F(CaptureFixture, FollowsLinksOnlyWithinTheRootOfTheProcess) {
  std::filesystem::remove(folder_ / "root/tmp");
  std::filesystem::create_directory_symlink(folder_ / "host", folder_ / "root/tmp");
  WriteFile(folder_ / "host/perf-7.map", "1000 10 outside\n");
  ProcessCapture capture(Paths());
  ProcessMaps maps = Read(capture);
  capture.ReadPerfMap(maps);
  EXPECT_EQ(maps.perf_map, nullptr);

  std::filesystem::remove(folder_ / "root/tmp");
  std::filesystem::create_directory_symlink("/inside", folder_ / "root/tmp");
  std::filesystem::create_directory(folder_ / "root/inside");
  WriteFile(folder_ / "root/inside/perf-7.map", "1000 10 inside\n");
  capture.ReadPerfMap(maps);
  EXPECT_NE(maps.perf_map, nullptr);
}

TEST_F(CaptureFixture, OpensNoPipeThatHasThePerfMapsName) {
  ASSERT_EQ(::mkfifo((folder_ / "root/tmp/perf-7.map").c_str(), 0600), 0);
  ProcessCapture capture(Paths());
  ProcessMaps maps = Read(capture);
  capture.ReadPerfMap(maps);
  EXPECT_EQ(maps.perf_map, nullptr);
}

TEST_F(CaptureFixture, BelievesNoPerfMapOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving files away takes root";
  ASSERT_EQ(::chown(WriteFile(folder_ / "root/tmp/perf-7.map", "1000 10 x\n").c_str(), 1, 1), 0);
  ProcessCapture capture(Paths());
  ProcessMaps maps = Read(capture);
  capture.ReadPerfMap(maps);
  EXPECT_EQ(maps.perf_map, nullptr);
  EXPECT_EQ(capture.counters().at("symbols_perf_maps_foreign"), 1u);
}

TEST_F(CaptureFixture, LetsCompiledCodeBeNamedByThePerfMap) {
  WriteFile(folder_ / "root/tmp/perf-7.map", "30000 100 py::handle:/srv/app.py\nbad line\n");
  WriteMaps("30000-40000 rwxp 0 00:00 0\n");
  ProcessCapture capture(Paths());
  ProcessMaps maps = Read(capture);
  capture.ReadPerfMap(maps);
  EXPECT_EQ(capture.counters().at("symbols_perf_map_lines_malformed"), 1u);
  Symbolizer symbolizer(Paths());
  const uint64_t addresses[] = {0x30010, 0x30100};
  const std::vector<ResolvedAddress> resolved = symbolizer.Resolve(maps, addresses);
  ASSERT_THAT(resolved[0].frames, SizeIs(1));
  EXPECT_EQ(resolved[0].frames[0].function, "handle");
  EXPECT_EQ(resolved[0].frames[0].file, "/srv/app.py");
  EXPECT_EQ(resolved[0].module, "[jit]");
  EXPECT_THAT(resolved[1].frames, IsEmpty());
  EXPECT_EQ(resolved[1].module, "[anonymous]");
}

TEST_F(CaptureFixture, TellsWhichCommandNamesJavasCode) {
  std::filesystem::create_directories(folder_ / "root/jvm");
  std::filesystem::copy(kPuppet, folder_ / "root/jvm/libjvm.so");
  WriteMaps("8000-9000 rwxp 0 00:00 0\n" + Line("/jvm/libjvm.so", 0x10000));
  ProcessCapture capture(Paths());
  const ProcessMaps maps = Read(capture);
  Symbolizer symbolizer(Paths());
  const uint64_t in_library = 0x10001;
  symbolizer.Resolve(maps, std::span(&in_library, 1));
  EXPECT_THAT(symbolizer.notes(), IsEmpty()) << "nothing compiled was asked for";
  const uint64_t compiled = 0x8001;
  symbolizer.Resolve(maps, std::span(&compiled, 1));
  symbolizer.Resolve(maps, std::span(&compiled, 1));
  EXPECT_THAT(symbolizer.notes(), ElementsAre(AllOf(HasSubstr("`jcmd 4242 Compiler.perfmap`"),
                                                    HasSubstr("in its container, `jcmd 7 "))));
}

}  // namespace
}  // namespace gordian
