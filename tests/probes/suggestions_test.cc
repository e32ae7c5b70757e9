// SPDX-License-Identifier: Apache-2.0
// Programs that say nothing of themselves, recorded on the real kernel: the suggestions, and their
// effect on the graph.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/suggestions/suggestions.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "trace/session_reader.h"
#include "trace/session_symbols.h"
#include "trace/session_writer.h"

namespace gordian::testing {
namespace {

class SuggestionsTest : public ::testing::Test {
 protected:
  void Record(const std::vector<std::string>& command, const std::string& stacks = "sampled") {
    std::vector<std::string> words = {
        GORDIAN_PROGRAM, "record", "--budget", "none", "-o", Session(), "--stacks=" + stacks, "--"};
    words.insert(words.end(), command.begin(), command.end());
    const ProgramResult result = RunProgram(words);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  rapidjson::Document Json(std::vector<std::string> words) const {
    words.insert(words.begin(), GORDIAN_PROGRAM);
    words.push_back(Session());
    const ProgramResult result = RunProgram(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    rapidjson::Document document;
    document.Parse(result.output.c_str());
    EXPECT_FALSE(document.HasParseError());
    return document;
  }
  // Those for the recorded program: other things run on the machine, too.
  std::vector<std::string> SuggestedFor(const std::string& process) const {
    std::vector<std::string> texts;
    const rapidjson::Document report = Json({"analyze", "--json", "-"});
    for (const auto& suggestion : report["suggestions"].GetArray()) {
      if (process.rfind(suggestion["process"].GetString(), 0) != 0) continue;
      // Puppets do spin there until all are in their places.
      if (std::string(suggestion["function"].GetString()).find("SpinUntil") != std::string::npos)
        continue;
      texts.push_back(suggestion["text"].GetString());
    }
    return texts;
  }
  std::string Session() const { return dir_ / "session"; }
  const TempDir dir_;
};

TEST_F(SuggestionsTest, NameTheFunctionThatSpinsWhereTheProgramDoesNotSay) {
  Record({SPIN_LOCK_EXAMPLE, "20000", "silent"});
  const rapidjson::Document report = Json({"analyze", "--json", "-"});
  int spins = 0;
  for (const auto& suggestion : report["suggestions"].GetArray()) {
    const std::string process = suggestion["process"].GetString();
    if (process.rfind("probe_example_s", 0) != 0) continue;
    ++spins;
    EXPECT_STREQ(suggestion["kind"].GetString(), "spin");
    EXPECT_STREQ(suggestion["sure"].GetString(), "likely");
    EXPECT_STREQ(suggestion["function"].GetString(), "SpinLock::Lock");
    EXPECT_NE(std::string(suggestion["file"].GetString()).find("spin_lock.cc"), std::string::npos);
    EXPECT_GT(suggestion["line"].GetInt(), 0);
    EXPECT_EQ(suggestion["probes"].Size(), 3u);
    EXPECT_NEAR(suggestion["seconds"].GetDouble(), suggestion["samples"].GetInt() / 99.0, 1e-6);
  }
  EXPECT_EQ(spins, 1);
}

TEST_F(SuggestionsTest, AreNotGivenForSpinsThatTheProgramTellsOf) {
  Record({SPIN_LOCK_EXAMPLE, "20000"});
  EXPECT_TRUE(SuggestedFor("probe_example_spin_lock").empty());
  // Its threads wait for each other, each for the holder of the lock.
  const rapidjson::Document edges = Json({"graph", "--edges", "--no-merge", "--json"});
  double spun_s = 0;
  std::set<int> spinners;
  std::set<int> holders;
  for (const auto& edge : edges["edges"].GetArray()) {
    const std::string from = edge["from"].GetString();
    const std::string to = edge["to"].GetString();
    if (from.rfind("probe_example_s", 0) != 0 || to.rfind("probe_example_s", 0) != 0) continue;
    if (edge["own_s"].GetDouble() == 0 || edge["count"].GetInt() < 5) continue;
    spun_s += edge["own_s"].GetDouble();
    spinners.insert(edge["from_tid"].GetInt());
    holders.insert(edge["to_tid"].GetInt());
  }
  EXPECT_GT(spun_s, 0);
  EXPECT_GE(spinners.size(), 2u);
  EXPECT_GE(holders.size(), 2u);
}

TEST_F(SuggestionsTest, AreNotGivenForThreadsThatCompute) {
  Record({COMPUTING_PROGRAM, "200000000"});
  EXPECT_EQ(SuggestedFor("computing"), std::vector<std::string>());
}

TEST_F(SuggestionsTest, AreNotGivenForThreadsThatServeEachOther) {
  for (const std::vector<std::string>& piece :
       std::vector<std::vector<std::string>>{{"futex-ping-pong", "--rounds", "20000"},
                                             {"pipe-ping-pong", "--rounds", "10000"},
                                             {"tcp-echo", "--rounds", "5000"},
                                             {"mutex", "--rounds", "5000"}}) {
    const TempDir folder;
    std::vector<std::string> command = {PUPPET_PROGRAM};
    command.insert(command.end(), piece.begin(), piece.end());
    Record(command, "all");
    EXPECT_EQ(SuggestedFor("puppet"), std::vector<std::string>()) << piece[0];
    std::filesystem::remove_all(Session());
  }
}

// A copy of the recording without the words on false wakeups.
void CopyWithoutFalseWakeups(const std::string& from, const std::string& to) {
  auto reader = SessionReader::Open(from);
  ASSERT_TRUE(reader.ok()) << reader.status();
  auto writer = SessionWriter::Create(to, {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  EventBlock block;
  for (size_t i = 0; i < (*reader)->tasks()->blocks().size(); ++i) {
    ASSERT_TRUE((*reader)->tasks()->Read(i, block).ok());
    ASSERT_TRUE((*writer)->AppendTasks(block).ok());
  }
  for (const auto& stream : (*reader)->cpus()) {
    for (size_t i = 0; i < stream->blocks().size(); ++i) {
      ASSERT_TRUE(stream->Read(i, block).ok());
      std::erase_if(block.events, [](const TraceEvent& event) {
        return event.kind == EventKind::kProbe && event.probe.kind == ProbeKind::kFalseWakeup;
      });
      ASSERT_TRUE((*writer)->AppendEvents(block).ok());
    }
  }
  const auto symbols = ReadSymbols(from);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  ASSERT_TRUE((*writer)->WriteSymbols(*symbols).ok());
  ASSERT_TRUE((*writer)->WriteSession((*reader)->session()).ok());
}

Timeline Load(const std::string& directory) {
  auto session = SessionReader::Open(directory);
  auto timeline = LoadTimeline(**session);
  EXPECT_TRUE(timeline.ok()) << timeline.status();
  return *std::move(timeline);
}

// The starts of the waits of the program's threads, each with that of the wait before.
std::map<SleepStart, uint64_t> WaitsIn(const Timeline& timeline, const std::string& process) {
  std::map<SleepStart, uint64_t> waits;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    if (timeline.entities()[id].process_name != process) continue;
    uint64_t before_ns = timeline.start_ns();
    for (SegmentCursor at = timeline.SegmentsFrom(id); !at.done(); at.Next()) {
      if (at.segment().kind != SegmentKind::kWait) continue;
      waits[{id, at.start_ns()}] = before_ns;
      before_ns = at.start_ns();
    }
  }
  return waits;
}

// When the program's threads began to serve a ticket, which is all the work there is.
std::map<EntityId, std::set<uint64_t>> ServesIn(const std::string& directory,
                                                const Timeline& timeline) {
  std::map<int32_t, EntityId> threads;
  for (EntityId id = 0; id < timeline.thread_count(); ++id)
    threads[timeline.entities()[id].tid] = id;
  std::map<EntityId, std::set<uint64_t>> serves;
  const auto reader = SessionReader::Open(directory);
  EventBlock block;
  for (const auto& stream : (*reader)->cpus()) {
    for (size_t i = 0; i < stream->blocks().size(); ++i) {
      EXPECT_TRUE(stream->Read(i, block).ok());
      for (const TraceEvent& event : block.events) {
        if (event.kind != EventKind::kProbe || event.probe.kind != ProbeKind::kPhaseBegin) continue;
        const auto thread = threads.find(event.probe.tid);
        if (thread != threads.end()) serves[thread->second].insert(event.time_ns);
      }
    }
  }
  return serves;
}

using OwnTimes = std::map<std::pair<EntityId, EntityId>, uint64_t>;
OwnTimes EdgesIn(const Timeline& timeline) {
  OwnTimes own_ns;
  const Waits waits(timeline, {.merge_short_lived = false});
  for (const Edge& edge : BuildWaitForGraph(waits).edges)
    own_ns[{edge.from, edge.to}] = edge.own_ns;
  return own_ns;
}

// Declared and assumed false wakeups are looked at in one recording. Common wakeups give the same
// waits. A wakeup that is only declared or only assumed leaves its wait apart in the other graph.
// That moves the time from the wait before it to that sleep from one edge to another, and no more.
// So the tolerance is the sum of those times on this machine.
TEST_F(SuggestionsTest, FalseWakeupsThatAreAssumedMakeTheEdgesOfThoseThatAreDeclared) {
  const std::string process = "probe_example_t";
  Record({TICKETS_EXAMPLE, "1500"}, "all");
  const std::string silent = dir_ / "silent";
  CopyWithoutFalseWakeups(Session(), silent);
  const Timeline declared = Load(Session());
  Timeline assumed = Load(silent);
  const auto symbols = ReadSymbols(silent);
  const Code code(*symbols);
  const Suggestions found = FindFalseWakeups(assumed, code, {});
  const auto all_waits = WaitsIn(assumed, process);
  ASSERT_GT(assumed.JoinWaits(found.after_false_wakeups), 0u);

  const auto declared_waits = WaitsIn(declared, process);
  const auto assumed_waits = WaitsIn(assumed, process);
  const auto serves = ServesIn(Session(), declared);
  uint64_t both = 0, only_declared = 0, only_assumed = 0, work = 0;
  uint64_t tolerance_ns = 0;
  for (const auto& [start, before_ns] : all_waits) {
    const auto in_declared = declared_waits.find(start);
    const auto in_assumed = assumed_waits.find(start);
    const bool is_declared = in_declared == declared_waits.end();
    const bool is_assumed = in_assumed == assumed_waits.end();
    both += is_declared && is_assumed;
    only_declared += is_declared && !is_assumed;
    only_assumed += !is_declared && is_assumed;
    const auto own = serves.find(start.thread);
    if (is_assumed && own != serves.end()) {
      const auto serve = own->second.lower_bound(before_ns);
      work += serve != own->second.end() && *serve < start.start_ns;
    }
    if (is_declared && !is_assumed) tolerance_ns += start.start_ns - in_assumed->second;
    if (!is_declared && is_assumed) tolerance_ns += start.start_ns - in_declared->second;
  }
  std::printf("%lu false wakeups in both, %lu only declared, %lu only assumed; tolerance %.1f ms\n",
              both, only_declared, only_assumed, static_cast<double>(tolerance_ns) / 1e6);
  // How many are found depends on how long this machine takes to find nothing (kMostRunNs);
  // analyzer/suggestions tests the rule on given times.
  EXPECT_GT(both, 0u);
  // The only assumed wakes are those within pthread_cond_wait, which sleeps again by itself: the
  // program cannot declare them. They grow with the machine's load.
  EXPECT_GT(serves.size(), 0u);
  EXPECT_EQ(work, 0u) << "real work is taken for nothing";

  OwnTimes of_declared = EdgesIn(declared);
  OwnTimes of_assumed = EdgesIn(assumed);
  uint64_t moved_ns = 0;
  for (const auto& [edge, own_ns] : of_declared) of_assumed.try_emplace(edge, 0);
  for (const auto& [edge, own_ns] : of_assumed) {
    const uint64_t other_ns = of_declared[edge];
    moved_ns = std::max(moved_ns, own_ns > other_ns ? own_ns - other_ns : other_ns - own_ns);
  }
  std::printf("at most %.1f ms differ on one edge\n", static_cast<double>(moved_ns) / 1e6);
  EXPECT_LE(moved_ns, tolerance_ns);
}

TEST_F(SuggestionsTest, NameTheWaitThatIsWokenForNothing) {
  Record({TICKETS_EXAMPLE, "1500", "silent"}, "all");
  const rapidjson::Document report = Json({"analyze", "--json", "-"});
  int found = 0;
  for (const auto& suggestion : report["suggestions"].GetArray()) {
    if (std::string(suggestion["process"].GetString()) != "probe_example_t") continue;
    ++found;
    EXPECT_STREQ(suggestion["kind"].GetString(), "false_wakeup");
    EXPECT_STREQ(suggestion["function"].GetString(), "Work");
    EXPECT_NE(std::string(suggestion["file"].GetString()).find("tickets.c"), std::string::npos);
    EXPECT_FALSE(suggestion["applied"].GetBool());
  }
  EXPECT_EQ(found, 1);
  EXPECT_EQ(report["assumed_false_wakeups"].GetInt(), 0);
  const rapidjson::Document assumed = Json({"analyze", "--assume-false-wakeups", "--json", "-"});
  EXPECT_GT(assumed["assumed_false_wakeups"].GetInt(), 100);
}

}  // namespace
}  // namespace gordian::testing
