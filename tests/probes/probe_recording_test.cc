// SPDX-License-Identifier: Apache-2.0
// Programs that speak, recorded by the real recorder on the real kernel: every word is in the
// session, under the thread that said it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/program.h"
#include "tests/support/recorded_session.h"
#include "tests/support/temp_dir.h"
#include "trace/counters.h"

namespace gordian::testing {
namespace {

namespace fs = std::filesystem;

struct Word {
  int32_t tid = 0;
  std::string kind;
  std::string name;
  std::string key;
  int64_t value = 0;
};

std::vector<Word> WordsIn(const std::string& session) {
  const ProgramResult dump =
      RunProgram({GORDIAN_PROGRAM, "dump", "--json", "--kind", "probe", session});
  EXPECT_EQ(dump.exit_code, 0) << dump.errors;
  std::vector<Word> words;
  std::istringstream lines(dump.output);
  for (std::string line; std::getline(lines, line);) {
    rapidjson::Document event;
    event.Parse(line.c_str());
    EXPECT_FALSE(event.HasParseError()) << line;
    Word word = {.tid = event["tid"].GetInt(),
                 .kind = event["probe"].GetString(),
                 .name = event["name"].GetString()};
    if (event.HasMember("key")) word.key = event["key"].GetString();
    if (event.HasMember("value") && event["value"].IsInt64())
      word.value = event["value"].GetInt64();
    words.push_back(std::move(word));
  }
  return words;
}

uint64_t Counter(const std::string& session, std::string_view name) {
  const auto recorded = LoadSession(session);
  EXPECT_TRUE(recorded.ok()) << recorded.status();
  return recorded.ok() ? CounterValue(recorded->session, name) : 0;
}

class ProbeRecordingTest : public ::testing::Test {
 protected:
  // Records one command from its beginning to its end.
  ProgramResult Record(const std::vector<std::string>& command) {
    std::vector<std::string> words = {GORDIAN_PROGRAM, "record", "--budget", "none", "-o",
                                      Session(),       "--"};
    words.insert(words.end(), command.begin(), command.end());
    const ProgramResult result = RunProgram(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result;
  }
  std::unique_ptr<BackgroundProgram> StartRecording() {
    auto recorder = std::make_unique<BackgroundProgram>(
        std::vector<std::string>{GORDIAN_PROGRAM, "record", "--budget", "none", "-o", Session()},
        std::vector<std::string>{}, dir_ / "errors");
    while (!fs::exists(Session() + "/session.pb") && !recorder->Ended())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return recorder;
  }
  std::string Session() const { return dir_ / "session"; }

  const TempDir dir_;
};

TEST_F(ProbeRecordingTest, EveryWordOfEveryThreadIsRecorded) {
  constexpr int kThreads = 8;
  constexpr int kWords = 500;
  Record({SPEAKER_PROGRAM, "words", std::to_string(kThreads), std::to_string(kWords)});
  std::map<int32_t, int64_t> next;
  uint64_t phases = 0;
  for (const Word& word : WordsIn(Session())) {
    if (word.kind == "count") {
      EXPECT_EQ(word.name, "word");
      EXPECT_EQ(word.value, next[word.tid]++);
    } else {
      EXPECT_EQ(word.kind, phases++ == 0 ? "phase_begin" : "phase_end");
      if (word.kind == "phase_begin") {
        EXPECT_EQ(word.name + " " + word.key, "speaking 500");
      }
    }
  }
  EXPECT_EQ(phases, 2u);
  ASSERT_EQ(next.size(), static_cast<size_t>(kThreads));
  for (const auto& [tid, words] : next) EXPECT_EQ(words, kWords) << tid;
}

TEST_F(ProbeRecordingTest, MoreThreadsThanPlacesAreRecordedOrCounted) {
  Record({SPEAKER_PROGRAM, "words", "400", "200"});
  const uint64_t lost = Counter(Session(), "records_lost_probe");
  EXPECT_EQ(WordsIn(Session()).size() + lost, 400u * 200 + 2);
  EXPECT_EQ(Counter(Session(), "records_produced_probe"), 400u * 200 + 2);
}

TEST_F(ProbeRecordingTest, ForkedChildrenSpeakForThemselves) {
  Record({SPEAKER_PROGRAM, "fork", "5"});
  std::map<int32_t, std::string> told;
  for (const Word& word : WordsIn(Session()))
    told[word.tid] += word.name + std::to_string(word.value);
  ASSERT_EQ(told.size(), 6u);
  std::vector<std::string> texts;
  for (const auto& [tid, text] : told) texts.push_back(text);
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(texts, (std::vector<std::string>{"depth0", "depth1back1", "depth2back2", "depth3back3",
                                             "depth4back4", "depth5back5"}));
}

TEST_F(ProbeRecordingTest, AProgramSpeaksBeforeAndAfterExec) {
  Record({SPEAKER_PROGRAM, "exec", "100"});
  const std::vector<Word> words = WordsIn(Session());
  ASSERT_EQ(words.size(), 103u);
  EXPECT_EQ(words[0].name, "before");
  EXPECT_EQ(words[0].tid, words[1].tid);  // the phase's beginning, in the new program
}

// The analyzer takes the spinning for a wait for the thread that has the lock.
TEST_F(ProbeRecordingTest, WhoSpinsWaitsForWhoHoldsTheLock) {
  const ProgramResult played = Record({SPEAKER_PROGRAM, "spin", "30", "10"});
  std::istringstream told(played.output);
  int32_t holder = 0;
  int32_t waiter = 0;
  double spun_ns = 0;
  ASSERT_TRUE(told >> holder >> waiter >> spun_ns) << played.output;
  const std::vector<Word> words = WordsIn(Session());
  EXPECT_EQ(words.size(), 30u * 6);

  const ProgramResult graph =
      RunProgram({GORDIAN_PROGRAM, "graph", "--edges", "--no-merge", "--json", Session()});
  ASSERT_EQ(graph.exit_code, 0) << graph.errors;
  rapidjson::Document edges;
  edges.Parse(graph.output.c_str());
  double for_holder_s = 0;
  for (const auto& edge : edges["edges"].GetArray()) {
    if (edge["from_tid"].GetInt() != waiter) continue;
    const int32_t to = edge["to_tid"].GetInt();
    if (to == holder) for_holder_s = edge["own_s"].GetDouble();
    EXPECT_TRUE(to == holder || to == 0) << to;  // 0: the timer between two rounds
  }
  // Not all of it: on a busy machine the spinning thread waits for a CPU part of the time.
  EXPECT_GE(for_holder_s, 0.05 * spun_ns / 1e9);
  EXPECT_LE(for_holder_s, 1.05 * spun_ns / 1e9);
}

// A page that says how many words were said.
class Tally {
 public:
  explicit Tally(const std::string& path) : path_(path) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(ftruncate(fd, 8), 0);
    said_ = static_cast<std::atomic<uint64_t>*>(
        mmap(nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    close(fd);
  }
  ~Tally() { munmap(said_, 8); }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  uint64_t said() const { return said_->load(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::atomic<uint64_t>* said_;
};

TEST_F(ProbeRecordingTest, WhatAKilledProgramSaidIsRecorded) {
  constexpr int kKills = 50;
  const auto recorder = StartRecording();
  std::mt19937 random(20261121);
  std::vector<std::unique_ptr<Tally>> tallies;
  std::vector<int32_t> pids;
  for (int i = 0; i < kKills; ++i) {
    tallies.push_back(std::make_unique<Tally>(dir_ / ("tally" + std::to_string(i))));
    BackgroundProgram speaker({SPEAKER_PROGRAM, "forever", tallies.back()->path()}, {},
                              "/dev/null");
    pids.push_back(speaker.pid());
    // The time is for a random point.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    speaker.End(SIGKILL);
  }
  EXPECT_EQ(recorder->End(SIGINT), 0);
  std::map<int32_t, uint64_t> words;
  for (const Word& word : WordsIn(Session())) ++words[word.tid];
  // What a machine loses that leaves the recorder no time, or hides births and ends from it.
  const uint64_t lost = Counter(Session(), "records_lost_probe") +
                        Counter(Session(), "probe_threads_unknown") +
                        Counter(Session(), "probe_events_out_of_time");
  const uint64_t unread = Counter(Session(), "probe_gaps") +
                          Counter(Session(), "probe_files_refused") +
                          Counter(Session(), "probe_files_over_limit");
  uint64_t all = 0;
  uint64_t recorded = 0;
  for (int i = 0; i < kKills; ++i) {
    all += tallies[i]->said();
    recorded += words[pids[i]];
    // The last may have been said and not noted.
    EXPECT_LE(words[pids[i]], tallies[i]->said() + 1) << "kill " << i;
    if (lost == 0 && unread == 0) {
      EXPECT_GE(words[pids[i]], tallies[i]->said()) << "kill " << i;
    }
  }
  // Words are counted one by one if the recorder met them; else it tells how often it came too
  // late.
  if (unread == 0) {
    EXPECT_GE(recorded + lost, all);
  }
  EXPECT_LE(recorded + lost, all + kKills);
  EXPECT_GT(all, 1000u);
  std::printf("%lu words said by %d killed programs, %lu lost, %lu times not read\n", all, kKills,
              lost, unread);
}

TEST_F(ProbeRecordingTest, AContainersProgramIsFoundAndNamedAsThisMachineKnowsIt) {
  const auto recorder = StartRecording();
  const Tally tally(dir_ / "tally");
  // Mount and pid namespaces of its own; the shell that unshare becomes is pid 1 there.
  BackgroundProgram container(
      {"/usr/bin/unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c",
       "mount -t tmpfs shm /dev/shm && exec \"$0\" forever \"$1\"", SPEAKER_PROGRAM, tally.path()},
      {}, dir_ / "container-errors");
  const std::string children = "/proc/" + std::to_string(container.pid()) + "/task/" +
                               std::to_string(container.pid()) + "/children";
  int32_t pid = 0;
  while (tally.said() == 0) {
    if (container.Ended()) GTEST_SKIP() << "no right to make namespaces";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::ifstream(children) >> pid;
  ASSERT_GT(pid, 0);
  // The recorder leaves its mark when it has found the directory, and looked at the files in it.
  while (!fs::exists("/proc/" + std::to_string(pid) + "/root/dev/shm/gordian-recording"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const uint64_t said = tally.said();
  while (tally.said() < said + 2000) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(recorder->End(SIGINT), 0);
  container.End(SIGKILL);
  uint64_t words = 0;
  for (const Word& word : WordsIn(Session())) {
    EXPECT_EQ(word.tid, pid);
    EXPECT_EQ(word.value == 0 && words > 0, false);
    ++words;
  }
  EXPECT_GE(words, 2000u);
}

const std::vector<std::string> kScript = {"phase_begin load part 1",
                                          "spin_begin",
                                          "spin_end",
                                          "spin_release",
                                          "false_wakeup",
                                          "count",
                                          "phase_end"};

// The same piece in other languages: the words of kScript, and 500 words by each of 3 threads.
void ExpectScript(const std::vector<Word>& words) {
  std::vector<std::string> main_thread;
  std::map<int32_t, int64_t> next;
  for (const Word& word : words) {
    if (word.name == "word") {
      EXPECT_EQ(word.value, next[word.tid]++);
      continue;
    }
    main_thread.push_back(word.kind + (word.key.empty() ? "" : " " + word.name + " " + word.key));
    if (word.kind == "count") {
      EXPECT_EQ(word.name, "rows");
      EXPECT_EQ(word.value, -7);
    }
    if (word.kind.rfind("spin", 0) == 0) {
      EXPECT_EQ(word.value, 4711);
    }
  }
  EXPECT_EQ(main_thread, kScript);
  ASSERT_EQ(next.size(), 3u);
  for (const auto& [tid, count] : next) EXPECT_EQ(count, 500);
}

TEST_F(ProbeRecordingTest, PythonSpeaks) {
  const char* python = "/usr/bin/python3";
  if (access(python, X_OK) != 0) GTEST_SKIP() << python << " is not installed";
  Record({"/usr/bin/env", "PYTHONDONTWRITEBYTECODE=1", std::string("PYTHONPATH=") + PYTHON_MODULES,
          python, std::string(TEST_SOURCES) + "/speaker.py"});
  ExpectScript(WordsIn(Session()));
  EXPECT_EQ(Counter(Session(), "records_lost_probe"), 0u);
}

std::map<std::string, int> KindsIn(const std::vector<Word>& words) {
  std::map<std::string, int> kinds;
  for (const Word& word : words) ++kinds[word.kind];
  return kinds;
}

TEST_F(ProbeRecordingTest, TheExampleOfASpinLockTellsWhoHasIt) {
  Record({SPIN_LOCK_EXAMPLE});
  std::map<std::string, int> kinds = KindsIn(WordsIn(Session()));
  EXPECT_EQ(Counter(Session(), "records_lost_probe"), 0u);
  EXPECT_EQ(kinds["spin_release"], 4 * 200);
  EXPECT_EQ(kinds["spin_begin"], kinds["spin_end"]);
}

TEST_F(ProbeRecordingTest, TheExampleOfTicketsTellsOfFalseWakeups) {
  // Where all its threads share one CPU for the whole of its short life, each that is woken finds a
  // ticket. That is chance, and soon over.
  int false_wakeups = 0;
  for (int attempt = 0; attempt < 8 && false_wakeups == 0; ++attempt) {
    fs::remove_all(Session());
    Record({TICKETS_EXAMPLE});
    std::map<std::string, int> kinds = KindsIn(WordsIn(Session()));
    EXPECT_EQ(kinds["count"], 200);
    EXPECT_EQ(kinds["phase_begin"], 200);
    EXPECT_EQ(kinds["phase_end"], 200);
    false_wakeups = kinds["false_wakeup"];
  }
  EXPECT_GT(false_wakeups, 0);
}

TEST_F(ProbeRecordingTest, TheExampleOfPhasesTellsThem) {
  const char* python = "/usr/bin/python3";
  if (access(python, X_OK) != 0) GTEST_SKIP() << python << " is not installed";
  Record({"/usr/bin/env", "PYTHONDONTWRITEBYTECODE=1", std::string("PYTHONPATH=") + PYTHON_MODULES,
          python, std::string(PROBE_EXAMPLES) + "/phases.py"});
  std::vector<std::string> begun;
  for (const Word& word : WordsIn(Session())) {
    if (word.kind == "phase_begin") begun.push_back(word.name + " " + word.key);
  }
  EXPECT_EQ(begun, (std::vector<std::string>{"job nightly", "parse part 0", "parse part 1",
                                             "parse part 2"}));
}

TEST_F(ProbeRecordingTest, JavaSpeaks) {
  const ProgramResult compiled =
      RunProgram({"/usr/bin/env", "javac", "-d", dir_ / "classes", std::string(JAVA_SOURCE),
                  std::string(TEST_SOURCES) + "/Speaker.java"});
  if (compiled.exit_code == 127) GTEST_SKIP() << "no javac is installed";
  ASSERT_EQ(compiled.exit_code, 0) << compiled.errors;
  Record({"/usr/bin/env", "java", "-cp", dir_ / "classes", "Speaker"});
  ExpectScript(WordsIn(Session()));
  EXPECT_EQ(Counter(Session(), "records_lost_probe"), 0u);
}

}  // namespace
}  // namespace gordian::testing
