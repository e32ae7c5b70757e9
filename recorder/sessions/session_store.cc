// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/session_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recorder/sessions/session_name.h"
#include "schema/session.pb.h"

namespace gordian {
namespace fs = std::filesystem;
namespace {

// Far beyond the size of a session.pb of thousands of CPUs, cgroups and interfaces.
constexpr uintmax_t kMaxSessionFileBytes = 64u << 20;

bool ReadSessionFile(const std::string& path, pb::Session& session) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error))) return false;
  const uintmax_t size_bytes = fs::file_size(path, error);
  if (error || size_bytes > kMaxSessionFileBytes) return false;
  std::ifstream file(path, std::ios::binary);
  return file && session.ParseFromIstream(&file);
}

// The records that recording counted as lost, by the counters of trace/counters.h.
uint64_t LostEvents(const pb::Session& session) {
  uint64_t lost = 0;
  for (const pb::Counter& counter : session.counters()) {
    const bool is_loss = counter.name().rfind("records_lost_", 0) == 0;
    if (is_loss || counter.name() == "events_not_written") lost += counter.value();
  }
  return lost;
}

using FileIdentity = std::pair<dev_t, ino_t>;

// Adds the files of one session's folder; those in `counted` already are passed over. Folders in it
// are not ours.
uint64_t FolderBytes(const std::string& directory, std::set<FileIdentity>& counted) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator file(directory, error), end; !error && file != end;
       file.increment(error)) {
    struct stat status = {};
    if (lstat(file->path().c_str(), &status) != 0) continue;  // it gave way to newer data just now
    const bool first = status.st_nlink < 2 || counted.insert({status.st_dev, status.st_ino}).second;
    if (first) bytes += static_cast<uint64_t>(status.st_size);
  }
  return bytes;
}

}  // namespace

SessionStore::SessionStore(std::string directory, FileDescriptor lock)
    : directory_(std::move(directory)), lock_(std::move(lock)) {}

absl::StatusOr<SessionStore> SessionStore::Open(const std::string& state_directory) {
  const std::string directory = state_directory + "/sessions";
  std::error_code error;
  fs::create_directories(directory, error);
  if (error == std::errc::read_only_file_system) {
    return absl::UnavailableError(
        absl::StrCat("cannot make ", directory, ": the service may not write there; allow it with ",
                     "ReadWritePaths=", state_directory, " (systemctl edit gordiand)"));
  }
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot make ", directory, ": ", error.message(),
                     "; run as root, or give a folder you may write with --state-dir"));
  }
  const std::string lock_path = state_directory + "/lock";
  FileDescriptor lock(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid()) {
    return absl::UnavailableError(
        absl::StrCat("cannot open ", lock_path, ": ", std::strerror(errno)));
  }
  if (flock(lock.number(), LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("another gordiand keeps its sessions in ", state_directory,
                     "; stop it (systemctl stop gordiand), or give another --state-dir"));
  }
  SessionStore store(directory, std::move(lock));
  store.RemoveEmptyFolders();
  return store;
}

// An armed session has a folder and nothing in it. If its daemon was killed before it began, the
// folder would only stand in the way of the next session of its name. rmdir takes no other.
void SessionStore::RemoveEmptyFolders() const {
  for (const std::string& name : Names({})) rmdir(Directory(name).c_str());
}

std::string SessionStore::Directory(const std::string& name) const {
  return directory_ + "/" + name;
}

bool SessionStore::Exists(const std::string& name) const {
  struct stat status = {};
  return lstat(Directory(name).c_str(), &status) == 0;
}

