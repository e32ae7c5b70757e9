// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/container_records.h"

#include <rapidjson/reader.h>

#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "recorder/sources/file_text.h"
#include "recorder/sources/folder.h"

namespace gordian {

const char* const kPodPlaces = "/var/log/pods";
const char* const kContainerPlaces =
    "/var/log/containers, /var/lib/docker/containers, /var/lib/containers/storage and "
    "/var/lib/nerdctl";

namespace {

constexpr size_t kMostFolderEntries = 20'000;  // of a folder; a node has some hundreds
constexpr size_t kMostContainers = 20'000;
constexpr size_t kMostNameBytes = 1024;
constexpr size_t kMostJsonBytes = 8 << 20;
constexpr size_t kIdDigits = 64;

bool IsContainerId(std::string_view text) {
  return text.size() == kIdDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// What Kubernetes and all runtimes allow in a name. A '/' joins names here.
bool IsName(std::string_view text) {
  constexpr std::string_view kSigns =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !text.empty() && text.size() <= kMostNameBytes &&
         text.find_first_not_of(kSigns) == text.npos;
}

std::vector<std::string> EntriesOf(const std::string& path) {
  std::vector<std::string> entries;
  const Folder folder = OpenFolder(path);
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    if (entry->d_name[0] == '.') continue;
    entries.emplace_back(entry->d_name);
    if (entries.size() == kMostFolderEntries) break;
  }
  return entries;
}

// The three parts of A_B_C: names in Kubernetes have no '_'.
std::vector<std::string> ThreeNames(std::string_view text) {
  std::vector<std::string> parts = absl::StrSplit(absl::string_view(text.data(), text.size()), '_');
  if (parts.size() != 3) return {};
  for (const std::string& part : parts)
    if (!IsName(part)) return {};
  return parts;
}

// kubelet names a container's log POD_NAMESPACE_CONTAINER-ID.log, under every runtime.
void AddContainersOfKubelet(const std::string& root, std::vector<KnownContainer>& containers) {
  for (const std::string& file : EntriesOf(root + "/var/log/containers")) {
    const absl::string_view bare = absl::StripSuffix(file, ".log");
    if (bare.size() <= kIdDigits + 1 || bare.size() == file.size()) continue;
    const std::string id(bare.substr(bare.size() - kIdDigits));
    if (!IsContainerId(id) || bare[bare.size() - kIdDigits - 1] != '-') continue;
    const std::vector<std::string> parts = ThreeNames({bare.data(), bare.size() - kIdDigits - 1});
    if (parts.empty()) continue;
    containers.push_back({id, {parts[2], absl::StrCat(parts[1], "/", parts[0], "/", parts[2])}});
  }
}

// Takes the objects' "id" and "names" (podman's list), or their "Name" (docker's file), at the
// level where a container's own stand: deeper ones belong to something else. Bounded by the text,
// as the parser is iterative.
class NamesHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, NamesHandler> {
 public:
  explicit NamesHandler(size_t level) : level_(level) {}

  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    if (depth_ == level_) key_.assign(text, size);
    return true;
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    const bool in_list = depth_ == level_ + 1 && list_depth_ == depth_;
    std::string value(text, size);
    if (depth_ == level_ && key_ == "id")
      id_ = std::move(value);
    else if (depth_ == level_ && key_ == "Name")
      AddName(absl::StripPrefix(value, "/"));
    else if (in_list && key_ == "names")
      AddName(value);
    return true;
  }
  bool StartObject() {
    ++depth_;
    return true;
  }
  bool EndObject(rapidjson::SizeType /*members*/) {
    if (depth_-- == level_) Close();
    return containers_.size() < kMostContainers;
  }
  bool StartArray() {
    list_depth_ = ++depth_;
    return true;
  }
  bool EndArray(rapidjson::SizeType /*elements*/) {
    --depth_;
    list_depth_ = 0;
    return true;
  }

  std::vector<KnownContainer> Take() { return std::move(containers_); }

 private:
  void AddName(absl::string_view name) {
    if (IsName({name.data(), name.size()})) names_.emplace_back(name);
  }
  void Close() {
    containers_.push_back({std::exchange(id_, {}), std::exchange(names_, {})});
    key_.clear();
  }

  const size_t level_;
  size_t depth_ = 0;
  size_t list_depth_ = 0;
  std::string key_;
  std::string id_;
  std::vector<std::string> names_;
  std::vector<KnownContainer> containers_;
};

// The containers that a JSON text tells of; those before the first damage.
std::vector<KnownContainer> ReadNames(const std::string& path, size_t level) {
  const std::optional<std::string> text = ReadSmallFile(path, kMostJsonBytes);
  if (!text) return {};
  NamesHandler handler(level);
  rapidjson::StringStream stream(text->c_str());
  rapidjson::Reader reader;
  reader.Parse<rapidjson::kParseIterativeFlag>(stream, handler);
  return handler.Take();
}

// One folder for each, named by its id; the file is an object.
void AddContainersOfDocker(const std::string& root, std::vector<KnownContainer>& containers) {
  const std::string folder = root + "/var/lib/docker/containers";
  for (const std::string& id : EntriesOf(folder)) {
    if (!IsContainerId(id)) continue;
    for (KnownContainer& container : ReadNames(absl::StrCat(folder, "/", id, "/config.v2.json"), 1))
      containers.push_back({id, std::move(container.names)});
  }
}

// podman and CRI-O: a list of objects in the folder of the storage driver, overlay-containers. The
// list of temporary containers has a file of its own.
void AddContainersOfPodman(const std::string& root, std::vector<KnownContainer>& containers) {
  for (const char* storage : {"/var/lib/containers/storage", "/run/containers/storage"}) {
    for (const std::string& driver : EntriesOf(root + storage)) {
      if (!absl::EndsWith(driver, "-containers")) continue;
      for (const char* file : {"containers.json", "volatile-containers.json"}) {
        for (KnownContainer& container :
             ReadNames(absl::StrCat(root, storage, "/", driver, "/", file), 2))
          if (IsContainerId(container.id)) containers.push_back(std::move(container));
      }
    }
  }
}

// A file for each name, which holds the id: STORE/names/NAMESPACE/NAME.
void AddContainersOfNerdctl(const std::string& root, std::vector<KnownContainer>& containers) {
  const std::string base = root + "/var/lib/nerdctl";
  for (const std::string& store : EntriesOf(base)) {
    const std::string names = absl::StrCat(base, "/", store, "/names");
    for (const std::string& space : EntriesOf(names)) {
      for (const std::string& name : EntriesOf(absl::StrCat(names, "/", space))) {
        if (!IsName(name) || containers.size() >= kMostContainers) continue;
        const auto id = ReadSmallFile(absl::StrCat(names, "/", space, "/", name), kIdDigits + 1);
        if (id && IsContainerId(*id)) containers.push_back({*id, {name}});
      }
    }
  }
}

}  // namespace

std::vector<KnownPod> ReadKnownPods(const std::string& root) {
  std::vector<KnownPod> pods;
  for (const std::string& folder : EntriesOf(root + "/var/log/pods")) {
    const std::vector<std::string> parts = ThreeNames(folder);
    if (!parts.empty()) pods.push_back({absl::StrCat(parts[0], "/", parts[1]), parts[2]});
  }
  return pods;
}

std::vector<KnownContainer> ReadKnownContainers(const std::string& root) {
  std::vector<KnownContainer> containers;
  AddContainersOfKubelet(root, containers);
  AddContainersOfDocker(root, containers);
  AddContainersOfPodman(root, containers);
  AddContainersOfNerdctl(root, containers);
  return containers;
}

}  // namespace gordian
