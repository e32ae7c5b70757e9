// SPDX-License-Identifier: Apache-2.0
#include "views/flames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "query/test_recording.h"

namespace gordian {
namespace {

using testing::TraceBuilder;
using testing::operator""_ms;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A server that waits twice, in two functions that Serve calls, and runs in one of them.
void MakeServer(TraceBuilder& trace) {
  trace.Thread(10, "server").Thread(20, "disk");
  trace.session().mutable_options()->set_sample_hz(1000);
  const uint32_t commit = trace.AddStack({}, {{"Commit"}, {"Serve"}, {"main"}});
  const uint32_t reply = trace.AddStack({}, {{"Reply"}, {"Serve"}, {"main"}});
  trace.At(0).Cpu(0).Run(10);
  trace.At(1_ms).AddStackSample(10, StackMoment::kCpu, reply);
  trace.At(2_ms).Block(kStateInterruptible);
  trace.AddStackSample(10, StackMoment::kWait, commit, 1);
  trace.At(2_ms).Cpu(1).Run(20);
  trace.At(8_ms).Wake(10);
  trace.At(8_ms).Cpu(0).Run(10);
  trace.At(9_ms).Block(kStateInterruptible);
  trace.AddStackSample(10, StackMoment::kWait, reply);
  trace.At(10_ms).Cpu(1).Wake(10);
  trace.At(10_ms).Cpu(0).Run(10);
  trace.At(11_ms).Block(kStateInterruptible);
}

class Flames : public ::testing::Test {
 protected:
  Flames() {
    MakeServer(trace_);
    recording_ = std::make_unique<QueryRecording>(trace_);
  }

  std::vector<std::string> Of(FlameKind kind, uint64_t from_ns, uint64_t to_ns) const {
    const Analysis& analysis = recording_->analysis();
    FlameRequest request = {.kind = kind, .from_ns = from_ns, .to_ns = to_ns};
    request.is_asked.resize(analysis.timeline().thread_count(), 1);
    const auto flame = MakeFlame(analysis.timeline(), analysis.code(), request);
    EXPECT_TRUE(flame.ok()) << flame.status();
    std::vector<std::string> lines;
    for (const FlameNode& node : flame->nodes) {
      if (node.depth == 0) continue;
      lines.push_back(absl::StrCat(std::string(node.depth - 1, ' '),
                                   FrameName(analysis.code().frame(node.frame)), " ",
                                   node.ns / 1e6));
    }
    return lines;
  }

  TraceBuilder trace_;
  std::unique_ptr<QueryRecording> recording_;
};

TEST_F(Flames, OfWaitsCountEachByItsLengthAndChance) {
  EXPECT_THAT(Of(FlameKind::kWaits, 0, 11_ms),
              ElementsAre("main 13", " Serve 13", "  Commit 12", "  Reply 1"));
}

TEST_F(Flames, OfARangeCountWhatLiesInIt) {
  EXPECT_THAT(Of(FlameKind::kWaits, 0, 4_ms), ElementsAre("main 4", " Serve 4", "  Commit 4"));
  EXPECT_THAT(Of(FlameKind::kRunning, 2_ms, 11_ms), IsEmpty());
}

TEST_F(Flames, OfRunningThreadsCountTheInterval) {
  EXPECT_THAT(Of(FlameKind::kRunning, 0, 11_ms), ElementsAre("main 1", " Serve 1", "  Reply 1"));
}

TEST_F(Flames, OfNoTimeOrNoThreadsAreRefused) {
  const Analysis& analysis = recording_->analysis();
  EXPECT_FALSE(MakeFlame(analysis.timeline(), analysis.code(), {.to_ns = 10}).ok());
}

}  // namespace
}  // namespace gordian
