// SPDX-License-Identifier: Apache-2.0
// Cgroup ids (as the kernel side sees them) to paths and back.
//
// The id of a cgroup is the inode number of its folder in the cgroup2 tree. The kernel opens a
// folder by id (open_by_handle_at) for a process with CAP_DAC_READ_SEARCH. Without it, and on other
// file systems, the tree is walked, once for each id that is not known yet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "recorder/sources/system_paths.h"
#include "schema/session.pb.h"

namespace gordian {

// Where cgroup2 is mounted according to proc/self/mountinfo; nothing if it is not.
std::optional<std::string> FindCgroup2Mount(const SystemPaths& paths);
// Likewise a controller of version 1 (cpu, memory), which some machines still have beside
// version 2.
std::optional<std::string> FindCgroup1Mount(const SystemPaths& paths, std::string_view controller);

// Not thread-safe: one owner.
class CgroupTable {
 public:
  // Learns every existing cgroup. Without a cgroup2 mount the table stays empty and knows no id.
  explicit CgroupTable(const SystemPaths& paths);
  ~CgroupTable();
  CgroupTable(const CgroupTable&) = delete;
  CgroupTable& operator=(const CgroupTable&) = delete;

  // The path below the mount, "/" for its root; empty if there is no such cgroup (any more). A
  // cgroup that was found once keeps its path here after its end. Valid until the next call.
  std::string_view PathOf(uint64_t id);

  // The id of a path below the mount (with or without leading slash, or with the mount before it).
  // An error is one line for the user.
  absl::StatusOr<uint64_t> IdOf(std::string_view path);

  // Looks for cgroups made since.
  void Refresh();

  // Those known so far.
  std::vector<std::string> Paths() const;

  // Makes the session's cgroups those known so far.
  void Fill(pb::Session& session) const;

  const std::string& mount() const { return mount_; }

 private:
  void Walk(const std::string& path, int depth);
  bool OpenById(uint64_t id);
  void Learn(uint64_t id, std::string_view path);

  std::string mount_;
  int mount_fd_ = -1;
  bool handles_work_ = false;
  std::map<uint64_t, std::string> paths_;  // id → path; empty for ids that were looked for in vain
};

}  // namespace gordian
