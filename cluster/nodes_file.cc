// SPDX-License-Identifier: Apache-2.0
#include "cluster/nodes_file.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "recorder/sessions/session_name.h"
#include "recorder/settings/settings_file.h"

namespace gordian {
namespace {

std::string HomeFolder() {
  const char* home = std::getenv("HOME");
  return home != nullptr ? home : "";
}

// ~/x is relative to the home folder; any other path without a slash at its start, to the folder of
// the nodes file.
std::string Resolve(const std::string& path, const std::string& nodes_file) {
  if (path.starts_with("~/")) return HomeFolder() + path.substr(1);
  if (path.empty() || path.starts_with("/")) return path;
  const size_t slash = nodes_file.rfind('/');
  return slash == std::string::npos ? path : nodes_file.substr(0, slash + 1) + path;
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

const Node* FindNode(const NodesFile& file, const std::string& name) {
  const auto node = std::find_if(file.nodes.begin(), file.nodes.end(),
                                 [&](const Node& known) { return known.name == name; });
  return node == file.nodes.end() ? nullptr : &*node;
}

void ReadNodes(SettingsMap map, NodesFile& file) {
  for (const std::string& name : map.Keys()) {
    std::string text;
    if (map.IsMap(name)) {
      map.Map(name).Read("address", text);
      if (text.empty()) map.Refuse(name, absl::StrCat("node '", name, "' has no 'address'"));
    } else {
      map.Read(name, text);
    }
    if (absl::Status status = CheckSessionName(name); !status.ok()) {
      map.Refuse(name, absl::StrCat("'", name, "' cannot be a node's name"));
    }
    absl::StatusOr<NetworkAddress> address = ParseNetworkAddress(text);
    if (address.ok()) {
      file.nodes.push_back({.name = name, .address = *std::move(address)});
    } else if (!text.empty()) {
      map.Refuse(name, Message(address.status()));
    }
  }
}

void ReadGroups(SettingsMap map, NodesFile& file) {
  for (const std::string& name : map.Keys()) {
    std::vector<std::string>& members = file.groups[name];
    map.Read(name, members);
    for (const std::string& member : members) {
      if (FindNode(file, member) == nullptr) {
        map.Refuse(name, absl::StrCat("no node is called '", member, "'"));
      }
    }
  }
}

void ReadRacks(SettingsMap map, NodesFile& file) {
  for (const std::string& rack : map.Keys()) {
    std::vector<std::string> members;
    map.Read(rack, members);
    for (const std::string& member : members) {
      if (FindNode(file, member) == nullptr) {
        map.Refuse(rack, absl::StrCat("no node is called '", member, "'"));
      } else if (!file.racks.emplace(member, rack).second) {
        map.Refuse(rack,
                   absl::StrCat("'", member, "' is in rack '", file.racks[member], "' already"));
      }
    }
  }
}

}  // namespace

std::string DefaultNodesFile() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const std::string folder =
      config != nullptr && *config != '\0' ? std::string(config) : HomeFolder() + "/.config";
  return folder + "/gordian/nodes.yaml";
}

absl::StatusOr<NodesFile> ReadNodesFile(const std::string& path) {
  absl::StatusOr<std::unique_ptr<SettingsFile>> settings = SettingsFile::Load(path);
  if (absl::IsNotFound(settings.status())) {
    return absl::NotFoundError(absl::StrCat("no nodes file at ", path,
                                            "; write one (gordian-nodes(5)), or give another with "
                                            "--nodes-file"));
  }
  if (!settings.ok()) return settings.status();
  NodesFile file;
  file.path = path;
  SettingsMap root = (*settings)->root();
  const std::pair<const char*, std::string*> files[] = {{"certificate", &file.files.certificate},
                                                        {"key", &file.files.key},
                                                        {"authority", &file.files.authority}};
  for (const auto& [key, value] : files) {
    root.Read(key, *value);
    if (value->empty()) root.Refuse(key, absl::StrCat("'", key, "' is missing"));
    *value = Resolve(*value, path);
  }
  ReadNodes(root.Map("nodes"), file);
  ReadGroups(root.Map("groups"), file);
  ReadRacks(root.Map("racks"), file);
  root.Read("reference", file.reference);
  if (!file.reference.empty() && FindNode(file, file.reference) == nullptr) {
    root.Refuse("reference", absl::StrCat("no node is called '", file.reference, "'"));
  }
  if (file.nodes.empty()) root.Refuse("nodes", "'nodes' is missing: NAME: HOST:PORT for each");
  if (absl::Status status = (*settings)->status(); !status.ok()) return status;
  return file;
}

absl::StatusOr<std::vector<Node>> ChooseNodes(const NodesFile& file, const std::string& choice) {
  if (choice.empty() || choice == "all") return file.nodes;
  std::vector<Node> chosen;
  std::set<std::string> taken;
  const auto take = [&](const std::string& name) {
    const Node* node = FindNode(file, name);
    if (node == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("no node '", name, "' in ", file.path, "; groups are written @NAME"));
    }
    if (taken.insert(name).second) chosen.push_back(*node);
    return absl::OkStatus();
  };
  const std::vector<std::string> parts = absl::StrSplit(choice, ',');
  for (const std::string& part : parts) {
    if (!part.starts_with("@")) {
      if (absl::Status status = take(part); !status.ok()) return status;
      continue;
    }
    const auto group = file.groups.find(part.substr(1));
    if (group == file.groups.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no group '", part.substr(1), "' in ", file.path));
    }
    for (const std::string& member : group->second) {
      if (absl::Status status = take(member); !status.ok()) return status;
    }
  }
  return chosen;
}

}  // namespace gordian
