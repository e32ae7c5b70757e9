// SPDX-License-Identifier: Apache-2.0
// Reads settings in YAML, strictly: a key that is misspelt, of the wrong kind or there twice is an
// error that names file and line. A limit that was written wrongly must not mean no limit.
//
// A key is known when it was asked for. So a reader asks for all its keys and then looks at
// status(), which tells of the first mistake. Until then a missing or wrong key has its default.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gordian {

class SettingsFile;

// One mapping of the file; may be absent, and then has no keys.
class SettingsMap {
 public:
  bool Has(const std::string& key);
  SettingsMap Map(const std::string& key);
  // Absent keys leave `value` as it is.
  void Read(const std::string& key, std::string& value);
  void Read(const std::string& key, std::vector<std::string>& values);  // a list, or one
  void Read(const std::string& key, bool& value);
  void ReadSize(const std::string& key, uint64_t& bytes);    // 64M, 2GiB
  void ReadTime(const std::string& key, uint64_t& time_ns);  // 10s, 12h
  void ReadCount(const std::string& key, uint64_t smallest, uint64_t largest, uint64_t& value);
  // Every key with its value, for mappings whose keys are names.
  std::vector<std::string> Keys() const;
  // Whether the value of `key` is a mapping.
  bool IsMap(const std::string& key);
  // Notes a mistake at the line of `key`, or of this mapping if there is no such key.
  void Refuse(const std::string& key, const std::string& message);

 private:
  friend class SettingsFile;
  struct Seen {
    YAML::Node node;
    std::string name;
    std::set<std::string> asked;
  };
  SettingsMap(SettingsFile& file, std::shared_ptr<Seen> seen)
      : file_(&file), seen_(std::move(seen)) {}
  YAML::Node Find(const std::string& key);
  bool ReadScalar(const std::string& key, std::string& text);

  SettingsFile* file_;
  std::shared_ptr<Seen> seen_;
};

class SettingsFile {
 public:
  // NotFound if there is no such file.
  static absl::StatusOr<std::unique_ptr<SettingsFile>> Load(const std::string& path);
  SettingsFile(const SettingsFile&) = delete;
  SettingsFile& operator=(const SettingsFile&) = delete;

  SettingsMap root();
  // After all keys were asked for: the first mistake, or a key that was not asked for.
  absl::Status status() const;
  const std::string& path() const { return path_; }

 private:
  friend class SettingsMap;
  SettingsFile(std::string path, const YAML::Node& node);
  SettingsMap Open(const YAML::Node& node, const std::string& name);
  void Refuse(const YAML::Mark& mark, const std::string& message);

  const std::string path_;
  const YAML::Node node_;
  absl::Status error_;
  std::vector<std::shared_ptr<SettingsMap::Seen>> maps_;
};

}  // namespace gordian
