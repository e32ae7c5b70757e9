// SPDX-License-Identifier: Apache-2.0
// gordian's output on code, from a recording with stacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "absl/strings/str_split.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/session_symbols.h"

namespace gordian::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int32_t kProcess = 10, kA = 11, kB = 12;
constexpr WaitCall kFsync{11};
constexpr char kLibc[] = "/usr/lib/libc.so.6";

template <typename... Arguments>
ProgramResult Gordian(const Arguments&... arguments) {
  return RunProgram({GORDIAN_PROGRAM, arguments...});
}

std::string Joined(std::string text) {  // as if the page had no width
  std::string joined;
  for (const absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty()))
    joined += std::string(word) + " ";
  return joined;
}

// B computes for 5 ms, then syncs for 5 ms; three times of four from Commit, else from Truncate.
// A waits for B to make room, and is woken from Pop. `objects`: the objects of their waits are
// known.
class Stacks : public ::testing::Test {
 protected:
  explicit Stacks(bool with_symbols = true, bool objects = false) {
    TraceBuilder t;
    const uint32_t disk = t.Disk("vda");
    t.session().mutable_options()->set_sample_hz(1000);
    t.session().add_targets()->set_pid(kProcess);
    t.Thread(kProcess, "server").Thread(kA, "A", kProcess).Thread(kB, "B", kProcess);
    t.At(0).Cpu(0).Run(kB).Cpu(1).Run(kA).Cpu(0);
    const BuiltFrame serve = {"Serve<Plain>(Request&)", "/usr/bin/server", "/src/server.cc", 41};
    const std::vector<std::string> fsync = {"bpf_trace_run4", "__schedule", "io_schedule",
                                            "ext4_sync_file", "__x64_sys_fsync"};
    const BuiltFrame libc_fsync = {"fsync", kLibc};
    const uint32_t commit = t.AddStack(
        fsync, {libc_fsync, {"FileLog::Commit()", "/usr/bin/server", "log.cc", 88}, serve});
    const uint32_t truncate = t.AddStack(
        fsync, {libc_fsync, {"FileLog::Truncate()", "/usr/bin/server", "log.cc", 9}, serve});
    const uint32_t put =
        t.AddStack({"schedule", "futex_wait"}, {{"Queue::Put", "/usr/bin/server"}});
    const uint32_t pop =
        t.AddStack({"try_to_wake_up", "futex_wake"},
                   {{"pthread_cond_signal", kLibc}, {"Queue::Pop", "/usr/bin/server"}});
    const uint32_t compute = t.AddStack({}, {{"Encode", "/usr/bin/server"}, serve});
    const uint32_t log = objects ? t.AddWaitObject({.kind = WaitObjectKind::kFile,
                                                    .call = kFsync,
                                                    .value = 12,
                                                    .path = "/var/lib/app/wal.log\n"})
                                 : 0;
    const uint32_t room =
        objects
            ? t.AddWaitObject({.kind = WaitObjectKind::kFutex, .tgid = kProcess, .value = 0x7f12a0})
            : 0;
    for (uint64_t i = 0; i < 40; ++i) {
      const uint64_t begin_ns = i * 10_ms;
      const BlockEvent write = {.sector = i,
                                .service_ns = 5_ms,
                                .device = disk,
                                .bytes = 4096,
                                .tid = kB,
                                .operation = BlockOperation::kWrite};
      t.At(begin_ns + 1_ms).Cpu(1).Block().At(begin_ns + 1001_us);
      t.AddStackSample(kA, StackMoment::kWait, put, 0, room);
      t.At(begin_ns + 3_ms).Cpu(0).AddStackSample(kB, StackMoment::kCpu, compute);
      t.At(begin_ns + 5_ms).Issue(write).Block(kDiskSleep).At(begin_ns + 5001_us);
      t.AddStackSample(kB, StackMoment::kWait, i % 4 == 0 ? truncate : commit, 0, log);
      t.At(begin_ns + 9999_us).Complete(write).WakeFromBlock(kB, disk).Run(kB);
      t.At(begin_ns + 9999500_ns).Wake(kA).At(begin_ns + 9999700_ns);
      t.AddStackSample(kB, StackMoment::kWake, pop).Cpu(1).Run(kA).Cpu(0);
    }
    if (!with_symbols) t.symbols().Clear();
    EXPECT_TRUE(t.WriteSession(trace_).ok());
  }

  const TempDir dir_;
  const std::string trace_ = dir_ / "trace";
};

class StacksWithoutNames : public Stacks {
 protected:
  StacksWithoutNames() : Stacks(false) {}
};

class StacksWithObjects : public Stacks {
 protected:
  StacksWithObjects() : Stacks(true, true) {}
};

