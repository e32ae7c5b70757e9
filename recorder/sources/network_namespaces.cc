// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/network_namespaces.h"

#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "recorder/sources/address_text.h"
#include "recorder/sources/clock.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/folder.h"
#include "recorder/sources/text_fields.h"
#include "trace/trace_event.h"
#include "words/container_name.h"

namespace gordian {
namespace {

// A search reads a link of every process: a namespace that is not found soon is gone.
constexpr int kMostSearches = 3;
// A search is followed by a pause of so many times its own duration. A host that makes containers
// all the time would otherwise keep the recorder from its rings.
constexpr uint64_t kPausePerSearch = 20;

uint32_t InodeOf(const std::string& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 ? static_cast<uint32_t>(status.st_ino) : 0;
}

// The container, or whatever cgroup it runs in; empty in the root of all cgroups.
std::string CgroupOf(const std::string& process) {
  std::string_view text;
  const std::optional<std::string> file = ReadSmallFile(process + "/cgroup");
  if (file) text = *file;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    if (line.starts_with("0::")) return ContainerName(line.substr(3));
  }
  return "";
}

std::string NameOfProcess(const std::string& process) {
  static const std::string own_cgroup = CgroupOf("/proc/self");
  std::string cgroup = CgroupOf(process);
  if (!cgroup.empty() && cgroup != own_cgroup) return cgroup;
  return ReadSmallFile(process + "/comm").value_or("");
}

}  // namespace

uint32_t OwnNetworkNamespace() { return InodeOf("/proc/thread-self/ns/net"); }

void NetworkNamespaces::Add(uint32_t number, uint32_t network, uint32_t index) {
  interfaces_.push_back({number, network, index});
  namespaces_[network].searches = 0;
  is_any_unnamed_ = true;
}

void NetworkNamespaces::NameThem() {
  if (!is_any_unnamed_) return;
  const uint64_t begin_ns = MonotonicNowNs();
  if (begin_ns < next_search_ns_) return;
  wanted_.clear();
  for (const Interface& interface : interfaces_) {
    Namespace& space = namespaces_[interface.network];
    if (!space.interfaces.contains(interface.index) && space.searches < kMostSearches)
      wanted_[interface.network] = false;
  }
  is_any_unnamed_ = !wanted_.empty();
  if (wanted_.empty()) return;
  for (const auto& [network, found] : wanted_) ++namespaces_[network].searches;
  // A file's name was mostly given by a person.
  SearchFiles("/run/netns");
  SearchProcesses();
  SearchFiles("/run/docker/netns");
  wanted_.clear();
  const uint64_t end_ns = MonotonicNowNs();
  next_search_ns_ = end_ns + kPausePerSearch * (end_ns - begin_ns);
}

bool NetworkNamespaces::IsWanted(uint32_t network) const {
  const auto found = wanted_.find(network);
  return found != wanted_.end() && !found->second;
}

void NetworkNamespaces::SearchFiles(const std::string& folder) {
  const Folder directory = OpenFolder(folder);
  while (const dirent* entry = directory ? readdir(directory.get()) : nullptr) {
    if (entry->d_name[0] == '.') continue;
    const std::string file = absl::StrCat(folder, "/", entry->d_name);
    const uint32_t network = InodeOf(file);
    if (!IsWanted(network)) continue;
    wanted_[network] = true;
    List(namespaces_[network], file, entry->d_name);
  }
}

void NetworkNamespaces::SearchProcesses() {
  const Folder directory = OpenFolder("/proc");
  while (const dirent* entry = directory ? readdir(directory.get()) : nullptr) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const std::string process = absl::StrCat("/proc/", entry->d_name);
    const std::string file = process + "/ns/net";
    const uint32_t network = InodeOf(file);
    if (!IsWanted(network)) continue;
    wanted_[network] = true;
    List(namespaces_[network], file, NameOfProcess(process));
  }
}

// In a thread of its own: a thread that cannot come back to its namespace just ends. The namespace
// may vanish, and its number may be given to another, between the look at the file and the entry:
// so the inode is compared again inside.
void NetworkNamespaces::List(Namespace& space, const std::string& file, std::string name) {
  const FileDescriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!descriptor.valid() || fstat(descriptor.number(), &status) != 0) return;
  std::map<uint32_t, Named> listed;
  std::thread visitor([&] {
    if (setns(descriptor.number(), CLONE_NEWNET) != 0) return;
    if (OwnNetworkNamespace() != static_cast<uint32_t>(status.st_ino)) return;
    struct if_nameindex* const names = if_nameindex();
    for (const struct if_nameindex* at = names; at && at->if_index != 0; ++at)
      listed[at->if_index].name = at->if_name;
    if (names) if_freenameindex(names);
    ifaddrs* addresses = nullptr;
    if (getifaddrs(&addresses) != 0) return;
    for (const ifaddrs* entry = addresses; entry != nullptr; entry = entry->ifa_next) {
      const std::string address = entry->ifa_addr ? AddressText(entry->ifa_addr) : "";
      if (address.empty()) continue;
      for (auto& [index, interface] : listed) {
        if (interface.name == entry->ifa_name) interface.addresses.push_back(address);
      }
    }
    freeifaddrs(addresses);
  });
  visitor.join();
  if (listed.empty()) return;
  space.name = std::move(name);
  // Interfaces that were there earlier keep their names.
  for (auto& [index, interface] : listed) space.interfaces[index] = std::move(interface);
}

void NetworkNamespaces::Fill(pb::Session& session) const {
  auto& filled = *session.mutable_interfaces();
  filled.erase(std::remove_if(filled.begin(), filled.end(),
                              [](const pb::Interface& i) { return i.network_namespace() != 0; }),
               filled.end());
  for (const Interface& interface : interfaces_) {
    pb::Interface& added = *filled.Add();
    added.set_index(interface.number);
    added.set_network_namespace(interface.network);
    added.set_index_in_namespace(interface.index);
    const Namespace& space = namespaces_.at(interface.network);
    added.set_namespace_name(space.name);
    const auto named = space.interfaces.find(interface.index);
    if (named == space.interfaces.end()) continue;
    added.set_name(named->second.name);
    for (const std::string& address : named->second.addresses) added.add_addresses(address);
    added.set_loopback(named->second.name == "lo");
  }
}

}  // namespace gordian
