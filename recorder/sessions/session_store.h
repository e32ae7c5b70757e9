// SPDX-License-Identifier: Apache-2.0
// The folder of the daemon's sessions: STATE/sessions/NAME, one folder each, snapshots among them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file_descriptor.h"
#include "schema/control.pb.h"

namespace gordian {

class SessionStore {
 public:
  // Makes missing folders and takes the state folder's lock: two daemons on one folder could not
  // keep its limits. The lock ends with the process, even if it is killed.
  static absl::StatusOr<SessionStore> Open(const std::string& state_directory);

  // Names are checked ones (CheckSessionName).
  std::string Directory(const std::string& name) const;
  bool Exists(const std::string& name) const;
  // Of a session without a writer: complete, or incomplete if its recorder died or session.pb
  // cannot be read. NotFound if there is no such folder.
  absl::StatusOr<pb::SessionStatus> Read(const std::string& name) const;
  // Every session but those named, the oldest first.
  std::vector<pb::SessionStatus> ReadAll(const std::set<std::string>& except) const;
  uint64_t SessionBytes(const std::string& name) const;
  // Bytes of every folder but those named. A file that several snapshots share counts once.
  uint64_t TotalBytes(const std::set<std::string>& except) const;
  // Its regular files by name, without those whose names OpenFile refuses.
  pb::FilesResponse Files(const std::string& name) const;
  // For reading. NotFound if `file` is not one of them.
  absl::StatusOr<FileDescriptor> OpenFile(const std::string& name, const std::string& file) const;
  // Removes the rest of a session that could not be started, or of a snapshot that failed.
  void Remove(const std::string& name) const;
  // Bytes an unprivileged writer could still write; 0 if that cannot be told.
  uint64_t FreeBytes() const;

 private:
  SessionStore(std::string directory, FileDescriptor lock);
  std::vector<std::string> Names(const std::set<std::string>& except) const;
  void RemoveEmptyFolders() const;

  std::string directory_;  // STATE/sessions
  FileDescriptor lock_;
};

}  // namespace gordian
