// SPDX-License-Identifier: Apache-2.0
// Every control action that was allowed, refused or failed: one JSON object a line.
//
// Rotated from outside: a file that was renamed or removed is made anew with the next line. Without
// rotation, the file is set aside as FILE.full once it has grown large, in place of an older one:
// so a client that causes lines cannot fill the disk. A line that cannot be written goes to the
// daemon's own log instead.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file_descriptor.h"
#include "recorder/control/caller.h"

namespace gordian {

class AuditLog {
 public:
  static constexpr uint64_t kMaxBytes = 64u << 20;

  // Makes the file (0640), and its folder, if they are missing.
  static absl::StatusOr<std::unique_ptr<AuditLog>> Open(const std::string& path,
                                                        uint64_t max_bytes = kMaxBytes);

  // `result`: OK, PermissionDenied for a call refused by role, or the reason of the failure.
  void Write(const Caller& caller, std::string_view action, const std::string& session,
             const absl::Status& result);

 private:
  AuditLog(std::string path, uint64_t max_bytes) : path_(std::move(path)), max_bytes_(max_bytes) {}
  absl::Status Reopen();

  const std::string path_;
  const uint64_t max_bytes_;
  std::mutex mutex_;
  FileDescriptor file_;
};

}  // namespace gordian
