// Where `gordian analyze` and `gordian profile` write: text on standard output, and files of other
// kinds, several at once.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "cli/output_file.h"

namespace gordian {

struct OutputArguments {
  std::string json;
  std::string html;
  std::string dot;
  std::string perfetto;
  std::string folded;
  std::string speedscope;
  std::string pprof;
};

// `arguments` must outlive the parse.
void AddOutputOptions(CLI::App& command, OutputArguments& arguments);
// Empty if they make sense together, else what does not.
std::string OutputConflict(const OutputArguments& arguments);

class ReportOutputs {
 public:
  // Before the work, so that a place that cannot be written is told at once.
  static absl::StatusOr<ReportOutputs> Open(const OutputArguments& arguments);
  // Writes all of them, or none.
  absl::Status Write(const Analysis& analysis);

 private:
  enum class Kind { kText, kJson, kHtml, kDot, kPerfetto, kFolded, kSpeedscope, kPprof };
  static void WriteOne(Kind kind, const Analysis& analysis, OutputFile& file);

  std::vector<Kind> kinds_;
  std::vector<OutputFile> files_;
};

// Prints a verb's whole output, or fails. Returns the exit code.
int PrintOrFail(const absl::StatusOr<std::string>& text);

// Whether standard output is a terminal that wants colours (NO_COLOR and TERM are heeded).
bool WantsColour();

}  // namespace gordian
