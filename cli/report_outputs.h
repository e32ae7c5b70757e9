// SPDX-License-Identifier: Apache-2.0
// Where `gordian analyze`, `profile` and `phases` write: text on standard output, and files of
// other formats (output/output_format.h), several at once.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "output/output_format.h"
#include "output/text_page.h"

namespace gordian {

struct OutputArguments {
  // By format, in the order of OutputFormats(); empty: not asked for.
  std::vector<std::string> paths = std::vector<std::string>(OutputFormats().size());
  bool quiet = false;  // no text beside files, no progress
  ColourChoice colour = ColourChoice::kAuto;
};

// An option for each format. `arguments` must outlive the parse.
void AddOutputOptions(CLI::App& command, OutputArguments& arguments);
// Of the formats that a job's phases can have.
void AddPhaseOutputOptions(CLI::App& command, OutputArguments& arguments);
// Empty if they make sense together, else the contradiction.
std::string OutputConflict(const OutputArguments& arguments);

class ReportOutputs {
 public:
  // Call it before the work, so that a place that cannot be written is told at once.
  static absl::StatusOr<ReportOutputs> Open(const OutputArguments& arguments);
  bool AnyNeeds(OutputNeed need) const;
  // Write all of them, or no file. A report alone, with its page if a format needs that, is enough
  // if no format needs more.
  absl::Status Write(const Analysis& analysis);
  absl::Status Write(const pb::PageData& page);

 private:
  absl::Status WriteAll(const OutputInput& input);

  std::vector<const OutputFormat*> formats_;  // of each file; null: the text
  std::vector<OutputFile> files_;
  ColourChoice colour_ = ColourChoice::kAuto;
};

// Prints a verb's whole output.
absl::Status PrintText(std::string_view text);
// … or fails. Returns the exit code.
int PrintOrFail(const absl::StatusOr<std::string>& text);

// Standard output as a page of text: its colours and its width.
TextStyle StyleOfStdout(ColourChoice colour);
// Whether standard output is a terminal that wants colours (NO_COLOR and TERM are heeded).
bool WantsColour();

// --color auto|always|never.
void AddColourOption(CLI::App& command, ColourChoice& colour);

}  // namespace gordian
