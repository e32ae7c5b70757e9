// SPDX-License-Identifier: Apache-2.0
// The command line of a question about causes, in one process or in many, and its outputs.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/recorded_slice.h"
#include "cli/output_file.h"
#include "output/slice_text.h"

namespace gordian {

struct SliceArguments {
  std::string directory;
  SliceQuestion question;
  uint64_t at_ns = 0;
  bool forward = false;
  bool backward = false;
  std::string scope = "request";
  std::string by = "name";
  std::vector<std::string> edges;
  std::string occurrence = "longest";
  bool critical_path = false;
  std::string diff;         // a second recording
  std::string diff_thread;  // there; empty: the same
  uint64_t diff_at_ns = 0;
  bool has_diff_at = false;  // else the same time, or the thread's own end
  SliceTextOptions text;
  std::string json;  // a file, or -; likewise
  std::string dot;
  std::string perfetto;
  AnalysisOptions options;
};

// `arguments` must outlive the parse.
void AddSliceOptions(CLI::App& command, SliceArguments& arguments);

// Behind the parse. InvalidArgument, in one line, for what makes no sense although every option by
// itself does.
absl::StatusOr<SliceQuestion> SliceQuestionOf(const CLI::App& command,
                                              const SliceArguments& arguments);
bool AsksForCriticalPath(const SliceArguments& arguments);

// Places that cannot be written are told before the work. Standard output, if no file is asked for.
absl::StatusOr<std::vector<OutputFile>> OpenSliceOutputs(const SliceArguments& arguments);
// Write all of them, or no file.
absl::Status WriteSlice(const SliceArguments& arguments, const RecordedSlice& slice,
                        std::vector<OutputFile>& files);
absl::Status WriteSliceDiff(const SliceArguments& arguments, const pb::Slice& first,
                            const pb::Slice& second, std::vector<OutputFile>& files);
absl::Status WriteCriticalPath(const SliceArguments& arguments, const pb::CriticalPath& path,
                               std::vector<OutputFile>& files);

}  // namespace gordian
