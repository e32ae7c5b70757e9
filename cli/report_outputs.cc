// SPDX-License-Identifier: Apache-2.0
#include "cli/report_outputs.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/verb.h"
#include "output/text_report.h"
#include "serve/embedded_answers.h"

namespace gordian {
namespace {

void AddOption(const OutputFormat& format, CLI::App& command, std::string& path) {
  command.add_option("--" + format.name, path, format.help)->type_name("FILE");
}

}  // namespace

void AddOutputOptions(CLI::App& command, OutputArguments& arguments) {
  for (size_t i = 0; i < arguments.paths.size(); ++i) {
    if (OutputFormats()[i].of_recordings)
      AddOption(OutputFormats()[i], command, arguments.paths[i]);
  }
}

void AddPhaseOutputOptions(CLI::App& command, OutputArguments& arguments) {
  for (size_t i = 0; i < arguments.paths.size(); ++i) {
    if (OutputFormats()[i].of_phases) AddOption(OutputFormats()[i], command, arguments.paths[i]);
  }
}

std::string OutputConflict(const OutputArguments& arguments) {
  std::set<std::string> seen;
  for (size_t i = 0; i < arguments.paths.size(); ++i) {
    const std::string& path = arguments.paths[i];
    if (path.empty()) continue;
    if (!seen.insert(path).second)
      return path == "-" ? "only one output can be standard output (-)"
                         : "two outputs cannot be one file: " + path;
    if (path == "-" && OutputFormats()[i].is_binary && isatty(STDOUT_FILENO) == 1)
      return absl::StrCat("--", OutputFormats()[i].name,
                          " is binary, and standard output is a terminal; give a file or a pipe");
  }
  return "";
}

absl::StatusOr<ReportOutputs> ReportOutputs::Open(const OutputArguments& arguments) {
  ReportOutputs outputs;
  outputs.colour_ = arguments.colour;
  const auto open = [&outputs](const OutputFormat* format, const std::string& path) {
    auto file = OutputFile::Open(path);
    if (!file.ok()) return file.status();
    outputs.formats_.push_back(format);
    outputs.files_.push_back(*std::move(file));
    return absl::OkStatus();
  };
  bool to_stdout = false;
  bool any = false;
  for (size_t i = 0; i < arguments.paths.size(); ++i) {
    const std::string& path = arguments.paths[i];
    if (path.empty()) continue;
    if (absl::Status opened = open(&OutputFormats()[i], path); !opened.ok()) return opened;
    to_stdout |= path == "-";
    any = true;
  }
  if (!to_stdout && !(arguments.quiet && any)) {
    if (absl::Status opened = open(nullptr, "-"); !opened.ok()) return opened;
  }
  return outputs;
}

bool ReportOutputs::AnyNeeds(OutputNeed need) const {
  return std::any_of(formats_.begin(), formats_.end(), [need](const OutputFormat* format) {
    return format != nullptr && format->need == need;
  });
}

absl::Status ReportOutputs::Write(const Analysis& analysis) {
  const bool with_page = AnyNeeds(OutputNeed::kPage);
  const auto page = with_page ? analysis.Page() : pb::PageData();
  const auto answers = with_page && analysis.timeline_or_null() != nullptr
                           ? AnswersToEmbed(analysis)
                           : std::vector<EmbeddedAnswer>();
  const auto stacks =
      AnyNeeds(OutputNeed::kStacks) ? analysis.Stacks() : std::vector<WeightedStack>();
  const OutputInput input{
      .report = analysis.report(),
      .page = page,
      .stacks = stacks,
      .code = analysis.code(),
      .timeline = AnyNeeds(OutputNeed::kTimeline) ? analysis.timeline_or_null() : nullptr,
      .range = analysis.range(),
      .job = analysis.job(),
      .answers = answers};
  return WriteAll(input);
}

absl::Status ReportOutputs::Write(const pb::PageData& page) {
  const std::vector<WeightedStack> no_stacks;
  const Code no_code;
  return WriteAll({.report = page.report(), .page = page, .stacks = no_stacks, .code = no_code});
}

absl::Status ReportOutputs::WriteAll(const OutputInput& input) {
  for (size_t i = 0; i < files_.size(); ++i) {
    OutputFile& file = files_[i];
    if (formats_[i] == nullptr) {
      file.Write(TextReport(input.report, StyleOfStdout(colour_)));
    } else {
      formats_[i]->write(input, [&file](std::string_view bytes) { file.Write(bytes); });
    }
  }
  return PlaceTogether(files_);
}

absl::Status PrintText(std::string_view text) {
  Output output(STDOUT_FILENO);
  output.Write(text);
  return output.Finish();
}

int PrintOrFail(const absl::StatusOr<std::string>& text) {
  if (!text.ok()) return Fail(text.status());
  const absl::Status written = PrintText(*text);
  return written.ok() ? kExitSuccess : Fail(written);
}

TextStyle StyleOfStdout(ColourChoice colour) {
  return {.colour = WantsColour(colour, STDOUT_FILENO), .width = PageColumns(STDOUT_FILENO)};
}

bool WantsColour() { return WantsColour(ColourChoice::kAuto, STDOUT_FILENO); }

void AddColourOption(CLI::App& command, ColourChoice& colour) {
  command
      .add_option_function<std::string>(
          "--color",
          [&colour](const std::string& text) {
            colour = text == "always"  ? ColourChoice::kAlways
                     : text == "never" ? ColourChoice::kNever
                                       : ColourChoice::kAuto;
          },
          "Colours: auto on a terminal, unless NO_COLOR is set")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->type_name("auto|always|never")
      ->default_str("auto");
}

}  // namespace gordian
