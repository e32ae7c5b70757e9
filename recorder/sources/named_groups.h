// SPDX-License-Identifier: Apache-2.0
// From the names that people give to pods, containers and units to the groups they run in now.
//
// Nobody is asked: the names of cgroups tell a pod's uid, a container's id and a unit's name, and
// files of kubelet and of the runtimes (container_records.h) tell whose uid or id that is.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "recorder/sources/container_records.h"
#include "recorder/sources/named_targets.h"

namespace gordian {

// What the names are looked for in. Paths are those of CgroupTable.
struct NamedPlaces {
  std::vector<KnownPod> pods;
  std::vector<KnownContainer> containers;
  std::vector<std::string> groups;
  std::string mount;  // of the groups, for messages
};

// One path for each name. NotFound says where was looked and which names are like it,
// InvalidArgument lists what a name may mean; both are one line for the user.
absl::StatusOr<std::vector<std::string>> GroupsOf(const NamedTargets& wanted,
                                                  const NamedPlaces& places);

// Reads what the names need, of the host whose files are below `root`.
NamedPlaces ReadNamedPlaces(const NamedTargets& wanted, const std::string& root,
                            std::vector<std::string> groups, std::string mount);

// Where the host's files are for a process that may stand in a container with the host's pids:
// "/proc/1/root" where it may be looked into, else "".
std::string HostRoot();

}  // namespace gordian
