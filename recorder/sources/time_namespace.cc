// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/time_namespace.h"

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "recorder/sources/file_text.h"

namespace gordian {
namespace {

std::string LinkTarget(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::read_symlink(path, ignored).string();
}

}  // namespace

absl::Status CheckClocksAreTheKernels(const SystemPaths& paths) {
  // The offsets are those of the namespace that children will be in: until a thread asks for
  // another, it is the process' own.
  const std::string own = LinkTarget(paths.proc + "/self/ns/time");
  if (own != LinkTarget(paths.proc + "/self/ns/time_for_children")) return absl::OkStatus();
  const auto text = ReadSmallFile(paths.proc + "/self/timens_offsets");
  if (!text) return absl::OkStatus();
  std::istringstream lines(*text);
  std::string clock;
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  while (lines >> clock >> seconds >> nanoseconds) {
    if (seconds == 0 && nanoseconds == 0) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("this is a time namespace whose ", clock, " clock is ",
                     static_cast<double>(seconds) + 1e-9 * static_cast<double>(nanoseconds),
                     " s off the kernel's, by which everything is recorded; start it in the "
                     "host's: nsenter --time --target 1 …"));
  }
  return absl::OkStatus();
}

}  // namespace gordian
