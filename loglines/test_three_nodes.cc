// SPDX-License-Identifier: Apache-2.0
#include "loglines/test_three_nodes.h"

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"

namespace gordian::testing {
namespace {

constexpr uint64_t kRealtimeNs = 1'795'746'615'000'000'000;  // at time 0: 2026-11-27 02:30:15 UTC
constexpr uint16_t kClientPort = 50'000, kFrontPort = 8080, kAskPort = 40'000, kBackPort = 7000;
constexpr uint64_t kPatienceNs = 300'000'000;
constexpr int32_t kClient = 10, kFront = 20, kBack = 30;

}  // namespace

ThreeNodes::ThreeNodes() : directory_(dir_ / "recording"), texts_(3) {
  TestCluster& t = cluster_;
  t.Node("client");
  t.Node("front", {.skew_ns = 3'000'000'000, .bound_ns = 50'000});
  t.Node("back", {.skew_ns = -2'000'000'000, .bound_ns = 50'000});
  const std::vector<int64_t> skews_ns = {0, 3'000'000'000, -2'000'000'000};
  const std::vector<std::string> names = {"client", "front", "back"};
  t.Flow(kClientPort, kFrontPort);
  t.Flow(kFrontPort, kClientPort);
  t.Flow(kAskPort, kBackPort);
  t.Flow(kBackPort, kAskPort);
  t.At("client", 0).Thread(kClient, "client").Run(kClient);
  t.At("front", 0).Thread(kFront, "frontend").Thread(21, "other").Run(kFront).Block();
  t.At("back", 0).Thread(kBack, "backend").Run(kBack).Block();
  for (size_t i = 0; i < names.size(); ++i) {
    pb::ClockPair& pair = *t.At(names[i], 0).session().add_clocks();
    pair.set_monotonic_ns(
        static_cast<uint64_t>(static_cast<int64_t>(TestCluster::kBeginNs) + skews_ns[i]));
    pair.set_realtime_ns(static_cast<int64_t>(kRealtimeNs));
  }
  for (uint32_t i = 0; i < 30; ++i)
    Request(i * 20'000'000, 2'000'000, absl::StrCat("5a", i), 1000 + i * 100);
  Request(kFaultBeginsNs, 400'000'000, "7f3a", 9000);
  t.Measure(1'200'000'000);
  t.Write(directory_);
  auto recording = ReadRecording(directory_, {.threads = 1});
  if (!recording.ok()) std::abort();
  recording_ = *std::move(recording);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string folder = dir_ / absl::StrCat("logs/", names[i]);
    std::filesystem::create_directories(folder);
    logs_.push_back(WriteFile(absl::StrCat(folder, "/", names[i], ".log"), texts_[i]));
  }
}

std::string ThreeNodes::StampAt(uint64_t time_ns, int minutes_ahead) const {
  return absl::FormatTime("%Y-%m-%d %H:%M:%E6S",
                          absl::FromUnixNanos(static_cast<int64_t>(kRealtimeNs + time_ns)),
                          absl::FixedTimeZone(minutes_ahead * 60));
}

void ThreeNodes::Log(size_t file, uint64_t time_ns, const std::string& text) {
  absl::StrAppend(&texts_[file], StampAt(time_ns), " ", text, "\n");
}

std::string ThreeNodes::WriteCoarseFrontLog(const std::string& folder) const {
  std::string text;
  for (const auto line : absl::StrSplit(texts_[1], '\n', absl::SkipEmpty()))
    absl::StrAppend(&text, line.substr(0, 19), absl::StrReplaceAll(line.substr(26), {{"[20]", ""}}),
                    "\n");
  return WriteFile(absl::StrCat(folder, "/coarse.log"), text);
}

void ThreeNodes::Request(uint64_t begin_ns, uint64_t disk_ns, const std::string& id,
                         uint32_t sequence) {
  TestCluster& t = cluster_;
  const auto at = [&](const std::string& node, uint64_t us) -> TraceBuilder& {
    return t.At(node, begin_ns + us * 1000);
  };
  Log(0, begin_ns + 950'000, absl::StrCat("client[10] asks ", id));
  at("client", 1000);
  t.Send("client", kClientPort, kFrontPort, sequence, 100, kClient);
  at("client", 1100).Block();
  at("front", 1300);
  t.Deliver("front", kClientPort, kFrontPort, sequence, 100, kFront);
  at("front", 1350).Run(kFront);
  Log(1, begin_ns + 1'400'000, absl::StrCat("frontend[20] INFO request ", id));
  at("front", 1500);
  t.Send("front", kAskPort, kBackPort, sequence, 100, kFront);
  at("front", 1600).Block();
  const uint64_t waits_from_ns = begin_ns + 1'600'000;
  at("back", 1800);
  t.Deliver("back", kAskPort, kBackPort, sequence, 100, kBack);
  at("back", 1850).Run(kBack);
  Log(2, begin_ns + 1'900'000, absl::StrCat("backend[30] writes the record of ", id));
  const uint32_t disk = at("back", 2000).Disk("sda");
  at("back", 2000).Block(kDiskSleep);
  const uint64_t done_us = 2000 + disk_ns / 1000;
  uint64_t front_us = done_us + 500;
  const bool gives_up = waits_from_ns + kPatienceNs < begin_ns + done_us * 1000;
  if (gives_up) {
    front_us = (waits_from_ns + kPatienceNs - begin_ns) / 1000;
    at("front", front_us).WakeFromTimer(kFront);
    at("front", front_us + 50).Run(kFront);
    Log(1, begin_ns + (front_us + 100) * 1000,
        absl::StrCat("frontend[20] ERROR request ", id, " timed out"));
  }
  at("back", done_us).WakeFromBlock(kBack, disk);
  at("back", done_us + 50).Run(kBack);
  if (gives_up) {
    Log(2, begin_ns + (done_us + 100) * 1000,
        absl::StrCat("backend[30] WARN the record of ", id, " took 400 ms"));
  }
  at("back", done_us + 150);
  t.Send("back", kBackPort, kAskPort, sequence, 200, kBack);
  at("back", done_us + 250).Block();
  if (!gives_up) {
    at("front", front_us);
    t.Deliver("front", kBackPort, kAskPort, sequence, 200, kFront);
    at("front", front_us + 50).Run(kFront);
  }
  at("front", front_us + 200);
  t.Send("front", kFrontPort, kClientPort, sequence, 200, kFront);
  at("front", front_us + 300).Block();
  at("client", front_us + 500);
  t.Deliver("client", kFrontPort, kClientPort, sequence, 200, kClient);
  at("client", front_us + 550).Run(kClient);
  if (gives_up) Log(0, begin_ns + (front_us + 600) * 1000, absl::StrCat("client[10] lost ", id));
}

}  // namespace gordian::testing