absl::StatusOr<pb::SessionStatus> SessionStore::Read(const std::string& name) const {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(Directory(name), error))) {
    return absl::NotFoundError(absl::StrCat(
        "no session '", name, "'; gordian status and gordian list show what there is"));
  }
  pb::SessionStatus status;
  status.set_name(name);
  status.set_directory(Directory(name));
  status.set_state("incomplete");
  status.set_bytes_on_disk(SessionBytes(name));
  pb::Session session;
  if (!ReadSessionFile(Directory(name) + "/session.pb", session)) {
    status.set_error("its session.pb cannot be read");
    return status;
  }
  status.set_state(session.complete() ? "complete" : "incomplete");
  status.set_backend(session.backend());
  status.set_lost(LostEvents(session));
  status.set_end_reason(session.end_reason());
  if (session.has_events()) status.set_events(session.events());
  status.set_events_known(session.has_events());
  status.set_ring_bytes(session.options().ring_bytes());
  status.set_max_bytes(session.options().max_bytes());
  status.set_duration_ns(session.options().duration_ns());
  status.set_snapshot_of(session.snapshot_of());
  if (session.end_time_ns() > session.start_time_ns()) {
    status.set_elapsed_ns(session.end_time_ns() - session.start_time_ns());
  }
  if (session.clocks_size() > 0) {
    // The two clocks' distance at the first pair carries the start over to the other.
    const pb::ClockPair& pair = session.clocks(0);
    status.set_started_realtime_ns(static_cast<int64_t>(
        static_cast<uint64_t>(pair.realtime_ns()) + session.start_time_ns() - pair.monotonic_ns()));
  }
  return status;
}

std::vector<std::string> SessionStore::Names(const std::set<std::string>& except) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory_, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (CheckSessionName(name).ok() && except.count(name) == 0) names.push_back(std::move(name));
  }
  return names;
}

std::vector<pb::SessionStatus> SessionStore::ReadAll(const std::set<std::string>& except) const {
  std::vector<pb::SessionStatus> sessions;
  for (const std::string& name : Names(except)) {
    if (absl::StatusOr<pb::SessionStatus> session = Read(name); session.ok()) {
      sessions.push_back(*std::move(session));
    }
  }
  std::sort(sessions.begin(), sessions.end(), [](const auto& left, const auto& right) {
    return std::pair(left.started_realtime_ns(), left.name()) <
           std::pair(right.started_realtime_ns(), right.name());
  });
  return sessions;
}

uint64_t SessionStore::SessionBytes(const std::string& name) const {
  std::set<FileIdentity> counted;
  return FolderBytes(Directory(name), counted);
}

uint64_t SessionStore::TotalBytes(const std::set<std::string>& except) const {
  uint64_t bytes = 0;
  std::set<FileIdentity> counted;
  for (const std::string& name : Names(except)) bytes += FolderBytes(Directory(name), counted);
  return bytes;
}

pb::FilesResponse SessionStore::Files(const std::string& name) const {
  pb::FilesResponse files;
  std::error_code error;
  for (fs::directory_iterator entry(Directory(name), error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat status = {};
    const std::string file = entry->path().filename().string();
    if (!CheckSessionFileName(file).ok() || lstat(entry->path().c_str(), &status) != 0 ||
        !S_ISREG(status.st_mode)) {
      continue;
    }
    pb::SessionFile& told = *files.add_files();
    told.set_name(file);
    told.set_size_bytes(static_cast<uint64_t>(status.st_size));
    told.set_modified_realtime_ns(int64_t{status.st_mtim.tv_sec} * 1'000'000'000 +
                                  status.st_mtim.tv_nsec);
  }
  std::sort(files.mutable_files()->begin(), files.mutable_files()->end(),
            [](const auto& left, const auto& right) { return left.name() < right.name(); });
  return files;
}

absl::StatusOr<FileDescriptor> SessionStore::OpenFile(const std::string& name,
                                                      const std::string& file) const {
  if (absl::Status status = CheckSessionFileName(file); !status.ok()) return status;
  const std::string path = absl::StrCat(Directory(name), "/", file);
  FileDescriptor opened(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status = {};
  if (!opened.valid() || fstat(opened.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return absl::NotFoundError(absl::StrCat("session '", name, "' has no file '", file, "'"));
  }
  return opened;
}

void SessionStore::Remove(const std::string& name) const {
  std::error_code error;  // files that cannot be removed stay, and the session is listed as
                          // incomplete
  fs::remove_all(Directory(name), error);
}

uint64_t SessionStore::FreeBytes() const {
  std::error_code error;
  const fs::space_info space = fs::space(directory_, error);
  return error ? 0 : space.available;
}

}  // namespace gordian
