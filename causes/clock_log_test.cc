// SPDX-License-Identifier: Apache-2.0
// Logs with vector clocks know the causes of each event. As recordings they must have the same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analyzer/testing/scenario_timeline.h"
#include "causes/causes.h"

namespace gordian {
namespace {

// By process: its own count is the event's number there.
using VectorClock = std::vector<uint32_t>;

struct ClockEvent {
  size_t process = 0;
  uint32_t number = 0;  // from 1 on
  VectorClock clock;
};

struct ClockLog {
  size_t processes = 0;
  std::vector<ClockEvent> events;  // in an order in which causes come first
};

bool IsNotLater(const VectorClock& a, const VectorClock& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
  }
  return true;
}

// Clocks of events that send to others and receive from them at random.
ClockLog RandomClockLog() {
  ClockLog log;
  log.processes = *rc::gen::inRange<size_t>(1, 6);
  std::vector<VectorClock> now(log.processes, VectorClock(log.processes));
  std::vector<VectorClock> under_way;
  for (int left = *rc::gen::inRange(1, 60); left > 0; --left) {
    const size_t process = *rc::gen::inRange<size_t>(0, log.processes);
    VectorClock& clock = now[process];
    const int what = *rc::gen::inRange(0, 3);
    if (what == 0 && !under_way.empty()) {
      const size_t message = *rc::gen::inRange<size_t>(0, under_way.size());
      for (size_t i = 0; i < clock.size(); ++i)
        clock[i] = std::max(clock[i], under_way[message][i]);
    }
    ++clock[process];
    log.events.push_back({process, clock[process], clock});
    if (what == 1) under_way.push_back(clock);
  }
  return log;
}

// As a recording. A process is a thread, which runs for the four nanoseconds of each event and
// waits between. In the midst of an event it makes a thread for each later event that newly knows
// of this one: a message. That thread wakes the other process for its event. Of several messages
// each wakes it for a nanosecond just before, as a wait has one end.
class ClockRecording {
 public:
  explicit ClockRecording(const ClockLog& log)
      : log_(log), step_ns_(2 * log.processes + 10), recorded_(Text()) {}

  const Timeline& timeline() const { return recorded_.timeline(); }
  EntityId ThreadOf(size_t process) const { return recorded_.Id(absl::StrCat("P", process)); }
  uint64_t BeginOf(size_t event) const { return ScenarioTimeline::At(step_ns_ * (event + 1)); }

 private:
  // The events that tell this one something new: the last of each other process that it knows of
  // and its own last did not.
  std::vector<size_t> Causes(size_t event) const {
    const ClockEvent& at = log_.events[event];
    VectorClock before(log_.processes);
    const auto own = places_.find({at.process, at.number - 1});
    if (own != places_.end()) before = log_.events[own->second].clock;
    std::vector<size_t> causes;
    for (size_t process = 0; process < log_.processes; ++process) {
      if (process == at.process || at.clock[process] <= before[process]) continue;
      const auto cause = places_.find({process, at.clock[process]});
      if (cause != places_.end()) causes.push_back(cause->second);
    }
    return causes;
  }