TEST_F(StacksWithObjects, AFindingNamesTheFile) {
  EXPECT_THAT(Joined(Gordian("analyze", trace_).output),
              HasSubstr("code B waits for vda in fsync of /var/lib/app/wal.log� ← FileLog::Commit "
                        "(log.cc:88) ← Serve<...> (server.cc:41) (75 % of it, 30 samples) B waits "
                        "in disk 100 % (fsync of /var/lib/app/wal.log�)"));
}

TEST_F(StacksWithObjects, AreListedWithTheirShareOfTheEdge) {
  const std::string sync = Gordian("graph", trace_, "--edge", "B", "vda", "--stacks").output;
  EXPECT_THAT(sync, HasSubstr("in disk 100 %\n  100 %  fsync of /var/lib/app/wal.log�\n"));
  const std::string edges = Gordian("graph", trace_, "--edges").output;
  EXPECT_THAT(edges, AllOf(HasSubstr("LONGEST  FOR\n"), HasSubstr("  futex 0x7f12a0 100 %\n"),
                           HasSubstr("  fsync of /var/lib/app/wal.log� 100 %\n")));
}

TEST_F(StacksWithObjects, HaveTheirNumbersInJson) {
  rapidjson::Document report;
  report.Parse(Gordian("analyze", trace_, "--json", "-").output.c_str());
  ASSERT_TRUE(report.IsObject());
  bool lock = false, file = false;
  for (const auto& edge : report["edges"].GetArray()) {
    for (const auto& reason : edge["reasons"].GetArray()) {
      ASSERT_EQ(reason["objects"].Size(), 1u);
      const auto& object = reason["objects"][0];
      EXPECT_EQ(object["samples"].GetInt(), 40);
      EXPECT_DOUBLE_EQ(object["share"].GetDouble(), 1);
      EXPECT_EQ(object["threads"].GetInt(), 1);
      EXPECT_TRUE(object["also"].Empty());
      if (std::string(object["object"].GetString()) == "futex") {
        lock = true;
        EXPECT_STREQ(object["address"].GetString(), "0x7f12a0");
        EXPECT_EQ(object["process"].GetInt(), kProcess);
      } else {
        file = true;
        EXPECT_STREQ(object["path"].GetString(), "/var/lib/app/wal.log�");
        EXPECT_STREQ(object["call"].GetString(), "fsync");
      }
    }
  }
  EXPECT_TRUE(lock);
  EXPECT_TRUE(file);
}

TEST_F(StacksWithObjects, AreDumpedAsTheyStandInTheFiles) {
  const std::string text = Gordian("dump", trace_, "--kind", "wait_object").output;
  EXPECT_THAT(text, AllOf(HasSubstr("object 2 is futex 0x7f12a0 in process 10\n"),
                          HasSubstr("object 1 is fsync of /var/lib/app/wal.log")));
  EXPECT_THAT(Gordian("dump", trace_, "--kind", "stack_sample", "--tid", "12").output,
              HasSubstr("for object 1\n"));
  rapidjson::Document object;
  const std::string json = Gordian("dump", trace_, "--kind", "wait_object", "--json").output;
  object.Parse(json.substr(0, json.find('\n')).c_str());
  ASSERT_TRUE(object.IsObject());
  EXPECT_STREQ(object["object"].GetString(), "file");
  EXPECT_STREQ(object["path"].GetString(), "/var/lib/app/wal.log\n");
}

TEST_F(Stacks, WithoutObjectsTellTheReasonAlone) {
  EXPECT_THAT(Gordian("graph", trace_, "--edges").output, HasSubstr("  disk 100 %\n"));
}

TEST_F(Stacks, AFindingNamesTheCodeOnBothSides) {
  const std::string text = Joined(Gordian("analyze", trace_).output);
  EXPECT_THAT(text, HasSubstr("code B waits for vda in fsync ← FileLog::Commit (log.cc:88) ← "
                              "Serve<...> (server.cc:41) (75 % of it, 30 samples) B waits in disk "
                              "100 %"));
}

