// SPDX-License-Identifier: Apache-2.0
#include "jobs/models/write_model.h"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>
#include <yaml-cpp/null.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "jobs/models/model_parts.h"
#include "jobs/models/rule_words.h"
#include "jobs/models/yaml_tree.h"

namespace gordian {
namespace {

constexpr size_t kMostInALine = 90;  // letters of a map or list that is written in one line

YamlNode Word(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.text = std::move(text);
  return node;
}

// The value at a key of a map, which is made if it is missing.
YamlNode& At(YamlNode& map, const std::string& key) {
  if (map.kind == YamlNode::Kind::kNull) map.kind = YamlNode::Kind::kMap;
  for (size_t i = 0; i < map.keys.size(); ++i) {
    if (map.keys[i].text == key) return map.items[i];
  }
  map.keys.push_back({key, map.line});
  return map.items.emplace_back();
}

// Puts a job's rules into the tree of a model.
class RulePlacer {
 public:
  RulePlacer(const PhaseModel& model, const JobModel& job)
      : model_(model), job_(job), children_(job.types.size()) {
    for (PhaseTypeId type = 1; type < job.types.size(); ++type)
      children_[job.types[type].parent].push_back(type);
  }

  // Models number their types in the order of the file, parents first, so the walk does, too.
  // Recursion ends: the tree is no deeper than kMaxYamlDepth.
  void Place(YamlNode& node) {
    const auto type = next_++;
    PlaceUses(type, node);
    if (node.Find("phases") != nullptr) {
      for (YamlNode& child : At(node, "phases").items) Place(child);
    }
    for (const PhaseTypeId child : children_[type]) {
      if (child >= model_.job.types.size()) PlaceFound(child, model_.discovered_place[type], node);
    }
  }

  void PlaceCapacities(YamlNode& resources) {
    for (ResourceTypeId type = 0; type < model_.job.resources.size(); ++type) {
      const double capacity = job_.resources[type].capacity;
      if (capacity == model_.job.resources[type].capacity) continue;
      YamlNode& node = At(resources, model_.job.resources[type].name);
      At(node, "capacity") = Word(NumberWords(capacity));
    }
  }

  size_t unnamed() const { return unnamed_; }

 private:
  AttributionRule RuleAbove(PhaseTypeId type, ResourceTypeId resource) const {
    const PhaseTypeId parent = job_.types[type].parent;
    return parent == kNoId ? AttributionRule{} : job_.rule(parent, resource);
  }
  bool HasOwnRule(PhaseTypeId type) const {
    for (ResourceTypeId resource = 0; resource < model_.job.resources.size(); ++resource) {
      if (job_.rule(type, resource) != RuleAbove(type, resource)) return true;
    }
    return std::any_of(children_[type].begin(), children_[type].end(),
                       [this](PhaseTypeId child) { return HasOwnRule(child); });
  }

  void PlaceUses(PhaseTypeId type, YamlNode& node) {
    const YamlNode* told = node.Find("uses");
    for (ResourceTypeId resource = 0; resource < model_.job.resources.size(); ++resource) {
      const ResourceType& of = model_.job.resources[resource];
      const AttributionRule& rule = job_.rule(type, resource);
      const YamlNode* words = told == nullptr ? nullptr : told->Find(of.name);
      if (words == nullptr && rule == RuleAbove(type, resource)) continue;
      const bool is_same = words != nullptr && type < model_.job.types.size() &&
                           model_.job.rule(type, resource) == rule;
      if (is_same) continue;
      At(At(node, "uses"), of.name) = Word(RuleWords(rule, of));
      told = node.Find("uses");
    }
  }

  // A type that the data named. Its depth is bounded as that of all types is.
  void PlaceFound(PhaseTypeId type, PhasePlace place, YamlNode& parent) {
    if (!HasOwnRule(type)) return;
    const std::string& name = job_.types[type].name;
    YamlNode* phases = &At(parent, "phases");
    if (!IsPathName(name) || phases->Find(name) != nullptr) {
      ++unnamed_;
      return;
    }
    YamlNode& node = At(*phases, name);
    At(node, "repeat") = Word("observed");
    if (place != PhasePlace::kAnywhere) At(node, "place") = Word(PlaceWord(place));
    PlaceUses(type, node);
    At(node, "discover") = Word(PlaceWord(place));
    for (const PhaseTypeId child : children_[type]) PlaceFound(child, place, node);
  }

