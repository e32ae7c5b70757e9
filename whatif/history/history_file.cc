// SPDX-License-Identifier: Apache-2.0
// The file of scores: appended to under a lock, and replaced by its newer half once it is large.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "trace/own_folder.h"
#include "whatif/history/history.h"
#include "whatif/history/thresholds.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr mode_t kHistoryMode = 0600;
constexpr int kLockTries = 100;  // each is lost only to a replacement by another process

absl::Status HistoryError(const std::string& file, const std::string& what) {
  return absl::FailedPreconditionError(absl::StrCat("the history of predictions ", CleanText(file),
                                                    ": ", what,
                                                    "; give another one with --history-file"));
}

// A pipe or a device would wait, or never end.
bool IsPlainFile(const FileDescriptor& opened, struct stat& status) {
  return fstat(opened.number(), &status) == 0 && S_ISREG(status.st_mode);
}

absl::StatusOr<FileDescriptor> OpenLocked(const std::string& file) {
  for (int attempt = 0; attempt < kLockTries; ++attempt) {
    FileDescriptor opened(open(file.c_str(),
                               O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                               kHistoryMode));
    if (!opened.valid()) return HistoryError(file, strerror(errno));
    struct stat locked = {};
    if (!IsPlainFile(opened, locked)) return HistoryError(file, "that is no plain file");
    while (flock(opened.number(), LOCK_EX) != 0)
      if (errno != EINTR) return HistoryError(file, strerror(errno));
    struct stat there = {};
    if (stat(file.c_str(), &there) == 0 && there.st_ino == locked.st_ino &&
        there.st_dev == locked.st_dev)
      return opened;
  }
  return HistoryError(file, "other programs replace it all the time");
}

// The end of it, from the begin of a line on.
absl::StatusOr<std::string> LastLines(const FileDescriptor& opened, const std::string& file) {
  struct stat status = {};
  if (!IsPlainFile(opened, status)) return HistoryError(file, "that is no plain file");
  const auto size = static_cast<size_t>(std::max<off_t>(0, status.st_size));
  const size_t from = size - std::min(size, static_cast<size_t>(kMostHistoryBytes));
  std::string text(size - from, '\0');
  size_t got = 0;
  while (got < text.size()) {
    const ssize_t n = pread(opened.number(), text.data() + got, text.size() - got,
                            static_cast<off_t>(from + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return HistoryError(file, strerror(errno));
    if (n == 0) break;
    got += static_cast<size_t>(n);
  }
  text.resize(got);
  if (from > 0) text.erase(0, std::min(text.size(), text.find('\n') + 1));
  return text;
}

absl::Status WriteAll(int number, std::string_view text, const std::string& file) {
  while (!text.empty()) {
    const ssize_t n = write(number, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return HistoryError(file, strerror(errno));
    text.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

// The newer half and the new line take the file's place.
absl::Status ReplaceShorter(const std::string& file, std::string lines, const std::string& line) {
  if (lines.size() > kMostHistoryBytes / 2)
    lines.erase(0, lines.find('\n', lines.size() - kMostHistoryBytes / 2) + 1);
  std::string aside = absl::StrCat(file, ".XXXXXX");
  const FileDescriptor made(mkostemp(aside.data(), O_CLOEXEC));
  if (!made.valid()) return HistoryError(file, strerror(errno));
  absl::Status written = WriteAll(made.number(), absl::StrCat(lines, line), file);
  if (written.ok() && rename(aside.c_str(), file.c_str()) != 0)
    written = HistoryError(file, strerror(errno));
  if (!written.ok()) unlink(aside.c_str());
  return written;
}

}  // namespace

std::string DefaultHistoryFile() {
  std::filesystem::path folder = PathFromEnvironment("XDG_STATE_HOME");
  if (folder.empty()) {
    const std::filesystem::path home = PathFromEnvironment("HOME");
    if (home.empty()) return "";
    folder = home / ".local" / "state";
  }
  return folder / "gordian" / "predictions.jsonl";
}

absl::Status AddToHistory(const std::string& file, const pb::PredictionScore& score) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (failed) return HistoryError(file, failed.message());
  const auto opened = OpenLocked(file);
  if (!opened.ok()) return opened.status();
  struct stat status = {};
  if (!IsPlainFile(*opened, status)) return HistoryError(file, "that is no plain file");
  std::string line = LineOfScore(score) + "\n";
  if (static_cast<size_t>(status.st_size) + line.size() > kMostHistoryBytes) {
    auto lines = LastLines(*opened, file);
    if (!lines.ok()) return lines.status();
    return ReplaceShorter(file, *std::move(lines), line);
  }
  // A line that a full disk cut short must not spoil this one, too.
  char last = '\n';
  if (status.st_size > 0 && pread(opened->number(), &last, 1, status.st_size - 1) == 1 &&
      last != '\n')
    line = absl::StrCat("\n", line);
  return WriteAll(opened->number(), line, file);
}

absl::StatusOr<pb::PredictionHistory> ReadHistory(const std::string& file) {
  pb::PredictionHistory history;
  history.set_file(CleanText(file));
  const FileDescriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!opened.valid() && (errno == ENOENT || errno == ENOTDIR)) return history;
  if (!opened.valid()) return HistoryError(file, strerror(errno));
  const auto lines = LastLines(opened, file);
  if (!lines.ok()) return lines.status();
  for (size_t at = 0; at < lines->size();) {
    const size_t end = std::min(lines->find('\n', at), lines->size());
    const std::string_view line = std::string_view(*lines).substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    auto score = ScoreOfLine(line);
    if (score.ok()) {
      *history.add_predictions() = *std::move(score);
    } else {
      history.set_unreadable(history.unreadable() + 1);
    }
  }
  const std::vector<const pb::PredictionScore*> scores(history.predictions().pointer_begin(),
                                                       history.predictions().pointer_end());
  *history.mutable_record() = RecordOf(scores);
  return history;
}

}  // namespace gordian
