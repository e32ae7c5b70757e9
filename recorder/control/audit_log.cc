// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/audit_log.h"

#include <fcntl.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace gordian {
namespace {

constexpr size_t kMaxTextBytes = 256;  // of a client's text

using Json = rapidjson::Writer<rapidjson::StringBuffer>;

void Member(Json& json, const char* key, absl::string_view value) {
  if (value.empty()) return;
  // Bytes that are no UTF-8 would make the line no JSON.
  const std::string text = absl::Utf8SafeCHexEscape(value.substr(0, kMaxTextBytes));
  json.Key(key);
  json.String(text.c_str(), static_cast<rapidjson::SizeType>(text.size()));
}

const char* ResultText(const absl::Status& result) {
  if (result.ok()) return "done";
  return absl::IsPermissionDenied(result) ? "refused" : "failed";
}

}  // namespace

const char* RoleText(Role role) {
  switch (role) {
    case Role::kNone:
      return "none";
    case Role::kViewer:
      return "viewer";
    case Role::kOperator:
      return "operator";
  }
  return "none";
}

absl::StatusOr<std::unique_ptr<AuditLog>> AuditLog::Open(const std::string& path,
                                                         uint64_t max_bytes) {
  std::error_code error;  // told by opening the file
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  std::unique_ptr<AuditLog> log(new AuditLog(path, max_bytes));
  if (absl::Status status = log->Reopen(); !status.ok()) return status;
  return log;
}

// Opens the file if it is not open yet, no longer the one of that name, or has grown too large.
absl::Status AuditLog::Reopen() {
  struct stat named = {};
  struct stat opened = {};
  const bool exists = stat(path_.c_str(), &named) == 0;
  if (exists && static_cast<uint64_t>(named.st_size) >= max_bytes_) {
    std::rename(path_.c_str(), (path_ + ".full").c_str());
  } else if (exists && file_.valid() && fstat(file_.number(), &opened) == 0 &&
             named.st_ino == opened.st_ino && named.st_dev == opened.st_dev) {
    return absl::OkStatus();
  }
  file_ = FileDescriptor(
      open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640));
  if (file_.valid()) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot write the audit log ", path_, ": ", std::strerror(errno)));
}

void AuditLog::Write(const Caller& caller, std::string_view action, const std::string& session,
                     const absl::Status& result) {
  rapidjson::StringBuffer buffer;
  Json json(buffer);
  json.StartObject();
  Member(json, "time", absl::FormatTime(absl::RFC3339_full, absl::Now(), absl::UTCTimeZone()));
  Member(json, "action", {action.data(), action.size()});
  Member(json, "session", session);
  Member(json, "result", ResultText(result));
  Member(json, "error", result.message());
  Member(json, "who", caller.name);
  Member(json, "role", RoleText(caller.role));
  Member(json, "serial", caller.serial);
  Member(json, "from", caller.address);
  json.EndObject();
  const std::string line = absl::StrCat(buffer.GetString(), "\n");

  const std::lock_guard lock(mutex_);
  const absl::Status status = Reopen();
  if (status.ok() &&
      write(file_.number(), line.data(), line.size()) == static_cast<ssize_t>(line.size())) {
    return;
  }
  spdlog::error("audit log {} cannot be written: {}", path_, buffer.GetString());
}

}  // namespace gordian
