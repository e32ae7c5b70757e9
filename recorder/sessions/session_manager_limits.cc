// The name and the size that a new session may have, beside all existing ones.
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "recorder/sessions/live_session.h"
#include "recorder/sessions/memory_budget.h"
#include "recorder/sessions/session_name.h"
#include "recorder/sessions/start_request.h"

namespace gordian {

absl::Status SessionManager::CheckNewName(const std::string& name) const {
  if (absl::Status status = CheckSessionName(name); !status.ok()) return status;
  const auto session = sessions_.find(name);
  if (session != sessions_.end() && !session->second->ended) {
    return absl::AlreadyExistsError(
        absl::StrCat("session '", name, "' is running already; stop it, or take another name"));
  }
  if (session != sessions_.end() || snapshots_in_writing_.count(name) != 0 || store_.Exists(name)) {
    return absl::AlreadyExistsError(absl::StrCat("there is a session '", name, "' in ",
                                                 store_.Directory(name),
                                                 "; take another name, or remove it"));
  }
  return absl::OkStatus();
}

absl::Status SessionManager::CheckNotInWriting(const std::string& name) const {
  if (absl::Status status = CheckSessionName(name); !status.ok()) return status;
  const auto session = sessions_.find(name);
  if ((session != sessions_.end() && !session->second->ended) ||
      snapshots_in_writing_.count(name) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("session '", name, "' is still being written; stop it, or take a snapshot"));
  }
  if (store_.Exists(name)) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("no session '", name, "'; gordian status and gordian list show what there is"));
}

DiskBudget SessionManager::Budget() const {
  return {limits_, CommittedBytes(), environment_.free_bytes()};
}

// The limit's free memory already lacks that of recording sessions, but maybe not yet that of
// starting ones.
absl::Status SessionManager::CheckMemory(const RecordingOptions& options) const {
  const auto cpus = static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  uint64_t starting_bytes = 0;
  for (const auto& [name, session] : sessions_) {
    if (session->recording || session->ended) continue;
    starting_bytes += SessionMemoryBytes(session->options, cpus);
  }
  return AdmitMemory(environment_.memory_limit(), starting_bytes,
                     SessionMemoryBytes(options, cpus));
}

// The size of the store, with sessions and snapshots in writing counted at their largest.
uint64_t SessionManager::CommittedBytes() const {
  uint64_t bytes = store_.TotalBytes(NamesInWriting());
  for (const auto& [name, session] : sessions_) {
    if (!session->ended) bytes += ReservedBytes(session->options);
  }
  for (const auto& [name, reserved_bytes] : snapshots_in_writing_) bytes += reserved_bytes;
  return bytes;
}

std::set<std::string> SessionManager::NamesInWriting() const {
  std::set<std::string> names;
  for (const auto& [name, session] : sessions_) {
    if (!session->ended) names.insert(name);
  }
  for (const auto& [name, reserved_bytes] : snapshots_in_writing_) names.insert(name);
  return names;
}

}  // namespace gordian