  // Each process and each message has a CPU of its own.
  std::string Text() {
    std::string text;
    for (size_t i = 0; i < log_.events.size(); ++i)
      places_[{log_.events[i].process, log_.events[i].number}] = i;
    for (size_t process = 0; process < log_.processes; ++process)
      absl::StrAppend(&text, "thread ", process + 1, " P", process, " S\n");
    std::map<size_t, std::vector<std::pair<size_t, size_t>>> sent;  // by event: messages, effects
    size_t messages = 0;
    for (size_t i = 0; i < log_.events.size(); ++i) {
      const std::vector<size_t> causes = Causes(i);
      for (const size_t cause : causes) sent[cause].emplace_back(messages++, i);
    }
    std::map<size_t, std::vector<size_t>> received;  // by event
    for (const auto& [cause, arrows] : sent) {
      for (const auto& [message, effect] : arrows) received[effect].push_back(message);
    }
    const size_t first_message = log_.processes + 1;
    for (size_t i = 0; i < log_.events.size(); ++i) {
      const uint64_t begin_ns = step_ns_ * (i + 1);
      const size_t cpu = log_.events[i].process;
      const size_t tid = cpu + 1;
      // Each message wakes the process for one nanosecond; the last wakes it for the event.
      uint64_t wake_ns = begin_ns + 1 - 2 * received[i].size();
      for (const size_t message : received[i]) {
        const size_t message_cpu = log_.processes + message;
        const size_t message_tid = first_message + message;
        absl::StrAppend(&text, wake_ns, " ", message_cpu, " wake ", tid, " by ", message_tid, "\n",
                        wake_ns, " ", cpu, " switch 0 ", tid, "\n");
        if (message != received[i].back())
          absl::StrAppend(&text, wake_ns + 1, " ", cpu, " switch ", tid, " 0 S\n");
        wake_ns += 2;
      }
      if (received[i].empty())
        absl::StrAppend(&text, begin_ns, " ", cpu, " wake ", tid, " by timer\n", begin_ns, " ", cpu,
                        " switch 0 ", tid, "\n");
      for (const auto& [message, effect] : sent[i]) {
        const size_t message_cpu = log_.processes + message;
        const size_t message_tid = first_message + message;
        absl::StrAppend(&text, begin_ns + 2, " ", cpu, " new ", message_tid, " M of ", tid, " in ",
                        message_tid, "\n", begin_ns + 2, " ", message_cpu, " switch 0 ",
                        message_tid, "\n");
      }
      absl::StrAppend(&text, begin_ns + 4, " ", cpu, " switch ", tid, " 0 S\n");
    }
    return absl::StrCat(text, "end ", step_ns_ * (log_.events.size() + 2), "\n");
  }

