// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/named_groups.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "words/clean_text.h"
#include "words/container_name.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

constexpr size_t kMostListed = 8;
constexpr size_t kMostNearest = 3;
constexpr size_t kMostCompared = 4'000;  // names that are compared sign by sign
constexpr size_t kLongestName = 512;     // of such a name
constexpr size_t kFewestIdDigits = 12;   // as container tools show an id

// Something that runs in a group, and its names.
struct Running {
  std::string group;
  std::vector<std::string> names;  // the last one tells the most
  std::string id;                  // of a container that has one
};

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view Parent(std::string_view path) {
  return path.substr(0, path.find_last_of('/') == path.npos ? 0 : path.rfind('/'));
}

// kubelet's groups: podUID, and with systemd SLICE-podU_I_D.slice. The uid, with dashes.
std::string PodUid(std::string_view part) {
  constexpr std::string_view kPod = "pod";
  constexpr std::string_view kSlice = ".slice";
  const bool slice = part.ends_with(kSlice);
  if (slice) part.remove_suffix(kSlice.size());
  if (slice) part.remove_prefix(std::min(part.size(), part.rfind('-') + 1));
  if (!part.starts_with(kPod)) return {};
  std::string uid(part.substr(kPod.size()));
  if (slice) std::replace(uid.begin(), uid.end(), '_', '-');
  return uid;
}

std::vector<Running> RunningPods(const NamedPlaces& places) {
  std::multimap<std::string, const KnownPod*> by_uid;
  for (const KnownPod& pod : places.pods) by_uid.emplace(pod.uid, &pod);
  std::vector<Running> pods;
  for (const std::string& group : places.groups) {
    const auto [begin, end] = by_uid.equal_range(PodUid(LastPart(group)));
    for (auto at = begin; at != end; ++at) {
      const std::string& name = at->second->name;
      pods.push_back({group, {name.substr(name.find('/') + 1), name}, ""});
    }
  }
  return pods;
}

// The group that is the container's own; those below it belong to it.
std::vector<Running> RunningContainers(const NamedPlaces& places) {
  std::multimap<std::string, const KnownContainer*> by_id;
  for (const KnownContainer& container : places.containers) by_id.emplace(container.id, &container);
  std::vector<Running> containers;
  for (const std::string& group : places.groups) {
    const std::string label = ContainerOf(group);
    const std::string id = ContainerIdOf(group);
    const std::string_view parent = Parent(group);
    if (label.empty() || (ContainerOf(parent) == label && ContainerIdOf(parent) == id)) continue;
    Running container{group, {label}, id};
    const auto [begin, end] = by_id.equal_range(id);
    for (auto at = begin; !id.empty() && at != end; ++at)
      for (const std::string& name : at->second->names) container.names.push_back(name);
    if (id.empty()) container.names.push_back(label.substr(label.find('/') + 1));  // lxc/NAME
    containers.push_back(std::move(container));
  }
  return containers;
}

bool IsUnit(std::string_view part) {
  for (const std::string_view kind : {".service", ".scope", ".slice", ".socket", ".mount", ".swap"})
    if (part.ends_with(kind)) return true;
  return false;
}

// Units of users and of containers have names of their own choice: they only count where the
// machine has none of that name.
bool IsMachinesOwn(std::string_view group) {
  return ContainerOf(group).empty() && group.find("/user@") == group.npos;
}

std::vector<Running> RunningUnits(const NamedPlaces& places) {
  std::vector<Running> units;
  for (const std::string& group : places.groups) {
    std::string_view part = LastPart(group);
    if (!IsUnit(part)) continue;
    if (part.starts_with('_')) part.remove_prefix(1);  // systemd's sign before reserved names
    units.push_back({group, {std::string(part)}, ""});
  }
  return units;
}

using Matches = std::vector<const Running*>;

bool IsCalled(const Running& running, std::string_view wanted) {
  for (const std::string& name : running.names)
    if (name == wanted) return true;
  // docker/ID or ID
  const size_t digits_at = wanted.find('/') + 1;
  const std::string_view kind = wanted.substr(0, digits_at);
  const std::string_view digits = wanted.substr(digits_at);
  return digits.size() >= kFewestIdDigits && running.id.starts_with(digits) &&
         running.names.front().starts_with(kind);
}

Matches Called(const std::vector<Running>& all, std::string_view wanted) {
  Matches matches;
  for (const Running& running : all)
    if (IsCalled(running, wanted)) matches.push_back(&running);
  return matches;
}

