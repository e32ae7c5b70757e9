// SPDX-License-Identifier: Apache-2.0
// One small set of stacks, in the format of each tool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <zlib.h>

#include "output/critical_flame.h"
#include "output/folded_waits.h"
#include "output/pprof.h"
#include "output/pprof.pb.h"
#include "output/speedscope.h"
#include "tests/support/trace_builder.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

class StackExports : public ::testing::Test {
 protected:
  StackExports() {
    gordian::testing::TraceBuilder t;
    t.AddStack({"ext4_sync_file"},
               {{"fsync", "/lib/libc.so.6"}, {"Commit;\n", "/bin/server", "/src/log.cc", 88}});
    t.AddStack({}, {{"Encode", "/bin/server"}});
    code_ = Code(t.symbols());
    stacks_ = {{.process = "server",
                .thread = "B",
                .path = code_.PathOf(1, StackSide::kWaiter),
                .waits_for = "vda",
                .seconds = 1.5,
                .samples = 7},
               {.process = "server", .thread = "A", .waits_for = "B", .seconds = 0.25},
               {.process = "server",
                .thread = "B",
                .path = code_.PathOf(2, StackSide::kRunning),
                .seconds = 2,
                .samples = 4}};
  }

  Code code_;
  std::vector<WeightedStack> stacks_;
};

TEST_F(StackExports, FoldedStacksAreThoseOfWaits) {
  EXPECT_EQ(FoldedWaits(stacks_, code_),
            "server;B;Commit:\uFFFD;fsync;ext4_sync_file;[waits for vda] 1500000\n"
            "server;A;waits for B 250000\n");
}

TEST_F(StackExports, SpeedscopeHasOneProfileOfWaitsAndOneOfRunning) {
  rapidjson::Document file;
  file.Parse(SpeedscopeJson(stacks_, code_, "trace").c_str());
  ASSERT_TRUE(file.IsObject());
  const auto& frames = file["shared"]["frames"];
  const auto names = [&](const rapidjson::Value& sample) {
    std::vector<std::string> list;
    for (const auto& index : sample.GetArray())
      list.emplace_back(frames[index.GetUint()]["name"].GetString());
    return list;
  };
  const auto& waiting = file["profiles"][0];
  const auto& running = file["profiles"][1];
  EXPECT_THAT(names(waiting["samples"][0]), ElementsAre("server", "B", "Commit;\uFFFD", "fsync",
                                                        "ext4_sync_file", "[waits for vda]"));
  EXPECT_THAT(names(waiting["samples"][1]), ElementsAre("server", "A", "[waits for B]"));
  EXPECT_THAT(names(running["samples"][0]), ElementsAre("server", "B", "Encode"));
  EXPECT_EQ(waiting["weights"][0].GetDouble(), 1.5);
  EXPECT_EQ(waiting["endValue"].GetDouble(), 1.75);
  EXPECT_EQ(running["endValue"].GetDouble(), 2);
  EXPECT_STREQ(waiting["unit"].GetString(), "seconds");
  EXPECT_EQ(frames[2]["line"].GetUint(), 88u);
}

std::string Gunzip(const std::string& packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string bytes(1 << 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  inflateEnd(&stream);
  return bytes;
}

TEST_F(StackExports, PprofIsGivenAWholeProfile) {
  pprof::Profile profile;
  ASSERT_TRUE(profile.ParseFromString(Gunzip(PprofProfile(stacks_, code_, 10))));
  const auto text = [&](int64_t index) { return profile.string_table(static_cast<int>(index)); };
  EXPECT_EQ(text(0), "");
  EXPECT_EQ(profile.duration_nanos(), 10'000'000'000);
  ASSERT_EQ(profile.sample_size(), 3);
  EXPECT_THAT(profile.sample(0).value(), ElementsAre(7, 1'500'000'000, 0));
  EXPECT_THAT(profile.sample(2).value(), ElementsAre(4, 0, 2'000'000'000));
  std::vector<std::string> functions;
  for (const uint64_t id : profile.sample(0).location_id()) {
    const pprof::Location& location = profile.location(static_cast<int>(id) - 1);
    EXPECT_EQ(location.id(), id);
    const uint64_t function = location.line(0).function_id();
    functions.push_back(text(profile.function(static_cast<int>(function) - 1).name()));
  }
  EXPECT_THAT(functions,
              ElementsAre("[waits for vda]", "ext4_sync_file", "fsync", "Commit;\uFFFD"));
  EXPECT_EQ(profile.location(3).line(0).line(), 88);
  EXPECT_EQ(text(profile.mapping(2).filename()), "/bin/server");
  EXPECT_EQ(text(profile.sample(0).label(1).str()), "B");
}

TEST_F(StackExports, TheCriticalFlameGraphIsOfRunsAndItsFileTellsTheFormat) {
  const std::vector<WeightedStack> runs = {stacks_[2],
                                           {.process = "server", .thread = "A", .seconds = 0.25}};
  EXPECT_EQ(CriticalFlame(runs, code_, FlameFormatOf("critical.folded"), "trace", 10),
            "server;B;Encode 2000000\nserver;A;[not sampled] 250000\n");
  EXPECT_EQ(CriticalFlame(runs, code_, FlameFormatOf("a.json"), "trace", 10),
            SpeedscopeJson(runs, code_, "trace"));
  EXPECT_EQ(FlameFormatOf("a.pb.gz"), FlameFormat::kPprof);
  EXPECT_EQ(FlameFormatOf("a.pb"), FlameFormat::kPprof);
  EXPECT_EQ(FlameFormatOf("-"), FlameFormat::kFolded);
}

}  // namespace
}  // namespace gordian
