// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "jobs/models/model_parts.h"
#include "jobs/models/rule_words.h"

namespace gordian {
namespace {

constexpr size_t kMaxTypes = 2000;

class PhaseReader {
 public:
  PhaseReader(ModelErrors& errors, PhaseModel& model)
      : errors_(errors), model_(model), job_(model.job) {}

  void Read(const YamlKey& name, const YamlNode& node, PhaseTypeId parent);

 private:
  void ReadChildren(const YamlNode& node, PhaseTypeId type);
  void ReadOrder(const YamlNode& siblings, const std::vector<PhaseTypeId>& types);
  void CheckOrder(const YamlNode& siblings, const std::vector<PhaseTypeId>& types);
  void ReadUses(const YamlNode& node, PhaseTypeId type);

  ModelErrors& errors_;
  PhaseModel& model_;
  JobModel& job_;
};

// Parents come before their children here, so a child's row begins as its parent's.
// Recursion ends: the tree is no deeper than kMaxYamlDepth.
void PhaseReader::Read(const YamlKey& name, const YamlNode& node, PhaseTypeId parent) {
  if (job_.types.size() >= kMaxTypes)
    return errors_.Add(name.line, absl::StrCat("more than ", kMaxTypes, " phases"));
  if (!IsPathName(name.text))
    errors_.Add(name.line, absl::StrCat("'", name.text,
                                        "' is no name for a phase: letters, "
                                        "digits, - _ and . are"));
  const auto type = static_cast<PhaseTypeId>(job_.types.size());
  const size_t columns = job_.resources.size();
  job_.types.push_back({.name = name.text, .parent = parent});
  model_.discovers.push_back(false);
  model_.discovered_place.push_back(PhasePlace::kAnywhere);
  model_.observed_repeat.push_back(false);
  model_.queued.push_back(false);
  for (size_t resource = 0; resource < columns; ++resource) {
    job_.rules.push_back(parent == kNoId ? AttributionRule{}
                                         : job_.rules[parent * columns + resource]);
    model_.rule_words.push_back(parent == kNoId ? std::string()
                                                : model_.rule_words[parent * columns + resource]);
  }
  if (node.kind == YamlNode::Kind::kNull) return;
  if (!CheckKeys(node, absl::StrCat("phase ", name.text),
                 {"repeat", "place", "after", "uses", "discover", "phases"}, errors_))
    return;
  enum class Repeat { kOnce, kSequential, kConcurrent, kQueued, kObserved };
  const auto repeat = ChoiceAt<Repeat>(node, "repeat", Repeat::kOnce,
                                       {{"once", Repeat::kOnce},
                                        {"sequential", Repeat::kSequential},
                                        {"concurrent", Repeat::kConcurrent},
                                        {"queued", Repeat::kQueued},
                                        {"observed", Repeat::kObserved}},
                                       errors_);
  if (repeat == Repeat::kSequential) job_.types[type].repeat = PhaseRepeat::kSequential;
  if (repeat == Repeat::kConcurrent || repeat == Repeat::kQueued)
    job_.types[type].repeat = PhaseRepeat::kConcurrent;
  model_.queued[type] = repeat == Repeat::kQueued;
  model_.observed_repeat[type] = repeat == Repeat::kObserved;
  if (parent == kNoId && repeat != Repeat::kOnce)
    errors_.Add(node.Find("repeat")->line, "the root phase is there once");
  const auto place = [&](std::string_view key, PhasePlace fallback) {
    return ChoiceAt<PhasePlace>(node, key, fallback,
                                {{"anywhere", PhasePlace::kAnywhere},
                                 {"node", PhasePlace::kNode},
                                 {"process", PhasePlace::kProcess},
                                 {"thread", PhasePlace::kThread}},
                                errors_);
  };
  job_.types[type].place = place("place", PhasePlace::kAnywhere);
  model_.discovers[type] = node.Find("discover") != nullptr;
  model_.discovered_place[type] = place("discover", PhasePlace::kAnywhere);
  if (const YamlNode* uses = node.Find("uses")) ReadUses(*uses, type);
  if (const YamlNode* phases = node.Find("phases")) ReadChildren(*phases, type);
}

void PhaseReader::ReadChildren(const YamlNode& node, PhaseTypeId type) {
  if (node.kind != YamlNode::Kind::kMap)
    return errors_.Add(node.line, absl::StrCat("phases must be a map of names, not ",
                                               std::string(YamlKindName(node))));
  std::vector<PhaseTypeId> children;
  for (size_t i = 0; i < node.keys.size(); ++i) {
    if (job_.types.size() >= kMaxTypes)
      return errors_.Add(node.keys[i].line, absl::StrCat("more than ", kMaxTypes, " phases"));
    children.push_back(static_cast<PhaseTypeId>(job_.types.size()));
    Read(node.keys[i], node.items[i], type);
  }
  ReadOrder(node, children);
  CheckOrder(node, children);
}

void PhaseReader::ReadOrder(const YamlNode& siblings, const std::vector<PhaseTypeId>& types) {
  std::vector<std::string_view> names;
  for (const YamlKey& key : siblings.keys) names.push_back(key.text);
  for (size_t i = 0; i < types.size(); ++i) {
    const YamlNode* after = siblings.items[i].Find("after");
    if (after == nullptr) continue;
    std::vector<const YamlNode*> words;
    if (after->kind == YamlNode::Kind::kScalar) words.push_back(after);
    for (const YamlNode& item : after->items) words.push_back(&item);
    if (words.empty())
      errors_.Add(after->line, "after must be the name of a sibling, or a list of them");
    for (const YamlNode* word : words) {
      const auto found = std::find(names.begin(), names.end(), word->text);
      if (word->kind != YamlNode::Kind::kScalar || found == names.end()) {
        errors_.Add(word->line,
                    absl::StrCat("after: '", word->text, "' is no sibling of ",
                                 siblings.keys[i].text, MeantOrKnown(word->text, names)));
        continue;
      }
      job_.types[types[i]].after.push_back(types[found - names.begin()]);
    }
  }
}

// Takes away, again and again, siblings whose predecessors are all gone; the rest stand in a cycle
// or behind one. Ends: each round takes one, or is the last.
void PhaseReader::CheckOrder(const YamlNode& siblings, const std::vector<PhaseTypeId>& types) {
  std::vector<bool> gone(types.size());
  const auto is_gone = [&](PhaseTypeId type) {
    return gone[std::find(types.begin(), types.end(), type) - types.begin()];
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t i = 0; i < types.size(); ++i) {
      const auto& after = job_.types[types[i]].after;
      if (gone[i] || !std::all_of(after.begin(), after.end(), is_gone)) continue;
      gone[i] = progress = true;
    }
  }
  const auto stuck = std::find(gone.begin(), gone.end(), false);
  if (stuck == gone.end()) return;
  // Back along a predecessor that is stuck, until one is met again: that one stands in the cycle.
  std::vector<PhaseTypeId> way = {types[stuck - gone.begin()]};
  for (;;) {
    const auto& after = job_.types[way.back()].after;
    const PhaseTypeId before = *std::find_if_not(after.begin(), after.end(), is_gone);
    const size_t met = std::find(way.begin(), way.end(), before) - way.begin();
    const bool closed = met < way.size();
    way.push_back(before);
    if (!closed) continue;
    std::string cycle;
    for (size_t at = met; at < way.size(); ++at)
      absl::StrAppend(&cycle, cycle.empty() ? "" : " after ", job_.types[way[at]].name);
    const size_t index = std::find(types.begin(), types.end(), before) - types.begin();
    return errors_.Add(siblings.keys[index].line,
                       absl::StrCat("phases wait for each other in a circle: ", cycle));
  }
}

void PhaseReader::ReadUses(const YamlNode& node, PhaseTypeId type) {
  if (node.kind != YamlNode::Kind::kMap)
    return errors_.Add(node.line, "uses must be a map of resources, as in {cpu: exact 0.5}");
  std::vector<std::string_view> names;
  for (const ResourceType& resource : job_.resources) names.push_back(resource.name);
  for (size_t i = 0; i < node.keys.size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), node.keys[i].text);
    if (found == names.end()) {
      errors_.Add(node.keys[i].line, absl::StrCat("uses: there is no resource '", node.keys[i].text,
                                                  "'", MeantOrKnown(node.keys[i].text, names)));
      continue;
    }
    const size_t column = found - names.begin();
    const auto rule = ParseRule(node.items[i].text, job_.resources[column]);
    if (!rule.ok()) {
      errors_.Add(node.items[i].line, absl::StrCat("uses: ", rule.status().message()));
      continue;
    }
    job_.rules[type * names.size() + column] = *rule;
    model_.rule_words[type * names.size() + column] = node.items[i].text;
  }
}

}  // namespace

bool IsPathName(std::string_view name) {
  return !name.empty() && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return letter > 0x20 && letter != '/' && letter != '[' && letter != ']' &&
                  letter != '{' && letter != '}' && letter != 0x7f;
         });
}

void ReadPhases(const YamlNode& node, ModelErrors& errors, PhaseModel& model) {
  if (node.kind != YamlNode::Kind::kMap || node.items.size() != 1)
    return errors.Add(node.line, "phases must be a map of one phase, the root, as in {Job: {…}}");
  PhaseReader(errors, model).Read(node.keys[0], node.items[0], kNoId);
}

}  // namespace gordian