// ", nearest: a, b"; nothing if there are no names at all.
std::string Nearest(const std::vector<Running>& all, std::string_view wanted) {
  std::vector<std::pair<size_t, std::string>> by_distance;
  for (const Running& running : all) {
    for (const std::string& name : running.names) {
      if (name.size() > kLongestName || by_distance.size() == kMostCompared) continue;
      const bool holds = name.find(wanted) != name.npos;
      by_distance.emplace_back(holds ? 0 : EditDistance(wanted, name), CleanText(name));
    }
  }
  std::sort(by_distance.begin(), by_distance.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, name] : by_distance) {
    if (nearest.size() == kMostNearest) break;
    if (std::find(nearest.begin(), nearest.end(), name) == nearest.end()) nearest.push_back(name);
  }
  if (nearest.empty()) return "";
  return absl::StrCat("; nearest: ", absl::StrJoin(nearest, ", "));
}

std::string Listed(const Matches& matches) {
  std::vector<std::string> listed;
  for (const Running* running : matches) {
    if (listed.size() == kMostListed) break;
    listed.push_back(
        absl::StrCat(CleanText(running->names.back()), " (", CleanText(running->group), ")"));
  }
  const size_t left = matches.size() - listed.size();
  return absl::StrCat(absl::StrJoin(listed, ", "),
                      left > 0 ? absl::StrCat(", and ", left, " more") : "");
}

struct Kind {
  const char* word;    // pod
  std::string places;  // where names and ids were looked for
};

absl::StatusOr<std::string> TheOnly(const Kind& kind, const std::string& wanted,
                                    const std::vector<Running>& all, const Matches& matches) {
  if (matches.size() == 1) return matches[0]->group;
  const std::string shown = CleanText(wanted.substr(0, kLongestName));
  if (matches.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no ", kind.word, " ", shown, " runs here: looked in ", kind.places,
                     wanted.size() > kLongestName ? "" : Nearest(all, wanted)));
  }
  return absl::InvalidArgumentError(absl::StrCat("there are ", matches.size(), " ", kind.word, "s ",
                                                 shown, ": ", Listed(matches),
                                                 "; give one by its longer name or by --cgroup"));
}

absl::Status AddPods(const NamedTargets& wanted, const NamedPlaces& places,
                     std::vector<std::string>& groups) {
  if (wanted.pods.empty()) return absl::OkStatus();
  const std::vector<Running> running = RunningPods(places);
  const Kind kind{"pod", absl::StrCat(kPodPlaces, " (", places.pods.size(), " names) and below ",
                                      places.mount)};
  for (const std::string& name : wanted.pods) {
    auto group = TheOnly(kind, name, running, Called(running, name));
    if (!group.ok()) return group.status();
    groups.push_back(*std::move(group));
  }
  return absl::OkStatus();
}

absl::Status AddContainers(const NamedTargets& wanted, const NamedPlaces& places,
                           std::vector<std::string>& groups) {
  if (wanted.containers.empty()) return absl::OkStatus();
  const std::vector<Running> running = RunningContainers(places);
  const Kind kind{"container", absl::StrCat(kContainerPlaces, " (", places.containers.size(),
                                            " names) and below ", places.mount)};
  for (const std::string& name : wanted.containers) {
    auto group = TheOnly(kind, name, running, Called(running, name));
    if (!group.ok()) return group.status();
    groups.push_back(*std::move(group));
  }
  return absl::OkStatus();
}

absl::Status AddUnits(const NamedTargets& wanted, const NamedPlaces& places,
                      std::vector<std::string>& groups) {
  if (wanted.units.empty()) return absl::OkStatus();
  const std::vector<Running> running = RunningUnits(places);
  const Kind kind{"unit", absl::StrCat("the groups below ", places.mount)};
  for (const std::string& name : wanted.units) {
    const std::string unit = IsUnit(name) ? name : absl::StrCat(name, ".service");
    Matches matches = Called(running, unit);
    const auto others = std::partition(matches.begin(), matches.end(), [](const Running* match) {
      return IsMachinesOwn(match->group);
    });
    if (others != matches.begin()) matches.erase(others, matches.end());
    auto group = TheOnly(kind, unit, running, matches);
    if (!group.ok()) return group.status();
    groups.push_back(*std::move(group));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> GroupsOf(const NamedTargets& wanted,
                                                  const NamedPlaces& places) {
  std::vector<std::string> groups;
  if (absl::Status status = AddPods(wanted, places, groups); !status.ok()) return status;
  if (absl::Status status = AddContainers(wanted, places, groups); !status.ok()) return status;
  if (absl::Status status = AddUnits(wanted, places, groups); !status.ok()) return status;
  return groups;
}

NamedPlaces ReadNamedPlaces(const NamedTargets& wanted, const std::string& root,
                            std::vector<std::string> groups, std::string mount) {
  NamedPlaces places;
  if (!wanted.pods.empty()) places.pods = ReadKnownPods(root);
  if (!wanted.containers.empty()) places.containers = ReadKnownContainers(root);
  places.groups = std::move(groups);
  places.mount = std::move(mount);
  return places;
}

std::string HostRoot() {
  constexpr const char* kRootOfInit = "/proc/1/root";
  return access((std::string(kRootOfInit) + "/.").c_str(), R_OK | X_OK) == 0 ? kRootOfInit : "";
}

}  // namespace gordian
