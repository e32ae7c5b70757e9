// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/session_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace gordian {
namespace {

bool IsAllowed(char character) {
  return absl::ascii_isalnum(static_cast<unsigned char>(character)) || character == '.' ||
         character == '_' || character == '-';
}

}  // namespace

absl::Status CheckSessionName(std::string_view name) {
  constexpr const char* rule =
      "use 1 to 64 letters, digits, '.', '_' or '-', not beginning with a dot";
  if (name.empty()) return absl::InvalidArgumentError(absl::StrCat("no session name; ", rule));
  if (name.size() > kMaxSessionNameLength) {
    return absl::InvalidArgumentError(
        absl::StrCat("a session name of ", name.size(), " characters; ", rule));
  }
  if (name.front() == '.' || !std::all_of(name.begin(), name.end(), IsAllowed)) {
    const std::string shown = absl::CHexEscape(absl::string_view(name.data(), name.size()));
    return absl::InvalidArgumentError(absl::StrCat("bad session name '", shown, "'; ", rule));
  }
  return absl::OkStatus();
}

absl::Status CheckSessionFileName(std::string_view name) {
  if (!name.empty() && name.size() <= 255 && name.front() != '.' &&
      std::all_of(name.begin(), name.end(), IsAllowed)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "no file of a session is called '",
      absl::CHexEscape(absl::string_view(name.data(), std::min<size_t>(name.size(), 64))), "'"));
}

std::string SnapshotName(std::string_view session_name, int64_t realtime_ns) {
  const std::string time =
      absl::FormatTime("-%Y%m%d%ET%H%M%SZ", absl::FromUnixNanos(realtime_ns), absl::UTCTimeZone());
  const size_t room = kMaxSessionNameLength - time.size();
  return std::string(session_name.substr(0, room)) + time;
}

}  // namespace gordian
