// SPDX-License-Identifier: Apache-2.0
#include "trace/own_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace gordian {
namespace {

constexpr mode_t kOthersMayWrite = 022;
constexpr mode_t kOwnFolderMode = 0700;

absl::Status NotUsed(int error_number) {
  return absl::FailedPreconditionError(std::generic_category().message(error_number));
}

// What cannot be made is told when the folder is opened.
void MakeFolders(const std::string& folder) {
  for (size_t end = folder.find('/', 1); end != std::string::npos; end = folder.find('/', end + 1))
    ::mkdir(folder.substr(0, end).c_str(), kOwnFolderMode);
  ::mkdir(folder.c_str(), kOwnFolderMode);
}

}  // namespace

bool IsOwn(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & kOthersMayWrite) == 0;
}

absl::StatusOr<FileHandle> OpenOwnFolder(const std::string& folder, IfAbsent if_absent) {
  if (if_absent == IfAbsent::kMake) MakeFolders(folder);
  // Without a slash at its end: behind one, a symbolic link would be followed.
  const std::string bare = folder.substr(0, folder.find_last_not_of('/') + 1);
  FileHandle opened(::open(bare.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened.is_open() && errno == ENOENT && if_absent == IfAbsent::kLeave)
    return absl::NotFoundError("it is not there");
  struct stat status = {};
  if (!opened.is_open() || ::fstat(opened.get(), &status) != 0) return NotUsed(errno);
  if (status.st_uid != ::geteuid())
    return absl::FailedPreconditionError("it belongs to another user");
  if (!IsOwn(status)) return absl::FailedPreconditionError("others may write there");
  return opened;
}

std::string PathFromEnvironment(const char* variable) {
  const char* const value = ::secure_getenv(variable);
  const std::string path = value == nullptr ? "" : value;
  return path.starts_with('/') ? path : "";
}

std::string CacheFolder() {
  // systemd lists several with colons between.
  if (const std::string given = PathFromEnvironment("CACHE_DIRECTORY"); !given.empty())
    return given.substr(0, given.find(':'));
  if (::geteuid() == 0) return "/var/cache/gordian";
  if (const std::string caches = PathFromEnvironment("XDG_CACHE_HOME"); !caches.empty())
    return caches + "/gordian";
  const std::string home = PathFromEnvironment("HOME");
  return home.empty() ? "" : home + "/.cache/gordian";
}

}  // namespace gordian
