// SPDX-License-Identifier: Apache-2.0
// The output formats of an analysis. Each is a file in this folder and a row in output_format.cc:
// --help, the check for two outputs in one place, opening and writing walk that table
// (docs/add-an-output.md).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/stacks/stacks.h"
#include "analyzer/timeline/timeline.h"
#include "jobs/report/job_report.h"
#include "output/html_report.h"
#include "report/time_range.h"
#include "report/weighted_stacks.h"
#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

// The data of a format, beside the report. It is dear to make: only the parts that a requested
// format needs are there.
enum class OutputNeed : uint8_t { kReport, kPage, kStacks, kTimeline };

struct OutputInput {
  const pb::Report& report;
  const pb::PageData& page;                  // kPage: the report with its courses over time
  const std::vector<WeightedStack>& stacks;  // kStacks: all code that waits or runs
  const Code& code;
  const Timeline* timeline = nullptr;            // kTimeline; null without a recording
  TimeRange range;                               // the part of the timeline that the report covers
  const JobAnalysis* job = nullptr;              // null if there are no phases
  std::span<const EmbeddedAnswer> answers = {};  // kPage; none without an analysis
};

// Gets the file's bytes in order.
using OutputSink = std::function<void(std::string_view)>;

struct OutputFormat {
  std::string name;  // gordian analyze --NAME FILE
  std::string help;
  OutputNeed need = OutputNeed::kReport;
  bool is_binary = false;     // no terminal can show it
  bool of_phases = false;     // gordian phases has it, too, even if there is no recording
  bool of_recordings = true;  // gordian analyze has it
  void (*write)(const OutputInput& input, const OutputSink& sink) = nullptr;
};

// In the order of --help.
std::span<const OutputFormat> OutputFormats();

}  // namespace gordian
