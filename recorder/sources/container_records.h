// SPDX-License-Identifier: Apache-2.0
// What this machine's runtimes and its kubelet have written down about pods and containers: their
// names and ids. Names of files are preferred to contents, and nothing is asked over a network.
#pragma once

#include <string>
#include <vector>

namespace gordian {

struct KnownPod {
  std::string name;  // NAMESPACE/POD
  std::string uid;
};

struct KnownContainer {
  std::string id;                  // 64 hex digits
  std::vector<std::string> names;  // shortest first
};

// Reads below `root`, the root of the host's files: "" is this process's own. What is absent,
// damaged, too large or not named like a pod or a container is left out; names may come from
// anybody who may start a container. The number of entries is bounded.
std::vector<KnownPod> ReadKnownPods(const std::string& root);
std::vector<KnownContainer> ReadKnownContainers(const std::string& root);

// Where these two look, for messages.
extern const char* const kPodPlaces;
extern const char* const kContainerPlaces;

}  // namespace gordian
