// SPDX-License-Identifier: Apache-2.0
#include "loglines/stamped_log.h"

#include <re2/re2.h>

#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "trace/logs/log_bytes.h"
#include "trace/logs/log_lines.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Enough to tell a file's shape of stamps from a number in a text. More would make a log of
// gigabytes cost a dozen regular expressions a line.
constexpr uint64_t kLinesToLearnFrom = 10'000;

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return {status.code(), absl::StrCat(CleanText(path), ": ", status.message())};
}

std::string_view CutLine(std::string_view line) { return line.substr(0, kMostLineText); }

}  // namespace

absl::StatusOr<StampedLog> StampedLog::Open(const std::string& path) {
  if (path == "-")
    return absl::InvalidArgumentError(
        "a log is read more than once: name a file instead of standard input");
  StampedLog log(path);
  const auto bytes = OpenLog(path);
  if (!bytes.ok()) return bytes.status();
  LogLines lines(**bytes);
  for (std::string_view line; lines.line_number() < kLinesToLearnFrom && lines.Next(line);)
    log.stamps_.Learn(line);
  if (!lines.status().ok()) return InFile(path, lines.status());
  return log;
}

absl::Status StampedLog::ForEachLine(const StampReading& reading,
                                     const std::function<bool(const StampedLine&)>& use) {
  const auto bytes = OpenLog(path_);
  if (!bytes.ok()) return bytes.status();
  LogLines lines(**bytes);
  StampedLine stamped;
  for (std::string_view line; lines.Next(line);) {
    const auto stamp = stamps_.Find(line, reading);
    if (stamp) stamped.stamp = stamp;
    stamped.is_stamp_own = stamp.has_value();
    stamped.number = lines.line_number();
    stamped.text = line;
    if (!use(stamped)) break;
  }
  too_long_ = lines.too_long();
  return lines.status().ok() ? absl::OkStatus() : InFile(path_, lines.status());
}

absl::StatusOr<LinePlace> ParseLinePlace(const std::string& text) {
  const size_t colon = text.rfind(':');
  LinePlace place;
  if (colon == std::string::npos || colon == 0 ||
      !absl::SimpleAtoi(text.substr(colon + 1), &place.number) || place.number == 0)
    return absl::InvalidArgumentError(absl::StrCat("'", CleanText(text),
                                                   "' is no line of a log: write FILE:LINE, as in "
                                                   "server.log:120, or --log FILE --match REGEX"));
  place.path = text.substr(0, colon);
  return place;
}

absl::StatusOr<FoundLine> FindLine(StampedLog& log, const LinePlace& place) {
  const RE2 regex(place.match, RE2::Quiet);
  if (place.number == 0 && !regex.ok())
    return absl::InvalidArgumentError(
        absl::StrCat("--match: ", CleanText(regex.error()), " in '", CleanText(place.match), "'"));
  FoundLine above;  // the last line with a stamp
  std::optional<FoundLine> found;
  uint64_t lines = 0;
  const absl::Status status = log.ForEachLine({}, [&](const StampedLine& line) {
    lines = line.number;
    if (line.is_stamp_own) {
      above.stamp_number = line.number;
      above.stamp_text = std::string(CutLine(line.text));
    }
    const bool is_it =
        place.number != 0
            ? line.number == place.number
            : RE2::PartialMatch(re2::StringPiece(line.text.data(), line.text.size()), regex);
    if (!is_it) return place.number == 0 || line.number < place.number;
    found = above;
    found->number = line.number;
    found->text = std::string(CutLine(line.text));
    found->is_cut = line.text.size() > kMostLineText;
    return place.number == 0 && place.last;
  });
  if (!status.ok()) return status;
  if (found) return *std::move(found);
  const std::string path = CleanText(place.path);
  if (place.number == 0)
    return absl::NotFoundError(
        absl::StrCat("no line of ", path, " matches ", CleanText(place.match)));
  return absl::NotFoundError(
      place.number <= lines
          ? absl::StrCat(path, ":", place.number, " is longer than 8 MiB and is not read")
          : absl::StrCat(path, " has no line ", place.number, ": it ends after ",
                         FormatCount(lines, "line")));
}

}  // namespace gordian
