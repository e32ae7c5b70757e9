// SPDX-License-Identifier: Apache-2.0
// Whole stacks of a program that keeps no frame pointers, on the real kernel: of its waits, its
// wakes and its work, and through a library that it loads while it is recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/stacks/symbolize.h"
#include "symbols/file_tree.h"
#include "symbols/test_puppet.h"
#include "symbols/unwind_table.h"
#include "tests/support/recorded_session.h"
#include "trace/counters.h"
#include "trace/session_symbols.h"

namespace gordian::testing {
namespace {

// Functions of a stack's user part, innermost first.
using Functions = std::vector<std::string>;

struct NamedSample {
  uint64_t time_ns;
  StackMoment moment;
  // Of the puppet and its plugin. The C library's stand between and outside of them; without the
  // package libc6-dbg they have no names.
  Functions functions;
  bool whole;  // its outermost frame is the first function of a thread
};

// Whether no function calls the code there: by name or, without a name, by its file's unwind table.
class OutermostCode {
 public:
  explicit OutermostCode(const pb::Symbols& symbols) : symbols_(symbols) {}

  bool Has(const pb::SymbolFrame& frame) {
    const std::string& function = Text(frame.function());
    if (!function.empty()) return function == "_start" || function.starts_with("clone");
    const Module& module = ModuleAt(Text(frame.module()));
    for (const ModuleSegment& segment : module.segments) {
      if (frame.module_offset() < segment.file_offset ||
          frame.module_offset() - segment.file_offset >= segment.size_bytes)
        continue;
      const UnwindRow* const row = FindUnwindRow(
          module.table, segment.address + frame.module_offset() - segment.file_offset);
      return row != nullptr && row->rule == UnwindRule::kEnd;
    }
    return false;
  }

 private:
  struct Module {
    std::vector<ModuleSegment> segments;
    UnwindTable table;
  };

  const std::string& Text(uint32_t index) const { return symbols_.text(static_cast<int>(index)); }

  const Module& ModuleAt(const std::string& path) {
    const auto [known, is_new] = modules_.try_emplace(path);
    if (!is_new) return known->second;
    for (const pb::ProcessImage& image : symbols_.processes()) {
      for (const pb::ProcessMapping& mapping : image.mappings()) {
        if (Text(mapping.path()) != path || !known->second.segments.empty()) continue;
        for (const pb::ModuleSegment& part : mapping.segments())
          known->second.segments.push_back({part.file_offset(), part.size_bytes(), part.address()});
      }
    }
    const auto file = OpenRegularFile(path);
    SymbolCounters counters;
    if (file)
      known->second.table =
          ReadUnwindTable(file->handle.get(), known->second.segments, {}, counters);
    return known->second;
  }

  const pb::Symbols& symbols_;
  std::map<std::string, Module> modules_;
};

// The samples of the puppet's threads in a session or a snapshot of one, in time order.
std::vector<NamedSample> SamplesIn(const std::string& directory) {
  const auto session = LoadSession(directory);
  const auto symbols = ReadSymbols(directory);
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok() || !symbols.ok()) return {};
  struct Stack {
    Functions functions;
    bool whole = false;
  };
  std::map<uint32_t, Stack> stacks;
  OutermostCode outermost(*symbols);
  for (const pb::StackFrames& told : symbols->stacks()) {
    Stack& stack = stacks[told.stack_id()];
    for (const uint32_t index : told.user()) {
      const pb::SymbolFrame& frame = symbols->frames(static_cast<int>(index));
      const std::string& module = symbols->text(static_cast<int>(frame.module()));
      const std::string& name = symbols->text(static_cast<int>(frame.function()));
      stack.whole = outermost.Has(frame);
      if (module.find("/libc.so") == module.npos)
        stack.functions.push_back(name.substr(0, name.find('(')));
    }
  }
  std::vector<NamedSample> samples;
  for (const TraceEvent& event : session->events) {
    if (event.kind != EventKind::kStackSample) continue;
    const auto found = stacks.find(event.stack_sample.stack_id);
    if (found != stacks.end())
      samples.push_back(
          {event.time_ns, event.stack_sample.moment, found->second.functions, found->second.whole});
  }
  return samples;
}

bool Has(const NamedSample& sample, const std::string& function) {
  return std::find(sample.functions.begin(), sample.functions.end(), function) !=
         sample.functions.end();
}

// From the named function on outwards.
Functions CallersOf(const NamedSample& sample, const std::string& function) {
  return {std::find(sample.functions.begin(), sample.functions.end(), function),
          sample.functions.end()};
}

bool IsWhole(const NamedSample& sample) { return sample.whole && !sample.functions.empty(); }

class Session {
 public:
  Session() : puppet_(FRAMELESS_PUPPET) {
    auto recording = Recording::Start({.directory = folder_.path() + "/session",
                                       .targets = {.pids = {puppet_.pid()}, .only = true},
                                       .kernel_ring_bytes_per_cpu = 32u << 20,
                                       .stacks = StackChoice::kAll,
                                       .sample_hz = 999});
    EXPECT_TRUE(recording.ok()) << recording.status();
    if (recording.ok()) recording_ = *std::move(recording);
  }

