// SPDX-License-Identifier: Apache-2.0
// gordian analyze, graph, timeline and diff, as a person meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int32_t kProcess = 10, kA = 11, kB = 12;

template <typename... Arguments>
ProgramResult Gordian(const Arguments&... arguments) {
  return RunProgram({GORDIAN_PROGRAM, arguments...});
}

MATCHER(IsOneLine, "is one line") {
  return std::count(arg.begin(), arg.end(), '\n') == 1 && arg.back() == '\n';
}

constexpr int32_t kPing = 20, kPong = 21, kHog = 22, kCopier = 23;

void BeginOtherLoad(TraceBuilder& t) {
  t.Thread(kPing, "ping").Thread(kPong, "pong").Thread(kHog, "hog").Thread(kCopier, "dd");
  t.At(0).Cpu(2).Run(kPing).Cpu(3).Run(kHog);
}

// In the first millisecond of ten: the players change turns on CPU 2; on CPU 3 the hog burns its
// CPU, except for a moment in which dd writes to the same disk.
void OtherLoad(TraceBuilder& t, uint32_t disk, uint64_t begin_ns) {
  const BlockEvent write = {.sector = 900,
                            .service_ns = 300'000,
                            .device = disk,
                            .bytes = 65536,
                            .tid = kCopier,
                            .operation = BlockOperation::kWrite};
  t.At(begin_ns + 100'000).Cpu(2).Wake(kPong).Run(kPong);
  t.At(begin_ns + 200'000).Cpu(3).Run(kCopier);
  t.At(begin_ns + 300'000).Issue(write).Block(kDiskSleep).Run(kHog);
  t.At(begin_ns + 600'000).Complete(write).WakeFromBlock(kCopier, disk);
  t.At(begin_ns + 700'000).Cpu(2).Wake(kPing).Run(kPing);
}

// Figure 1 of the wPerf paper: A works 2 ms and waits 8 ms for B; B works 5 ms and syncs 5 ms to
// vda, `requests` times. In the middle the recording pauses, if at all.
std::string Figure1(const std::string& directory, int requests = 100, std::string_view a_name = "A",
                    size_t events_per_block = 1000, bool beside_other_load = false,
                    uint64_t pause_ns = 0) {
  TraceBuilder t;
  if (beside_other_load) BeginOtherLoad(t);
  t.Thread(kProcess, "figure1").Thread(kA, a_name, kProcess).Thread(kB, "B", kProcess);
  const uint32_t vda = t.Disk("vda");
  t.session().mutable_host()->set_cpus(2);
  pb::Target* target = t.session().add_targets();
  target->set_pid(kProcess);
  t.At(0).Cpu(1).Run(kA).Cpu(0).Run(kB);
  for (int i = 0; i < requests; ++i) {
    const bool resumed = pause_ns != 0 && i >= requests / 2;
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 10_ms + (resumed ? pause_ns : 0);
    if (resumed && t.session().pauses().empty()) {
      const uint64_t origin_ns = t.session().start_time_ns();
      pb::Pause& pause = *t.session().add_pauses();
      pause.set_from_ns(origin_ns + begin_ns - pause_ns + 1);
      pause.set_to_ns(origin_ns + begin_ns);
    }
    if (beside_other_load) OtherLoad(t, vda, begin_ns);
    t.At(begin_ns + 2_ms).Cpu(1).Block();
    t.At(begin_ns + 5_ms)
        .Cpu(0)
        .Issue({.sector = 100,
                .device = vda,
                .bytes = 65536,
                .tid = kB,
                .operation = BlockOperation::kWrite});
    t.Block(kDiskSleep);
    t.At(begin_ns + 10_ms)
        .Complete({.sector = 100,
                   .service_ns = 5_ms,
                   .device = vda,
                   .bytes = 65536,
                   .tid = kB,
                   .operation = BlockOperation::kWrite});
    t.WakeFromBlock(kB, vda).Run(kB).Wake(kA).Cpu(1).Run(kA);
  }
  EXPECT_TRUE(t.WriteSession(directory, events_per_block).ok());
  return directory;
}

rapidjson::Document Json(const std::string& text) {
  rapidjson::Document json;
  json.Parse(text.data(), text.size());
  EXPECT_FALSE(json.HasParseError()) << text.substr(0, 300);
  return json;
}

TEST(Analyze, FirstLineOfFigure1IsTheKnotOfBAndTheDisk) {
  const TempDir dir;
  const ProgramResult result = Gordian("analyze", Figure1(dir / "trace"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, IsEmpty());
  const std::string first_line = result.output.substr(0, result.output.find('\n'));
  EXPECT_THAT(first_line, AllOf(HasSubstr("B"), HasSubstr("vda")));
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("B -> vda"), HasSubstr("vda -> B"), HasSubstr("up to 2.0×")));
  EXPECT_THAT(result.output, Not(HasSubstr("\x1b")));
}

TEST(Analyze, JsonNamesTheKnotTheEdgeAndWhatIsRuledOut) {
  const TempDir dir;
  const ProgramResult result = Gordian("analyze", Figure1(dir / "trace"), "--json", "-");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const rapidjson::Document json = Json(result.output);
  EXPECT_NEAR(json["recording"]["seconds"].GetDouble(), 1.0, 0.01);
  const auto name_of = [&json](const rapidjson::Value& id) {
    for (const auto& vertex : json["vertices"].GetArray()) {
      if (vertex["id"] == id) return std::string(vertex["name"].GetString());
    }
    return std::string("?");
  };
  const rapidjson::Value& finding = json["findings"][0];
  EXPECT_STREQ(finding["kind"].GetString(), "knot");
  EXPECT_EQ(name_of(finding["edge"]["from"]), "B");
  EXPECT_EQ(name_of(finding["edge"]["to"]), "vda");
  EXPECT_EQ(finding["members"].Size(), 2u);
  ASSERT_GE(finding["ruled_out"].Size(), 1u);
  EXPECT_EQ(name_of(finding["ruled_out"][0]["vertex"]), "A");
  const auto edge_from = [&](const std::string& name) -> const rapidjson::Value& {
    const auto& edges = json["edges"].GetArray();
    return *std::find_if(edges.begin(), edges.end(),
                         [&](const auto& edge) { return name_of(edge["from"]) == name; });
  };
  EXPECT_NEAR(edge_from("A")["weight_s"].GetDouble(), 0.8, 0.01);
  EXPECT_NEAR(edge_from("B")["weight_s"].GetDouble(), 1.0, 0.01);
  EXPECT_NEAR(edge_from("B")["own_s"].GetDouble(), 0.5, 0.01);
  EXPECT_NEAR(edge_from("vda")["weight_s"].GetDouble(), 0.5, 0.01);
}

TEST(Analyze, WritesSeveralFilesAndTheText) {
  const TempDir dir;
  const std::string trace = Figure1(dir / "trace");
  std::filesystem::create_directory(dir / "out");
  const ProgramResult result =
      Gordian("analyze", trace, "--json", dir / "out/a.json", "--html", dir / "out/a.html", "--dot",
              dir / "out/a.dot", "--perfetto", dir / "out/a.pftrace", "--folded",
              dir / "out/a.folded", "--explain");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("Step by step"));
  EXPECT_TRUE(Json(ReadFile(dir / "out/a.json")).HasMember("findings"));
  EXPECT_THAT(ReadFile(dir / "out/a.html"),
              AllOf(StartsWith("<!doctype html>"), HasSubstr("\"bucket_counts\":[100]"),
                    EndsWith("</html>\n")));
  EXPECT_THAT(ReadFile(dir / "out/a.dot"), StartsWith("// Who waits"));
  EXPECT_THAT(ReadFile(dir / "out/a.folded"), HasSubstr("figure1;B;waits for vda 500000\n"));
  EXPECT_GT(std::filesystem::file_size(dir / "out/a.pftrace"), 1000u);
}

TEST(Analyze, TakesAPartOfTheRecording) {
  const TempDir dir;
  const std::string trace = Figure1(dir / "trace");
  const ProgramResult part =
      Gordian("analyze", trace, "--from", "200ms", "--to", "700ms", "--json", "-");
  ASSERT_EQ(part.exit_code, 0) << part.errors;
  EXPECT_NEAR(Json(part.output)["recording"]["seconds"].GetDouble(), 0.5, 0.001);
  const ProgramResult nothing = Gordian("analyze", trace, "--from", "5s");
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.errors, AllOf(IsOneLine(), HasSubstr("nothing from --from to --to")));
}

TEST(Analyze, APauseChangesNoFindingAndIsTold) {
  const TempDir dir;
  const auto findings = [](const std::string& text) {
    return text.substr(0, text.find("\nRecording\n"));
  };
  const std::string whole = Figure1(dir / "whole");
  const std::string paused = Figure1(dir / "paused", 100, "A", 1000, false, 300_ms);
  const ProgramResult of_whole = Gordian("analyze", "--no-predictions", whole);
  const ProgramResult of_paused = Gordian("analyze", "--no-predictions", paused);
  ASSERT_EQ(of_paused.exit_code, 0) << of_paused.errors;
  EXPECT_EQ(findings(of_paused.output), findings(of_whole.output));
  EXPECT_THAT(of_paused.output, HasSubstr("it paused once, for 300 ms, to keep"));
  EXPECT_THAT(of_whole.output, Not(HasSubstr("paused")));

  const ProgramResult result = Gordian("analyze", "--json", "-", paused);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const rapidjson::Document json = Json(result.output);
  EXPECT_NEAR(json["recording"]["seconds"].GetDouble(), 1.0, 0.01);
  EXPECT_NEAR(json["recording"]["paused_s"].GetDouble(), 0.3, 0.01);
}

TEST(Analyze, APauseOfMostOfTheTimeIsADoubt) {
  const TempDir dir;
  const std::string paused = Figure1(dir / "paused", 100, "A", 1000, false, 3'000_ms);
  const ProgramResult result = Gordian("analyze", "--no-predictions", paused);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("trust     likely: The recording paused for 3 s of 4 s"));
}

TEST(Analyze, SameRecordingSameOutput) {
  const TempDir dir;
  const std::string trace = Figure1(dir / "trace");
  const ProgramResult once = Gordian("analyze", trace, "--json", "-", "--threads", "1");
  EXPECT_EQ(once.output, Gordian("analyze", trace, "--json", "-", "--threads", "2").output);
}

TEST(Analyze, UnrelatedLoadBesideTheTargetDoesNotChangeTheFinding) {
  const TempDir dir;
  const std::string alone = Figure1(dir / "alone", 100, "A", 1000, false);
  const std::string beside = Figure1(dir / "beside", 100, "A", 1000, true);
  const auto first = [](const std::string& trace, const std::vector<std::string>& target) {
    std::vector<std::string> words = {GORDIAN_PROGRAM, "analyze", trace, "--json", "-"};
    words.insert(words.end(), target.begin(), target.end());
    const ProgramResult result = RunProgram(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const rapidjson::Document json = Json(result.output);
    const rapidjson::Value& finding = json["findings"][0];
    return absl::StrCat(finding["title"].GetString(), " ",
                        std::lround(100 * finding["share"].GetDouble()), " % of ",
                        json["scope"]["chosen_by"].GetString());
  };
  EXPECT_EQ(first(beside, {}), first(alone, {}));
  EXPECT_EQ(first(beside, {"--pid", "10"}), first(alone, {"--pid", "10"}));
  EXPECT_THAT(first(beside, {"--pid", "10"}), HasSubstr("B and the disk vda"));
}

struct BadInput {
  const char* name;
  std::vector<std::string> words;  // DIR stands for a good recording
  int exit_code;
  const char* error;
};

class BadInputs : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, AreToldInOneLineAndLeaveNoFile) {
  const TempDir dir;
  const std::string trace = Figure1(dir / "trace", 5);
  std::filesystem::create_directory(dir / "out");
  std::vector<std::string> words = {GORDIAN_PROGRAM};
  for (const std::string& word : GetParam().words)
    words.push_back(word == "DIR" ? trace : word == "OUT" ? dir / "out/file" : word);
  const ProgramResult result = RunProgram(words);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.errors;
  EXPECT_THAT(result.errors,
              AllOf(IsOneLine(), StartsWith("gordian"), HasSubstr(GetParam().error)));
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(std::filesystem::directory_iterator(dir / "out"),
              std::filesystem::directory_iterator());
}

INSTANTIATE_TEST_SUITE_P(
    Analyze, BadInputs,
    ::testing::Values(
        BadInput{"NoFolder", {"analyze", "/no/such/folder", "--json", "OUT"}, 1, "/no/such/folder"},
        BadInput{"NoSession", {"analyze", "/usr", "--html", "OUT"}, 1, "/usr"},
        BadInput{"TargetNotThere", {"analyze", "DIR", "--pid", "4711", "--json", "OUT"}, 1, "4711"},
        BadInput{
            "NameNotThere", {"analyze", "DIR", "--comm", "nobody", "--json", "OUT"}, 1, "nobody"},
        BadInput{"CgroupNotThere",
                 {"analyze", "DIR", "--cgroup", "/no.slice", "--json", "OUT"},
                 1,
                 "/no.slice"},
        BadInput{"NeitherNameNorRegex",
                 {"analyze", "DIR", "--group", "(=x", "--json", "OUT"},
                 1,
                 "group: '(' is no label of threads, and no regular expression"},
        BadInput{"NoGroup", {"analyze", "DIR", "--group", "x", "--json", "OUT"}, 2, "REGEX=NAME"},
        BadInput{"NoNumberOfVertices",
                 {"analyze", "DIR", "--max-vertices", "-1", "--json", "OUT"},
                 2,
                 "'-1' is no whole number from 1 to 1000000"},
        BadInput{"FolderThatIsNone",
                 {"analyze", "DIR", "--json", "/no/such/file"},
                 1,
                 "cannot write /no/such/file"},
        BadInput{"TwoOnStandardOutput",
                 {"analyze", "DIR", "--json", "-", "--dot", "-"},
                 2,
                 "only one output"},
        BadInput{
            "TwoInOneFile", {"analyze", "DIR", "--json", "OUT", "--dot", "OUT"}, 2, "two outputs"},
        BadInput{"UnknownThread", {"timeline", "DIR", "--tid", "4711"}, 1, "4711"},
        BadInput{"NoThread", {"timeline", "DIR"}, 2, "--tid or --thread"},
        BadInput{"UnknownVertex", {"graph", "DIR", "--edges", "--from", "nobody"}, 1, "nobody"},
        BadInput{"FromWithoutEdges", {"graph", "DIR", "--from", "A"}, 2, "--edges"},
        BadInput{"OneToCompare", {"diff", "DIR"}, 2, "DIR2"},
        BadInput{"SecondIsNone", {"diff", "DIR", "/no/such/folder"}, 1, "/no/such/folder"}),
    [](const auto& info) { return info.param.name; });

TEST(Analyze, RecordingsOfOtherVersionsAndWithoutEventsAreTold) {
  const TempDir dir;
  pb::Session future;
  ASSERT_TRUE(future.ParseFromString(ReadFile(Figure1(dir / "future", 5) + "/session.pb")));
  future.set_format_version(99);
  WriteFile(dir / "future/session.pb", future.SerializeAsString());
  const ProgramResult version = Gordian("analyze", dir / "future");
  EXPECT_EQ(version.exit_code, 1);
  EXPECT_THAT(version.errors, AllOf(IsOneLine(), HasSubstr("99")));

  TraceBuilder empty;
  ASSERT_TRUE(empty.WriteSession(dir / "empty").ok());
  const ProgramResult nothing = Gordian("analyze", dir / "empty");
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.errors, AllOf(IsOneLine(), HasSubstr("no events")));

  TraceBuilder instant;
  instant.Thread(1, "A").At(0).Cpu(0).Run(1);
  ASSERT_TRUE(instant.WriteSession(dir / "instant").ok());
  const ProgramResult too_short = Gordian("analyze", dir / "instant");
  EXPECT_EQ(too_short.exit_code, 1);
  EXPECT_THAT(too_short.errors, AllOf(IsOneLine(), HasSubstr("record longer")));
}

TEST(Analyze, DamagedRecordingsAreAnalyzedAndSayWhatIsMissing) {
  const TempDir dir;
  const std::string trace = Figure1(dir / "trace", 100, "A", 50);
  for (const auto& file : std::filesystem::directory_iterator(trace)) {
    if (!file.path().filename().string().starts_with("cpu-000")) continue;
    std::string bytes = ReadFile(file.path());
    bytes[bytes.size() / 2] ^= 0x55;
    WriteFile(file.path(), bytes);
  }
  const ProgramResult whole = Gordian("analyze", Figure1(dir / "whole"), "--json", "-");
  const ProgramResult damaged = Gordian("analyze", trace, "--json", "-");
  ASSERT_EQ(damaged.exit_code, 0) << damaged.errors;
  const rapidjson::Document json = Json(damaged.output);
  EXPECT_GT(json["recording"]["lost"].GetUint64(), 0u);
  EXPECT_LT(json["findings"][0]["confidence"].GetDouble(),
            Json(whole.output)["findings"][0]["confidence"].GetDouble());
  EXPECT_THAT(Gordian("analyze", trace).output, HasSubstr("\n  imperfect "));
}

// Takes the k-th of every `of` blocks out of a session's files.
void DropBlocks(const std::string& session, size_t k, size_t of) {
  for (const auto& file : std::filesystem::directory_iterator(session)) {
    if (!file.path().filename().string().starts_with("cpu-")) continue;
    const std::string bytes = ReadFile(file.path());
    const std::string magic = bytes.substr(0, 4);
    std::string kept;
    size_t number = 0;
    for (size_t begin = 0; begin < bytes.size(); ++number) {
      const size_t end = std::min(bytes.size(), bytes.find(magic, begin + 1));
      if (number % of != k) kept += bytes.substr(begin, end - begin);
      begin = end;
    }
    WriteFile(file.path(), kept);
  }
}

TEST(Analyze, TheMoreBlocksAreMissingTheLessItIsSure) {
  const TempDir dir;
  const std::string whole = Figure1(dir / "whole", 200, "A", 20);
  const auto confidence_of = [](const std::string& trace) {
    const ProgramResult result = Gordian("analyze", trace, "--json", "-");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const rapidjson::Document json = Json(result.output);
    const bool missing = json["recording"]["missing_blocks"].GetUint64() > 0;
    EXPECT_EQ(missing, trace.find("whole") == std::string::npos);
    EXPECT_EQ(missing, Gordian("analyze", trace).output.find("\n  missing ") != std::string::npos);
    const auto findings = json["findings"].GetArray();
    return findings.Empty() ? 0.0 : findings[0]["confidence"].GetDouble();
  };
  double before = confidence_of(whole);
  for (const size_t of : {16u, 8u, 4u, 2u}) {
    const std::string trace = dir / absl::StrCat("one-of-", of);
    std::filesystem::copy(whole, trace);
    DropBlocks(trace, 1, of);
    const double now = confidence_of(trace);
    EXPECT_LT(now, before) << of;
    before = now;
  }
}

TEST(Analyze, HostileNamesReachNoTerminal) {
  const TempDir dir;
  const ProgramResult result = Gordian("analyze", Figure1(dir / "trace", 100, "\x1b[2J</script>\n"),
                                       "--html", dir / "page.html");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, Not(HasSubstr("\x1b")));
  EXPECT_THAT(ReadFile(dir / "page.html"), Not(HasSubstr("[2J</script>")));
}

