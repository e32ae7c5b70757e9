// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "loglines/explain_log.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Each is read twice; a folder with more is hardly one of logs.
constexpr size_t kMostLogs = 1000;

}  // namespace

absl::StatusOr<LogInput> ParseLogInput(const std::string& text) {
  const size_t equals = text.find('=');
  // A file's own name may have the mark.
  const bool is_named = equals != std::string::npos && text.find('/') > equals;
  LogInput input{.path = is_named ? text.substr(equals + 1) : text,
                 .node = is_named ? text.substr(0, equals) : ""};
  if (input.path.empty() || (is_named && input.node.empty()))
    return absl::InvalidArgumentError(
        absl::StrCat("'", CleanText(text), "' is no log: write FILE, or NODE=FILE"));
  return input;
}

absl::StatusOr<std::vector<LogInput>> LogsBelow(const std::string& folder) {
  std::error_code error;
  std::vector<LogInput> logs;
  std::filesystem::recursive_directory_iterator at(
      folder, std::filesystem::directory_options::skip_permission_denied, error);
  for (; !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
    if (!at->is_regular_file(error) || error) continue;
    if (logs.size() == kMostLogs)
      return absl::ResourceExhaustedError(absl::StrCat(CleanText(folder), " holds more than ",
                                                       kMostLogs, " files: name some with --logs"));
    logs.push_back({.path = at->path().string(), .is_of_folder = true});
  }
  if (error) return absl::NotFoundError(absl::StrCat(CleanText(folder), ": ", error.message()));
  if (logs.empty()) return absl::NotFoundError(absl::StrCat(CleanText(folder), " holds no file"));
  std::sort(logs.begin(), logs.end(),
            [](const LogInput& a, const LogInput& b) { return a.path < b.path; });
  return logs;
}

absl::StatusOr<std::vector<LogInput>> LogInputsOf(const std::vector<std::string>& texts) {
  std::vector<LogInput> logs;
  for (const std::string& text : texts) {
    auto input = ParseLogInput(text);
    if (!input.ok()) return input.status();
    std::error_code error;
    if (!std::filesystem::is_directory(input->path, error)) {
      logs.push_back(*std::move(input));
      continue;
    }
    auto below = LogsBelow(input->path);
    if (!below.ok()) return below.status();
    for (LogInput& log : *below) {
      log.node = input->node;
      logs.push_back(std::move(log));
    }
  }
  return logs;
}

absl::StatusOr<LoadedRecording> ReadRecordings(const std::vector<std::string>& directories,
                                               const ReadOptions& options,
                                               const Progress& progress) {
  if (directories.size() == 1) return ReadRecording(directories.front(), options, progress);
  return ReadRecordingsAsNodes(directories, options, progress);
}

}  // namespace gordian
