// SPDX-License-Identifier: Apache-2.0
// gordian traffic, as a person meets it.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <string>

#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint32_t kHeaders = 14 + 20 + 8;

FlowRecord Udp(const std::string& from, const std::string& to) {
  FlowRecord flow{.flow_id = 1,
                  .family = FlowFamily::kIpv4,
                  .protocol = IPPROTO_UDP,
                  .source_port = 5000,
                  .destination_port = 5000};
  inet_pton(AF_INET, from.c_str(), flow.source.data());
  inet_pton(AF_INET, to.c_str(), flow.destination.data());
  return flow;
}

class TrafficVerb : public ::testing::Test {
 protected:
  // Each sends 1000 bytes to the other in its step 1, and the first one 3000 more in its step 2.
  void SetUp() override {
    std::filesystem::create_directory(run_);
    for (const int node : {1, 2}) {
      const std::string own = "10.0.0." + std::to_string(node);
      TraceBuilder t;
      t.Unchecked().Thread(10, "worker").Flow(Udp(own, "10.0.0." + std::to_string(3 - node)));
      pb::Interface* eth = t.session().add_interfaces();
      eth->set_index(2);
      eth->add_addresses(own);
      pb::ClockPair* pair = t.session().add_clocks();
      pair->set_monotonic_ns(t.session().start_time_ns());
      pair->set_realtime_ns(1'700'000'000'000'000'000);
      t.At(2_ms).NetSend(Packet(1000));
      if (node == 1) t.At(4_ms).NetSend(Packet(3000));
      t.Cpu(kNoCpu).At(1_ms).PhaseBegin(10, "Step", "1");
      t.At(3_ms).Probe(10, ProbeKind::kPhaseEnd, "Step").PhaseBegin(10, "Step", "2");
      t.At(5_ms).Probe(10, ProbeKind::kPhaseEnd, "Step");
      ASSERT_TRUE(t.WriteSession(run_ + "/n" + std::to_string(node)).ok());
    }
  }
  static NetEvent Packet(uint32_t payload) {
    return {.flow_id = 1, .interface = 2, .bytes = kHeaders + payload, .tid = 10};
  }
  template <typename... Arguments>
  ProgramResult Traffic(const Arguments&... arguments) {
    return RunProgram({GORDIAN_PROGRAM, "traffic", run_, arguments...});
  }
  std::string NodesFile(const std::string& racks) {
    return WriteFile(dir_ / "nodes.yaml",
                     "certificate: c\nkey: k\nauthority: a\nnodes:\n  n1: h1\n"
                     "  n2: h2\n" +
                         racks);
  }

  const TempDir dir_;
  const std::string run_ = dir_ / "run";
};

TEST_F(TrafficVerb, FirstLineSaysTheEssential) {
  const ProgramResult result = Traffic("--by", "host");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("80 % of 4.9 KiB go from n1 to n2, 20 % from n2 to n1; 3 "
                                        "messages in "));
  EXPECT_THAT(result.output, HasSubstr("counted by sender 4.9 KiB, by receiver 0 B"));
}

TEST_F(TrafficVerb, RacksComeFromTheNodesFile) {
  const ProgramResult result =
      Traffic("--by", "rack", "--nodes-file", NodesFile("racks:\n  r1: [n1]\n  r2: [n2]\n"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("80 % of 4.9 KiB go from r1 to r2, "));
  EXPECT_THAT(Traffic("--by", "rack", "--nodes-file", NodesFile("")).errors,
              HasSubstr("has no 'racks'"));
}

TEST_F(TrafficVerb, PhasesOfProbesAreSpans) {
  const ProgramResult result = Traffic("--per", "Step", "--json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  rapidjson::Document json;
  json.Parse(result.output.c_str());
  ASSERT_FALSE(json.HasParseError()) << result.output;
  ASSERT_EQ(json["spans"].Size(), 2u) << result.output;
  EXPECT_THAT(json["spans"][0]["phase"].GetString(), HasSubstr("Step[1]"));
  ASSERT_EQ(json["pairs"].Size(), 2u);
  EXPECT_STREQ(json["parties"][json["pairs"][0]["from"].GetInt()]["name"].GetString(),
               "n1/worker/10");
  EXPECT_EQ(json["pairs"][0]["spans"][0]["payload_bytes"].GetInt(), 1000);
  EXPECT_EQ(json["pairs"][0]["spans"][1]["payload_bytes"].GetInt(), 3000);
  EXPECT_EQ(json["pairs"][1]["spans"].Size(), 1u);
}

TEST_F(TrafficVerb, WhatMakesNoSenseIsUsage) {
  for (const char* per : {"0", "Stepp"}) {
    const ProgramResult result = Traffic("--per", per);
    EXPECT_EQ(result.exit_code, 2) << per;
    EXPECT_THAT(result.errors, HasSubstr(per));
  }
  EXPECT_EQ(Traffic("--by", "planet").exit_code, 2);
  const ProgramResult missing = RunProgram({GORDIAN_PROGRAM, "traffic", dir_ / "missing"});
  EXPECT_EQ(missing.exit_code, 1);
}

}  // namespace
}  // namespace gordian::testing