TEST_F(Stacks, JsonHoldsTheStacksOfEdgesAndRunningThreads) {
  rapidjson::Document report;
  report.Parse(Gordian("analyze", trace_, "--json", "-").output.c_str());
  ASSERT_TRUE(report.IsObject());
  const auto& code = report["code"];
  bool found = false, runs = false;
  for (const auto& edge : report["edges"].GetArray()) {
    const auto& stacks = edge["waker_stacks"];
    if (stacks.Empty()) continue;
    found = true;
    EXPECT_EQ(edge["waker_samples"].GetInt(), 40);
    EXPECT_DOUBLE_EQ(stacks[0]["share"].GetDouble(), 1);
    EXPECT_STREQ(code[stacks[0]["frames"][1].GetUint()]["label"].GetString(),
                 "pthread_cond_signal");
    EXPECT_STREQ(edge["reasons"][0]["reason"].GetString(), "futex");
  }
  for (const auto& vertex : report["vertices"].GetArray()) {
    if (vertex["running_stacks"].Empty()) continue;
    runs = true;
    EXPECT_EQ(vertex["running_samples"].GetInt(), 40);
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(runs);
}

TEST_F(Stacks, OfAnEdgeAreATree) {
  EXPECT_EQ(Gordian("graph", trace_, "--edge", "B", "vda", "--stacks").output,
            "B waits for vda: 200 ms in 40 waits\n"
            "in disk 100 %\n"
            "\n"
            "Where B waits (40 samples)\n"
            " 100 %  Serve<...> (server.cc:41)\n"
            "  75 %    FileLog::Commit (log.cc:88)\n"
            "          fsync\n"
            "          __x64_sys_fsync\n"
            "          ext4_sync_file\n"
            "  25 %    FileLog::Truncate (log.cc:9)\n"
            "          fsync\n"
            "          __x64_sys_fsync\n"
            "          ext4_sync_file\n");
  const std::string both = Gordian("graph", trace_, "--edge", "A", "B", "--stacks").output;
  EXPECT_THAT(both, AllOf(HasSubstr("Where A waits (40 samples)\n 100 %  Queue::Put\n"),
                          HasSubstr("Where B ends the wait (40 samples)\n 100 %  Queue::Pop\n")));
}

TEST_F(Stacks, OfAnEdgeAreJsonToo) {
  rapidjson::Document listing;
  listing.Parse(
      Gordian("graph", trace_, "--edge", "B", "vda", "--stacks", "--json").output.c_str());
  ASSERT_TRUE(listing.IsObject());
  const auto& edge = listing["edges"][0];
  EXPECT_EQ(edge["waiter_samples"].GetInt(), 40);
  EXPECT_DOUBLE_EQ(edge["waiter_stacks"][0]["share"].GetDouble(), 0.75);
  EXPECT_STREQ(edge["edge"]["to"].GetString(), "vda");
}

TEST_F(Stacks, OfAWaitThatIsNoneAreToldToBeMissing) {
  const ProgramResult result = Gordian("graph", trace_, "--edge", "vda", "A", "--stacks");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("vda never waits for A"));
  EXPECT_EQ(Gordian("graph", trace_, "--stacks").exit_code, 2);
  EXPECT_EQ(Gordian("graph", trace_, "--edge", "A").exit_code, 2);
}

TEST_F(StacksWithoutNames, AreCountedAndCalledUnknown) {
  const ProgramResult analyzed = Gordian("analyze", trace_, "--json", "-");
  EXPECT_EQ(analyzed.exit_code, 0) << analyzed.errors;
  rapidjson::Document report;
  report.Parse(analyzed.output.c_str());
  uint64_t undefined = 0;
  for (const auto& counter : report["counters"].GetArray()) {
    if (std::string(counter["name"].GetString()) == "stack_samples_without_definition")
      undefined = counter["value"].GetUint64();
  }
  EXPECT_EQ(undefined, 160u);
  for (const auto& finding : report["findings"].GetArray()) EXPECT_TRUE(finding["code"].Empty());
  EXPECT_THAT(Gordian("graph", trace_, "--edge", "B", "vda", "--stacks").output,
              AllOf(HasSubstr(" 100 %  [unknown]\n"), Not(HasSubstr("in disk"))));
}

TEST_F(Stacks, WhoseNamesAreDamagedAreAnalyzedWithoutNames) {
  WriteFile(trace_ + "/" + kSymbolsFile, "no symbols");
  const ProgramResult analyzed = Gordian("analyze", trace_);
  EXPECT_EQ(analyzed.exit_code, 0);
  EXPECT_THAT(Joined(analyzed.output), HasSubstr("error symbols_unreadable 1"));
}

TEST(StacksMissing, IsTold) {
  const TempDir dir;
  TraceBuilder t;
  t.Thread(kA, "A").Thread(kB, "B").Cpu(0).Run(kA).Cpu(1).Run(kB);
  t.At(1_ms).Cpu(0).Block().At(5_ms).Cpu(1).Wake(kA).Cpu(0).Run(kA).At(6_ms).Block();
  ASSERT_TRUE(t.WriteSession(dir / "trace").ok());
  const ProgramResult result = Gordian("graph", dir / "trace", "--edge", "A", "B", "--stacks");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("the recording holds no stacks"));
}

}  // namespace
}  // namespace gordian::testing
