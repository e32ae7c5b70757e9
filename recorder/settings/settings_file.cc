// SPDX-License-Identifier: Apache-2.0
#include "recorder/settings/settings_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "words/clean_text.h"
#include "words/parse_quantities.h"

namespace gordian {
namespace {

constexpr std::streamsize kMaxFileBytes = 4 << 20;  // thousands of nodes

std::string At(const std::string& path, const YAML::Mark& mark, const std::string& message) {
  return mark.is_null() ? absl::StrCat(path, ": ", message)
                        : absl::StrCat(path, ":", mark.line + 1, ": ", message);
}

std::string Where(const std::string& name) { return name.empty() ? "" : " in " + name; }

}  // namespace

YAML::Node SettingsMap::Find(const std::string& key) {
  seen_->asked.insert(key);
  if (!seen_->node.IsMap()) return YAML::Node(YAML::NodeType::Undefined);
  for (const auto& entry : seen_->node) {
    if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.second;
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

bool SettingsMap::Has(const std::string& key) { return Find(key).IsDefined(); }

bool SettingsMap::IsMap(const std::string& key) {
  const YAML::Node node = Find(key);
  return node.IsDefined() && node.IsMap();
}

SettingsMap SettingsMap::Map(const std::string& key) {
  const YAML::Node node = Find(key);
  const std::string name = seen_->name.empty() ? key : absl::StrCat(seen_->name, ".", key);
  if (node.IsDefined() && !node.IsMap() && !node.IsNull()) {
    Refuse(key, absl::StrCat("'", key, "' must hold settings of its own"));
  }
  return file_->Open(node.IsDefined() ? node : YAML::Node(), name);
}

bool SettingsMap::ReadScalar(const std::string& key, std::string& text) {
  const YAML::Node node = Find(key);
  if (!node.IsDefined()) return false;
  if (!node.IsScalar()) {
    Refuse(key, absl::StrCat("'", key, "' must be a single value"));
    return false;
  }
  text = node.Scalar();
  return true;
}

void SettingsMap::Read(const std::string& key, std::string& value) {
  std::string text;
  if (!ReadScalar(key, text)) return;
  if (text.empty()) {
    Refuse(key, absl::StrCat("'", key, "' is empty"));
  } else {
    value = text;
  }
}

void SettingsMap::Read(const std::string& key, std::vector<std::string>& values) {
  const YAML::Node node = Find(key);
  if (!node.IsDefined()) return;
  values.clear();
  if (node.IsScalar()) values.push_back(node.Scalar());
  if (node.IsSequence()) {
    for (const YAML::Node& entry : node) {
      if (entry.IsScalar()) values.push_back(entry.Scalar());
      if (!entry.IsScalar()) Refuse(key, absl::StrCat("'", key, "' must be a list of texts"));
    }
  }
  if (!node.IsScalar() && !node.IsSequence()) {
    Refuse(key, absl::StrCat("'", key, "' must be a text or a list of texts"));
  }
}

void SettingsMap::Read(const std::string& key, bool& value) {
  std::string text;
  if (!ReadScalar(key, text)) return;
  if (text != "true" && text != "false") {
    Refuse(key, absl::StrCat("'", key, "' must be true or false"));
  }
  value = text == "true";
}

void SettingsMap::ReadSize(const std::string& key, uint64_t& bytes) {
  std::string text;
  if (!ReadScalar(key, text)) return;
  if (const auto size = ParseSize(text); size.ok()) {
    bytes = *size;
  } else {
    Refuse(key, absl::StrCat("'", key, "' must be a size (500M, 2G)"));
  }
}

void SettingsMap::ReadTime(const std::string& key, uint64_t& time_ns) {
  std::string text;
  if (!ReadScalar(key, text)) return;
  if (const auto span_ns = ParseDuration(text); span_ns.ok() && *span_ns > 0) {
    time_ns = *span_ns;
  } else {
    Refuse(key, absl::StrCat("'", key, "' must be a time (10s, 12h)"));
  }
}

void SettingsMap::ReadCount(const std::string& key, uint64_t smallest, uint64_t largest,
                            uint64_t& value) {
  std::string text;
  if (!ReadScalar(key, text)) return;
  uint64_t count = 0;
  if (absl::SimpleAtoi(text, &count) && count >= smallest && count <= largest) {
    value = count;
  } else {
    Refuse(key, absl::StrCat("'", key, "' must be a number from ", smallest, " to ", largest));
  }
}

std::vector<std::string> SettingsMap::Keys() const {
  std::vector<std::string> keys;
  if (!seen_->node.IsMap()) return keys;
  for (const auto& entry : seen_->node) {
    if (entry.first.IsScalar()) keys.push_back(entry.first.Scalar());
  }
  return keys;
}

void SettingsMap::Refuse(const std::string& key, const std::string& message) {
  const YAML::Node node = Find(key);
  const YAML::Mark mark = node.IsDefined() ? node.Mark() : seen_->node.Mark();
  file_->Refuse(mark, seen_->name.empty() ? message : absl::StrCat(seen_->name, ": ", message));
}

SettingsFile::SettingsFile(std::string path, const YAML::Node& node)
    : path_(std::move(path)), node_(node) {}

absl::StatusOr<std::unique_ptr<SettingsFile>> SettingsFile::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const std::string message = absl::StrCat("cannot read ", path, ": ", std::strerror(errno));
    return errno == ENOENT ? absl::NotFoundError(message) : absl::UnavailableError(message);
  }
  std::string text(static_cast<size_t>(kMaxFileBytes), '\0');
  file.read(text.data(), kMaxFileBytes);
  if (file.gcount() == kMaxFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is too large for settings"));
  }
  if (file.bad()) {  // a directory can be opened
    return absl::UnavailableError(absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
  }
  text.resize(static_cast<size_t>(file.gcount()));
  try {
    std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1) {
      return absl::InvalidArgumentError(absl::StrCat(path, " holds more than one document"));
    }
    YAML::Node node = documents.empty() ? YAML::Node() : documents.front();
    if (!node.IsMap() && !node.IsNull()) {
      return absl::InvalidArgumentError(
          At(path, node.Mark(), "settings are lines of the form KEY: VALUE"));
    }
    return std::unique_ptr<SettingsFile>(new SettingsFile(path, node));
  } catch (const YAML::Exception& error) {  // yaml-cpp's way to tell
    return absl::InvalidArgumentError(At(path, error.mark, CleanText(error.msg)));
  }
}

SettingsMap SettingsFile::root() { return Open(node_, ""); }

SettingsMap SettingsFile::Open(const YAML::Node& node, const std::string& name) {
  auto seen = std::make_shared<SettingsMap::Seen>();
  seen->node.reset(node);
  seen->name = name;
  maps_.push_back(seen);
  std::set<std::string> keys;
  if (seen->node.IsMap()) {
    for (const auto& entry : seen->node) {
      if (!entry.first.IsScalar()) {
        Refuse(entry.first.Mark(), "a key must be a plain name" + Where(name));
      } else if (!keys.insert(entry.first.Scalar()).second) {
        Refuse(entry.first.Mark(),
               absl::StrCat("'", entry.first.Scalar(), "' is there twice", Where(name)));
      }
    }
  }
  return {*this, std::move(seen)};
}

void SettingsFile::Refuse(const YAML::Mark& mark, const std::string& message) {
  if (error_.ok()) error_ = absl::InvalidArgumentError(At(path_, mark, message));
}

absl::Status SettingsFile::status() const {
  if (!error_.ok()) return error_;
  for (const auto& seen : maps_) {
    if (!seen->node.IsMap()) continue;
    for (const auto& entry : seen->node) {
      const std::string& key = entry.first.Scalar();
      if (seen->asked.count(key) != 0) continue;
      return absl::InvalidArgumentError(
          At(path_, entry.first.Mark(),
             absl::StrCat("unknown setting '", key, "'", Where(seen->name), "; there are ",
                          absl::StrJoin(seen->asked, ", "))));
    }
  }
  return absl::OkStatus();
}

}  // namespace gordian