TEST(Analyze, AReaderThatHasSeenEnoughIsNoError) {
  const TempDir dir;
  const ProgramResult result = RunProgram(
      {"/bin/bash", "-c", "set -o pipefail; '" GORDIAN_PROGRAM "' analyze $0 --json - | head -c 10",
       Figure1(dir / "trace")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST(Graph, ListsEdgesWithTheirOwnAndCascadedParts) {
  const TempDir dir;
  const ProgramResult result =
      Gordian("graph", Figure1(dir / "trace"), "--edges", "--from", "B", "--json");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const rapidjson::Document json = Json(result.output);
  const rapidjson::Value& edges = json["edges"];
  ASSERT_GE(edges.Size(), 1u);
  EXPECT_STREQ(edges[0]["to"].GetString(), "vda");
  EXPECT_NEAR(edges[0]["own_s"].GetDouble(), 0.5, 0.01);
  EXPECT_NEAR(edges[0]["cascaded_s"].GetDouble(), 0.5, 0.01);
  EXPECT_EQ(edges[0]["count"].GetUint64(), 100u);
  EXPECT_THAT(Gordian("graph", dir / "trace").output, AllOf(StartsWith("NAME"), HasSubstr("vda")));
  EXPECT_THAT(Gordian("graph", dir / "trace", "--edges", "--from", std::to_string(kA)).output,
              HasSubstr("A "));
}

TEST(Timeline, ListsWhatAThreadDid) {
  const TempDir dir;
  const ProgramResult result = Gordian("timeline", Figure1(dir / "trace"), "--tid",
                                       std::to_string(kB), "--from", "12ms", "--to", "25ms");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("B/12 of figure1"),
                    HasSubstr("0.015000    5 ms  wait   vda        disk   uninterruptible")));
  const rapidjson::Document json =
      Json(Gordian("timeline", dir / "trace", "--tid", std::to_string(kB), "--json").output);
  EXPECT_EQ(json["threads"][0]["tid"].GetInt(), kB);
  EXPECT_GE(json["threads"][0]["segments"].Size(), 200u);
}

TEST(Timeline, IsOfWhatTheReportCallsSo) {
  const TempDir dir;
  const std::string trace = Figure1(dir / "trace");
  const std::string of_b = Gordian("timeline", trace, "--tid", std::to_string(kB)).output;
  for (const char* name : {"B", "B/12", "thread B"})
    EXPECT_EQ(Gordian("timeline", trace, "--thread", name).output, of_b) << name;
  EXPECT_THAT(Gordian("timeline", trace, "--thread", "both", "--group", "A|B=both").output,
              AllOf(HasSubstr("A/11 of figure1"), HasSubstr("B/12 of figure1")));
  EXPECT_THAT(Gordian("timeline", trace, "--thread", "the disk vda").errors,
              HasSubstr("vda is no thread"));
  EXPECT_THAT(Gordian("timeline", trace, "--thread", "Bb").errors,
              HasSubstr("no thread, group or device is called Bb; there are B, A, "));
}

TEST(Diff, SaysFirstWhereTheLimitWent) {
  const TempDir dir;
  const std::string before = Figure1(dir / "before"), after = Figure1(dir / "after", 50);
  const ProgramResult same = Gordian("diff", before, after);
  ASSERT_EQ(same.exit_code, 0) << same.errors;
  EXPECT_THAT(same.output, StartsWith("The limit is the same"));
  const rapidjson::Document json = Json(Gordian("diff", before, after, "--json").output);
  EXPECT_STREQ(json["findings"][0]["change"].GetString(), "stays");
  EXPECT_NEAR(json["edges"][0]["change"].GetDouble(), 0, 0.01);
}

}  // namespace
}  // namespace gordian::testing
