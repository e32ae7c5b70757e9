// SPDX-License-Identifier: Apache-2.0
// The name and the size that a new session may have, beside all existing ones.
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recorder/sessions/cpu_budget.h"
#include "recorder/sessions/live_session.h"
#include "recorder/sessions/memory_budget.h"
#include "recorder/sessions/session_name.h"
#include "recorder/sessions/start_request.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Smaller rings would lose records under any load.
constexpr uint64_t kSmallestFittedRingBytes = 1u << 20;

}  // namespace

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
  const uint64_t needed_bytes = SessionMemoryBytes(options, cpus);
  uint64_t taken_bytes = 0;
  for (const auto& [name, session] : sessions_)
    if (!session->ended) taken_bytes += SessionMemoryBytes(session->options, cpus);
  const uint64_t left_bytes =
      limits_.max_memory_bytes - std::min(limits_.max_memory_bytes, taken_bytes);
  if (needed_bytes > left_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the session needs ", FormatSize(needed_bytes), " of memory, and of the ",
                     FormatSize(limits_.max_memory_bytes),
                     " that this node's max-memory allows all sessions, ", FormatSize(left_bytes),
                     " are left; ask for smaller rings with --kernel-ring, or stop a session"));
  }
  return AdmitMemory(environment_.memory_limit(), starting_bytes, needed_bytes);
}

absl::Status SessionManager::FitMemory(bool require, RecordingOptions& options,
                                       std::vector<std::string>& cut) const {
  absl::Status as_asked = CheckMemory(options);
  if (as_asked.ok() || require) return as_asked;
  const uint64_t asked_bytes = options.kernel_ring_bytes_per_cpu;
  while (options.kernel_ring_bytes_per_cpu / 2 >= kSmallestFittedRingBytes) {
    options.kernel_ring_bytes_per_cpu /= 2;
    if (!CheckMemory(options).ok()) continue;
    cut.push_back(absl::StrCat("the kernel ring of each CPU is cut from ", FormatSize(asked_bytes),
                               " to ", FormatSize(options.kernel_ring_bytes_per_cpu),
                               ", as this node has no memory left for more"));
    return absl::OkStatus();
  }
  return as_asked;
}

void SessionManager::ShareOutBudget() {
  if (limits_.max_cpu_ppm >= kAllCpusPpm) {
    for (const auto& [name, session] : sessions_)
      session->budget_share = session->options.budget_share;
    return;
  }
  std::vector<Session*> live;
  std::vector<double> asked;
  for (const auto& [name, session] : sessions_) {
    if (session->ended) continue;
    live.push_back(session.get());
    asked.push_back(session->options.budget_share);
  }
  const std::vector<double> shares = ShareOutCpu(limits_.max_cpu_ppm / 1e6, asked);
  for (size_t i = 0; i < live.size(); ++i) {
    live[i]->budget_share = shares[i];
    if (live[i]->recording) live[i]->recording->SetBudget(shares[i]);
  }
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
