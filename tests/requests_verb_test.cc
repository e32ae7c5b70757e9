// SPDX-License-Identifier: Apache-2.0
// gordian requests, as a person meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <sstream>
#include <string>
#include <vector>

#include "requests/test_talk.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/time_literals.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint16_t kClientPort = 50001;

template <typename... Arguments>
ProgramResult AskGordian(const Arguments&... arguments) {
  return RunProgram({GORDIAN_PROGRAM, "requests", arguments...});
}

std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

// A server answers three requests: each takes longer than the one before, as it waits for another
// thread. The server tells the phase of each.
class RequestsVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    TestTalk talk;
    TraceBuilder& t = talk.trace();
    t.Thread(10, "server").Thread(20, "helper", 10);
    talk.At(0).Run(10);
    talk.At(1_us).Block();
    talk.At(2_us, 1).Run(20);
    for (uint64_t round = 1; round <= 3; ++round) {
      const uint64_t begin_ns = round * 100_ms;
      talk.At(begin_ns);
      talk.Ask(kClientPort, 100).trace().WakeFromNet(10, talk.eth());
      talk.At(begin_ns).Run(10);
      talk.At(begin_ns, kNoCpu).Probe(10, ProbeKind::kPhaseBegin, "request");
      talk.At(begin_ns + 1_ms).Block();
      talk.At(begin_ns + 1_ms + round * 10_ms, 1).Wake(10);
      talk.At(begin_ns + 1_ms + round * 10_ms).Run(10);
      talk.At(begin_ns + 2_ms + round * 10_ms, kNoCpu).Probe(10, ProbeKind::kPhaseEnd);
      talk.At(begin_ns + 2_ms + round * 10_ms);
      talk.Answer(kClientPort, 10, 200);
      talk.At(begin_ns + 3_ms + round * 10_ms).Block();
    }
    talk.At(500_ms);
    ASSERT_TRUE(t.WriteSession(recording_).ok());
  }

  TempDir dir_;
  std::string recording_ = dir_ / "trace";
};

TEST_F(RequestsVerb, SaysInTheFirstSentenceWhatHeldTheRequests) {
  const ProgramResult result = AskGordian(recording_);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("The median of 3 requests to port 80 (server) is 22 ms. "));
  EXPECT_THAT(result.output, HasSubstr("waits for helper"));
  EXPECT_THAT(result.output, HasSubstr("WHERE THE TIME GOES"));
  EXPECT_THAT(result.output, HasSubstr("--critical-path --thread 10 --from 0.3"));
}

TEST_F(RequestsVerb, WritesARowForEachRequestWhosePartsAddUp) {
  const ProgramResult result = AskGordian(recording_, "--target", "server", "--csv", "-");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::istringstream lines(result.output);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> titles = CellsOf(line);
  int rows = 0;
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = CellsOf(line);
    ASSERT_EQ(cells.size(), titles.size());
    uint64_t parts_ns = 0;
    for (size_t i = 10; i < cells.size(); ++i) parts_ns += std::stoull(cells[i]);
    EXPECT_EQ(std::stoull(cells[4]), parts_ns);
    EXPECT_EQ(std::stoull(cells[4]), 2_ms + static_cast<uint64_t>(++rows) * 10_ms);
  }
  EXPECT_EQ(rows, 3);
}

TEST_F(RequestsVerb, TellsPercentilesAndStepsAsJson) {
  const ProgramResult result = AskGordian(recording_, "--json", "-", "--slowest", "2");
  rapidjson::Document json;
  json.Parse(result.output.c_str());
  ASSERT_FALSE(json.HasParseError()) << result.output;
  const auto& port = json["ports"][0];
  EXPECT_EQ(port["port"].GetUint(), 80u);
  EXPECT_EQ(port["requests"].GetUint64(), 3u);
  ASSERT_EQ(port["slowest"].Size(), 2u);
  const auto& slowest = port["slowest"][0];
  EXPECT_EQ(slowest["latency_ns"].GetUint64(), 32_ms);
  EXPECT_EQ(slowest["steps"][0]["from_ns"].GetUint64(), slowest["start_ns"].GetUint64());
  EXPECT_EQ(slowest["client"].GetString(), std::string("10.0.0.0:50001"));
  EXPECT_EQ(port["percentiles"][4]["latency_ns"].GetUint64(), 32_ms);
  EXPECT_EQ(port["classes"][0]["requests"].GetUint64(), 3u);
}

TEST_F(RequestsVerb, TakesThePhasesThatTheProgramToldForRequests) {
  const ProgramResult result = AskGordian(recording_, "--phase", "request");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              StartsWith("The median of 3 requests of phase request (server) is 22 ms. "));
  EXPECT_THAT(result.output, HasSubstr("these times are exact"));
  const ProgramResult none = AskGordian(recording_, "--phase", "nothing");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.errors, HasSubstr("no phase is called nothing"));
}

TEST_F(RequestsVerb, SaysWhatWouldHelpWhereThereAreNone) {
  const ProgramResult result = AskGordian(recording_, "--target", "helper");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors,
              HasSubstr("unix sockets and pipes are seen if you record with --local-messages"));
  EXPECT_EQ(AskGordian(recording_, "--from", "450ms").exit_code, 1);
  EXPECT_EQ(AskGordian(recording_, "--phase", "request", "--port", "80").exit_code, 2);
  EXPECT_EQ(AskGordian(recording_, "--json", "-", "--csv", "-").exit_code, 2);
  EXPECT_EQ(AskGordian(recording_, "--port", "0").exit_code, 2);
}

}  // namespace
}  // namespace gordian::testing
