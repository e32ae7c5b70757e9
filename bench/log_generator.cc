// SPDX-License-Identifier: Apache-2.0
#include "bench/log_generator.h"

#include <array>
#include <string_view>

#include "absl/strings/str_format.h"

namespace gordian {
namespace {

constexpr std::array<LogShape, 6> kShapes = {
    {{"json-phases", "json-lines", "JSON, every line a whole phase"},
     {"json-mixed", "json-lines", "JSON, one line in 100 tells of a phase"},
     {"spark", "spark", "event log of tasks with their accumulables"},
     {"giraph", "giraph", "text, one line in 100 matches a rule"},
     {"postgresql", "postgresql", "text, every second line matches a rule"},
     {"nginx", "nginx", "text, every line matches two rules"}}};

constexpr uint64_t kEpochMs = 1'772'704'800'000;  // 2026-03-05 10:00

uint64_t SecondOf(uint64_t line) { return line / 1000; }
unsigned Milli(uint64_t line) { return static_cast<unsigned>(line % 1000); }
unsigned Second(uint64_t line) { return static_cast<unsigned>(SecondOf(line) % 60); }
unsigned Minute(uint64_t line) { return static_cast<unsigned>(SecondOf(line) / 60 % 60); }
unsigned Hour(uint64_t line) { return static_cast<unsigned>(SecondOf(line) / 3600 % 24); }

void JsonPhase(uint64_t line, std::string& text) {
  absl::StrAppendFormat(
      &text,
      "{\"time\":\"2026-03-05T%02u:%02u:%02u.%03uZ\",\"event\":\"phase\",\"phase\":\"/Job/Step[%u]/"
      "Part[%u]\",\"duration_s\":0.25,\"node\":\"n%u\",\"pid\":1200,\"tid\":%u}\n",
      Hour(line), Minute(line), Second(line), Milli(line), line / 1000, line, line % 8,
      1200 + line % 16);
}

void JsonMixed(uint64_t line, std::string& text) {
  if (line % 100 == 0) return JsonPhase(line, text);
  absl::StrAppendFormat(
      &text,
      "{\"time\":\"2026-03-05T%02u:%02u:%02u.%03uZ\",\"level\":\"info\",\"logger\":\"store.shard\","
      "\"message\":\"request %u done: \\\"get\\\" of key user/%u\",\"request\":{\"id\":\"%016x\","
      "\"bytes\":%u,\"from\":\"10.0.0.%u\"},\"status\":200,\"took_ms\":%.3f}\n",
      Hour(line), Minute(line), Second(line), Milli(line), line, line % 77'777,
      line * 0x9e3779b97f4a7c15, line % 4096, line % 250, static_cast<double>(line % 1000) / 100);
}

// As Spark 3.5 writes them, with two dozen accumulables each.
void SparkLine(uint64_t line, std::string& text) {
  if (line == 0) {
    text +=
        "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"made\",\"App ID\":\"app-1\","
        "\"Timestamp\":1772704800000,\"User\":\"nobody\"}\n"
        "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":0,\"Submission Time\":1772704800000,"
        "\"Stage Infos\":[],\"Stage IDs\":[0],\"Properties\":{}}\n"
        "{\"Event\":\"SparkListenerStageSubmitted\",\"Stage Info\":{\"Stage ID\":0,\"Stage Attempt "
        "ID\":0,\"Parent IDs\":[],\"Submission Time\":1772704800000},\"Properties\":{}}\n";
  }
  const uint64_t launch_ms = kEpochMs + line;
  absl::StrAppendFormat(
      &text,
      "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":0,\"Stage Attempt ID\":0,\"Task Type\":"
      "\"ShuffleMapTask\",\"Task End Reason\":{\"Reason\":\"Success\"},\"Task Info\":{\"Task ID\":"
      "%u,\"Index\":%u,\"Attempt\":0,\"Launch Time\":%u,\"Executor ID\":\"%u\",\"Host\":\"n%u\","
      "\"Locality\":\"PROCESS_LOCAL\",\"Speculative\":false,\"Getting Result Time\":0,\"Finish "
      "Time\":%u,\"Failed\":false,\"Killed\":false,\"Accumulables\":[",
      line, line, launch_ms, line % 8, line % 8, launch_ms + 400);
  for (int i = 0; i < 24; ++i) {
    absl::StrAppendFormat(&text,
                          "%s{\"ID\":%d,\"Name\":\"internal.metrics.shuffle.write.metric%d\","
                          "\"Update\":%u,\"Value\":%u,\"Internal\":true,\"Count Failed "
                          "Values\":true}",
                          i == 0 ? "" : ",", i, i, line % 1000, line);
  }
  text +=
      "]},\"Task Executor Metrics\":{\"JVMHeapMemory\":0,\"JVMOffHeapMemory\":0},\"Task "
      "Metrics\":{\"Executor Deserialize Time\":20,\"Executor Run Time\":300,\"Result Size\":2000,"
      "\"JVM GC Time\":10,\"Result Serialization Time\":1,\"Shuffle Read Metrics\":{\"Fetch Wait "
      "Time\":5},\"Shuffle Write Metrics\":{\"Shuffle Bytes Written\":100,\"Shuffle Write Time\":"
      "2000000}}}\n";
}

void GiraphLine(uint64_t line, std::string& text) {
  absl::StrAppendFormat(&text, "2026-03-05 %02u:%02u:%02u,%03u INFO [main] ", Hour(line),
                        Minute(line), Second(line), Milli(line));
  const uint64_t step = line / 200;
  switch (line % 200) {
    case 0:
      absl::StrAppendFormat(&text,
                            "org.apache.giraph.worker.BspServiceWorker: startSuperstep: Ready for "
                            "computation on superstep %u since worker selection\n",
                            step);
      return;
    case 100:
      absl::StrAppendFormat(&text,
                            "org.apache.giraph.worker.BspServiceWorker: finishSuperstep: Completed "
                            "superstep %u with global stats\n",
                            step);
      return;
    default:
      absl::StrAppendFormat(&text,
                            "org.apache.giraph.comm.netty.NettyClient: logInfoAboutOpenRequests: "
                            "Waiting interval of 15000 msecs, %u open requests, MBytes sent %u\n",
                            line % 91, line);
  }
}

void PostgresLine(uint64_t line, std::string& text) {
  absl::StrAppendFormat(&text, "2026-03-05 %02u:%02u:%02u.%03u UTC [%u] app@shop ", Hour(line),
                        Minute(line), Second(line), Milli(line), 4000 + line % 64);
  if (line % 2 == 0) {
    absl::StrAppendFormat(&text, "LOG:  duration: %u.%03u ms\n", line % 10, line % 1000);
  } else {
    absl::StrAppendFormat(&text,
                          "LOG:  statement: UPDATE pgbench_accounts SET abalance = abalance + %u "
                          "WHERE aid = %u;\n",
                          line % 5000, line % 100'000);
  }
}

void NginxLine(uint64_t line, std::string& text) {
  absl::StrAppendFormat(
      &text,
      "10.0.%u.%u - - [05/Mar/2026:%02u:%02u:%02u +0000] \"GET /api/items/%u?page=2 HTTP/1.1\" 200 "
      "%u \"https://shop.example/items\" \"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) "
      "Gecko/20100101 "
      "Firefox/128.0\" 0.%03u 0.%03u\n",
      line % 7, line % 250, Hour(line), Minute(line), Second(line), line % 99'999, line % 9000,
      line % 900, line % 800);
}

}  // namespace

std::span<const LogShape> LogShapes() { return kShapes; }

void AppendLog(const LogShape& shape, size_t bytes, uint64_t& line, std::string& text) {
  const std::string_view name = shape.name;
  while (text.size() < bytes) {
    if (name == "json-phases") JsonPhase(line, text);
    if (name == "json-mixed") JsonMixed(line, text);
    if (name == "spark") SparkLine(line, text);
    if (name == "giraph") GiraphLine(line, text);
    if (name == "postgresql") PostgresLine(line, text);
    if (name == "nginx") NginxLine(line, text);
    ++line;
  }
}

}  // namespace gordian
