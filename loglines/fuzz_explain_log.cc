// SPDX-License-Identifier: Apache-2.0
// Any bytes as a log beside a recording of three nodes: each of its lines is explained or refused
// with a line for the user, and an explanation adds up. The first byte tells which line is asked
// for.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "loglines/explain_log.h"
#include "loglines/test_three_nodes.h"
#include "output/log_explanation_text.h"

namespace gordian {
namespace {

void RequireForLogs(bool holds) {
  if (!holds) std::abort();
}

void CheckExplanation(const pb::LogExplanation& told) {
  uint64_t sum_ns = 0;
  for (const pb::TimeCharge& charge : told.charges()) sum_ns += charge.time_ns();
  RequireForLogs(sum_ns == told.at_ns() - told.since_ns());
  for (int i = 0; i < told.edges_size(); ++i) RequireForLogs(told.edges(i).parent() < i);
  double sure = 0;
  for (const pb::LineWriterGuess& writer : told.writers()) sure += writer.how_sure();
  RequireForLogs(sure > 0 && sure < 1.001);
  const std::string html = LogExplanationHtml(told);
  RequireForLogs(html.find("<script") == std::string::npos);
  for (const char c : LogExplanationText(told, 10)) RequireForLogs(c == '\n' || (c & 0xe0) != 0);
}

void ExplainAny(uint8_t line, std::string_view text) {
  static const testing::ThreeNodes* const kNodes = new testing::ThreeNodes;
  const int file = memfd_create("log", 0);
  RequireForLogs(file >= 0);
  RequireForLogs(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  LogQuestion question{.place = {.path = absl::StrCat("/proc/self/fd/", file), .number = line}};
  if (line == 0) question.place.match = "a|b";
  question.logs = {{question.place.path, "back"}, {kNodes->front_log(), "front"}};
  const auto told = ExplainLine(kNodes->recording(), question);
  if (told.ok()) {
    CheckExplanation(*told);
  } else {
    RequireForLogs(!told.status().message().empty());
  }
  close(file);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0)
    gordian::ExplainAny(data[0] % 8, {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
