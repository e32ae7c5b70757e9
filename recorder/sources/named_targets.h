// SPDX-License-Identifier: Apache-2.0
// Targets by the names that people give them.
#pragma once

#include <string>
#include <vector>

namespace gordian {

struct NamedTargets {
  std::vector<std::string> pods;        // NAMESPACE/POD, or POD if only one namespace has it
  std::vector<std::string> containers;  // a name, an id, its first 12 digits or more, docker/ID
  std::vector<std::string> units;       // nginx, nginx.service, machine.slice

  bool empty() const { return pods.empty() && containers.empty() && units.empty(); }
};

}  // namespace gordian