  Puppet& puppet() { return puppet_; }

  // Looks at snapshots of the recording until one holds the wanted stacks. Gives up after a minute.
  bool Await(const std::function<bool(const std::vector<NamedSample>&)>& wanted) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (recording_ && std::chrono::steady_clock::now() < give_up) {
      const std::string snapshot = absl::StrCat(folder_.path(), "/snapshot-", ++snapshots_);
      const absl::Status cut = recording_->Snapshot(snapshot);
      EXPECT_TRUE(cut.ok()) << cut;
      if (!cut.ok()) return false;
      if (SymbolizeSession(snapshot).ok() && wanted(SamplesIn(snapshot))) return true;
    }
    return false;
  }

  std::vector<NamedSample> End() {
    puppet_.Stop();
    EXPECT_TRUE(recording_->Stop(EndReason::kAsked).ok());
    return SamplesIn(folder_.path() + "/session");
  }

  uint64_t Counter(const char* name) const {
    const auto session = LoadSession(folder_.path() + "/session");
    return session.ok() ? CounterValue(session->session, name) : 0;
  }

 private:
  const TestDirectory folder_;
  Puppet puppet_;
  std::unique_ptr<Recording> recording_;
  int snapshots_ = 0;
};

std::function<bool(const std::vector<NamedSample>&)> AnyWhole(const std::string& function,
                                                              StackMoment moment,
                                                              bool through_plugin) {
  return [=](const std::vector<NamedSample>& samples) {
    return std::any_of(samples.begin(), samples.end(), [&](const NamedSample& sample) {
      return IsWhole(sample) && Has(sample, function) && sample.moment == moment &&
             Has(sample, "ThroughPlugin") == through_plugin;
    });
  };
}

// From the first whole stack on: before it, the program was not known to the kernel side.
std::vector<NamedSample> SinceFirstWhole(const std::vector<NamedSample>& samples) {
  const auto first = std::find_if(samples.begin(), samples.end(), IsWhole);
  return {first, samples.end()};
}

TEST(FramelessStacks, AreWholeForWaitsWakesAndWorkAndThroughAPluginLoadedLater) {
  if (!kHasUnwindTables) GTEST_SKIP() << "there are tables on x86-64 only";
  Session session;
  ASSERT_TRUE(session.puppet().ready());
  ASSERT_TRUE(session.Await(AnyWhole("Inner", StackMoment::kCpu, false)));
  ASSERT_TRUE(session.Await(AnyWhole("Inner", StackMoment::kWait, false)));
  ASSERT_TRUE(session.Await(AnyWhole("WakeOnce", StackMoment::kWake, false)));
  ASSERT_TRUE(session.Await(AnyWhole("WakeOnce", StackMoment::kWait, false)));
  session.puppet().Say(FRAMELESS_PLUGIN);
  ASSERT_TRUE(session.Await(AnyWhole("Inner", StackMoment::kCpu, true)));
  ASSERT_TRUE(session.Await(AnyWhole("Inner", StackMoment::kWait, true)));
  const std::vector<NamedSample> samples = SinceFirstWhole(session.End());
  EXPECT_GT(session.Counter("stacks_unwound"), 0u);

  const Functions plain = {"Inner", "Middle", "Outer", "main", "_start"};
  const Functions with_plugin = {"Inner", "ThroughPlugin", "Middle", "Outer", "main", "_start"};
  std::map<std::string, uint64_t> seen;
  uint64_t cut = 0;
  for (const NamedSample& sample : samples) {
    if (!IsWhole(sample)) {
      // Only while the plugin is loaded and not yet known may a stack end: in it.
      cut += sample.functions.empty() || sample.functions.back() != "ThroughPlugin";
      continue;
    }
    if (Has(sample, "WakeOnce")) {
      const Functions callers = CallersOf(sample, "WakeOnce");
      EXPECT_THAT(callers, ::testing::ElementsAre("WakeOnce", "WakeAgain"));
      ++seen[sample.moment == StackMoment::kWake ? "a wake" : "a wait of the waker"];
    }
    if (!Has(sample, "Inner")) continue;
    const Functions callers = CallersOf(sample, "Inner");
    EXPECT_THAT(callers, ::testing::AnyOf(plain, with_plugin));
    const std::string path = callers == plain ? "" : " through the plugin";
    if (sample.moment == StackMoment::kWait) ++seen["a wait" + path];
    if (sample.moment == StackMoment::kCpu && sample.functions[0] == "Work") ++seen["work" + path];
  }
  EXPECT_LE(cut * 100, samples.size()) << cut << " of " << samples.size() << " stacks are cut";
  for (const char* what : {"a wake", "a wait of the waker", "a wait", "work",
                           "a wait through the plugin", "work through the plugin"})
    EXPECT_GT(seen[what], 0u) << what;
}

}  // namespace
}  // namespace gordian::testing