  const ClockLog& log_;
  uint64_t step_ns_ = 0;  // between events: room for a wake by each other process
  std::map<std::pair<size_t, uint32_t>, size_t> places_;
  ScenarioTimeline recorded_;
};

// Whether the slice back from the event holds exactly the events that its clock knows of; and
// forward, those whose clocks know of it.
::testing::AssertionResult HasSlicesOfItsClocks(const ClockLog& log) {
  const ClockRecording recording(log);
  const ExecutionGraph graph(recording.timeline());
  for (size_t i = 0; i < log.events.size(); ++i) {
    for (const bool forward : {false, true}) {
      // Back from behind what it sent; forward from its beginning on.
      const SliceRequest request = {.thread = recording.ThreadOf(log.events[i].process),
                                    .at_ns = recording.BeginOf(i) + (forward ? 0 : 2),
                                    .forward = forward,
                                    .scope = CausalScope::kThread};
      std::vector<uint8_t> in(log.events.size());
      std::map<EntityId, std::vector<std::pair<uint64_t, uint64_t>>> parts;
      SweepSlice(graph, request, [&](const SliceStretch& stretch) {
        parts[stretch.thread].emplace_back(stretch.from_ns, stretch.to_ns);
      });
      for (size_t other = 0; other < log.events.size(); ++other) {
        const uint64_t at_ns = recording.BeginOf(other) + 1;
        const auto& of_thread = parts[recording.ThreadOf(log.events[other].process)];
        const bool is_in = std::any_of(
            of_thread.begin(), of_thread.end(),
            [at_ns](const auto& part) { return part.first <= at_ns && at_ns < part.second; });
        const VectorClock& mine = log.events[i].clock;
        const VectorClock& others = log.events[other].clock;
        const bool is_cause = forward ? IsNotLater(mine, others) : IsNotLater(others, mine);
        if (is_in != is_cause)
          return ::testing::AssertionFailure()
                 << "event " << i << (is_in ? " wrongly has" : " misses")
                 << (forward ? " forward" : " backward") << ", other " << other;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

RC_GTEST_PROP(ClockLog, HasSlicesOfItsClocks, ()) {
  const ClockLog log = RandomClockLog();
  const auto result = HasSlicesOfItsClocks(log);
  if (!result) {
    RC_LOG() << result.message() << "\n";
    for (const ClockEvent& event : log.events) {
      RC_LOG() << "P" << event.process << ":";
      for (const uint32_t count : event.clock) RC_LOG() << " " << count;
      RC_LOG() << "\n";
    }
  }
  RC_ASSERT(result);
}

// "HOST {"HOST":3, "OTHER":7}", as ShiViz reads them, with any text between.
ClockLog ParseClockLog(const std::string& text) {
  std::map<std::string, size_t, std::less<>> processes;
  struct Line {
    std::string host;
    std::map<std::string, uint32_t> clock;
  };
  std::vector<Line> lines;
  const std::vector<std::string> split = absl::StrSplit(text, '\n');
  for (const std::string& line : split) {
    const size_t open = line.find(" {\"");
    const size_t close = line.rfind('}');
    if (open == std::string::npos || close == std::string::npos || close < open) continue;
    Line& parsed = lines.emplace_back();
    const std::string before = line.substr(0, open);
    parsed.host = before.substr(before.rfind(' ') + 1);
    // Names may hold any sign but quotes.
    for (size_t at = open + 2; at < close;) {
      const size_t end = line.find('"', at + 1);
      const size_t colon = line.find(':', end);
      if (end == std::string::npos || colon == std::string::npos) break;
      const size_t next = std::min(line.find('"', colon), close);
      std::string number = line.substr(colon + 1, next - colon - 1);
      if (!number.empty() && number.find(',') != std::string::npos) number.resize(number.find(','));
      uint32_t count = 0;
      if (absl::SimpleAtoi(number, &count)) parsed.clock[line.substr(at + 1, end - at - 1)] = count;
      at = next;
    }
    if (parsed.clock.count(parsed.host) == 0) {
      lines.pop_back();
      continue;
    }
    processes.try_emplace(parsed.host, processes.size());
  }
  ClockLog log;
  log.processes = processes.size();
  for (const Line& line : lines) {
    VectorClock clock(log.processes);
    for (const auto& [host, count] : line.clock) {
      if (const auto known = processes.find(host); known != processes.end())
        clock[known->second] = count;
    }
    const size_t process = processes.find(line.host)->second;
    log.events.push_back({process, clock[process], clock});
  }
  // A cause's clock has a smaller sum.
  const auto sum = [](const ClockEvent& event) {
    uint64_t all = 0;
    for (const uint32_t count : event.clock) all += count;
    return all;
  };
  std::stable_sort(log.events.begin(), log.events.end(),
                   [&](const ClockEvent& a, const ClockEvent& b) { return sum(a) < sum(b); });
  return log;
}

TEST(ClockLog, IsReadInTheFormOfShiViz) {
  const ClockLog log = ParseClockLog(
      "a {\"a\":1}\nStart\nb {\"b\":1}\nStart\na {\"a\":2}\nSend\nb {\"a\":2, \"b\":2}\nReceive\n"
      "a {\"a\":3}\nDone\n");
  EXPECT_EQ(log.processes, 2u);
  EXPECT_EQ(log.events.size(), 5u);
  EXPECT_TRUE(HasSlicesOfItsClocks(log));
}

// Logs that others made, as ShiViz' own (voldemort, chord, TSViz' locks): *.log in that folder.
// They are not ours to bring along; the random logs above are tried always.
TEST(ClockLog, HasSlicesOfItsClocksInLogsOfOthers) {
  const char* folder = std::getenv("GORDIAN_CLOCK_LOGS");
  if (folder == nullptr) GTEST_SKIP() << "GORDIAN_CLOCK_LOGS names no folder of logs";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".log") continue;
    std::ifstream file(entry.path());
    const ClockLog log = ParseClockLog({std::istreambuf_iterator<char>(file), {}});
    EXPECT_FALSE(log.events.empty()) << entry.path();
    EXPECT_TRUE(HasSlicesOfItsClocks(log)) << entry.path();
    std::cout << entry.path().filename() << ": " << log.processes << " processes, "
              << log.events.size() << " events\n";
  }
}

}  // namespace
}  // namespace gordian