  const PhaseModel& model_;
  const JobModel& job_;
  std::vector<std::vector<PhaseTypeId>> children_;
  PhaseTypeId next_ = 0;
  size_t unnamed_ = 0;
};

// Letters of a node in one line; more than kMostInALine if it is to have several.
size_t LengthOf(const YamlNode& node) {
  if (node.text.find('\n') != std::string::npos) return kMostInALine + 1;
  size_t length = node.text.size() + 2;
  for (const YamlKey& key : node.keys) length += key.text.size() + 2;
  for (const YamlNode& item : node.items) {
    if (length > kMostInALine) break;
    length += LengthOf(item);
  }
  return length;
}

void WriteWord(const std::string& text, YAML::Emitter& out) {
  const bool has_controls = std::any_of(text.begin(), text.end(), [](unsigned char letter) {
    return letter < 0x20 || letter >= 0x7f;
  });
  // Regular expressions are easier to read without doubled backslashes.
  if (!has_controls && text.find_first_of("\\\"") != std::string::npos) out << YAML::SingleQuoted;
  out << text;
}

// Recursion ends: the tree is no deeper than kMaxYamlDepth and the depth of found types.
void Write(const YamlNode& node, bool in_line, YAML::Emitter& out) {
  using Kind = YamlNode::Kind;
  if (node.kind == Kind::kNull) {
    out << YAML::Null;
    return;
  }
  if (node.kind == Kind::kScalar) return WriteWord(node.text, out);
  const bool is_empty = node.items.empty();
  const bool holds_phases = node.Find("phases") != nullptr;
  const bool flow = in_line || is_empty || (!holds_phases && LengthOf(node) <= kMostInALine);
  if (flow) out << YAML::Flow;
  out << (node.kind == Kind::kList ? YAML::BeginSeq : YAML::BeginMap);
  for (size_t i = 0; i < node.items.size(); ++i) {
    if (node.kind == Kind::kMap) {
      out << YAML::Key;
      WriteWord(node.keys[i].text, out);
      out << YAML::Value;
    }
    Write(node.items[i], flow, out);
  }
  out << (node.kind == Kind::kList ? YAML::EndSeq : YAML::EndMap);
}

// Comments and blank lines before anything else.
std::string_view HeadOf(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && (text[end] == '#' || text[end] == '\n' || text[end] == '\r')) {
    const size_t line = text.find('\n', end);
    if (line == std::string_view::npos) return text.substr(0, end);
    end = line + 1;
  }
  return text.substr(0, end);
}

// Lines apart. Recursion ends as in Write.
bool IsSameTree(const YamlNode& a, const YamlNode& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() ||
      a.keys.size() != b.keys.size())
    return false;
  for (size_t i = 0; i < a.keys.size(); ++i) {
    if (a.keys[i].text != b.keys[i].text) return false;
  }
  for (size_t i = 0; i < a.items.size(); ++i) {
    if (!IsSameTree(a.items[i], b.items[i])) return false;
  }
  return true;
}

bool SaysRulesOf(const PhaseModel& written, const JobModel& job, const PhaseModel& before) {
  // Types that the data named stand between the model's own now, so paths are compared.
  std::vector<std::pair<std::string, PhaseTypeId>> by_path;
  for (PhaseTypeId type = 0; type < job.types.size(); ++type)
    by_path.emplace_back(PathOf(job, type), type);
  std::sort(by_path.begin(), by_path.end());
  for (PhaseTypeId type = 0; type < written.job.types.size(); ++type) {
    const std::string path = PathOf(written.job, type);
    const auto found = std::lower_bound(by_path.begin(), by_path.end(), std::pair(path, 0U));
    if (found == by_path.end() || found->first != path) return false;
    for (ResourceTypeId resource = 0; resource < before.job.resources.size(); ++resource) {
      if (written.job.rule(type, resource) != job.rule(found->second, resource)) return false;
    }
  }
  for (ResourceTypeId resource = 0; resource < before.job.resources.size(); ++resource) {
    if (written.job.resources[resource].capacity != job.resources[resource].capacity) return false;
  }
  return written.job.types.size() >= before.job.types.size();
}

}  // namespace

absl::StatusOr<std::string> WithRules(std::string_view text, std::string_view file,
                                      const JobModel& job, size_t& unnamed) {
  const auto model = ParseModel(text, file);
  if (!model.ok()) return model.status();
  auto tree = ParseYaml(text, file);
  if (!tree.ok()) return tree.status();
  RulePlacer placer(*model, job);
  YamlNode& phases = At(*tree, "phases");
  placer.Place(phases.items.front());
  if (tree->Find("resources") != nullptr) placer.PlaceCapacities(At(*tree, "resources"));
  unnamed = placer.unnamed();
  YAML::Emitter out;
  out.SetIndent(2);
  out.SetNullFormat(YAML::TildeNull);
  Write(*tree, false, out);
  std::string written = absl::StrCat(std::string(HeadOf(text)), std::string(out.c_str()), "\n");
  // Bytes that are no UTF-8, for example, cannot be written.
  const auto again = ParseYaml(written, file);
  const auto read = ParseModel(written, file);
  if (!out.good() || !again.ok() || !read.ok() || !IsSameTree(*again, *tree) ||
      !SaysRulesOf(*read, job, *model)) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(file),
                     ": the tuned model cannot be written as YAML that reads "
                     "back: look for odd characters in it"));
  }
  return written;
}

}  // namespace gordian
