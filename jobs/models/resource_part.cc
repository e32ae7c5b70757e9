// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "jobs/models/model_parts.h"

namespace gordian {
namespace {

constexpr size_t kMaxResources = 200;

}  // namespace

void ReadResources(const YamlNode& node, ModelErrors& errors, PhaseModel& model) {
  if (node.kind != YamlNode::Kind::kMap) {
    errors.Add(node.line, absl::StrCat("resources must be a map of names, not ",
                                       std::string(YamlKindName(node))));
    return;
  }
  for (size_t i = 0; i < node.keys.size(); ++i) {
    const YamlKey& name = node.keys[i];
    const YamlNode& entry = node.items[i];
    if (model.job.resources.size() >= kMaxResources)
      return errors.Add(name.line, absl::StrCat("more than ", kMaxResources, " resources"));
    if (!IsPathName(name.text))
      errors.Add(name.line, absl::StrCat("'", name.text,
                                         "' is no name for a resource: letters, "
                                         "digits, - _ and . are"));
    ResourceType type{.name = name.text};
    if (entry.kind != YamlNode::Kind::kNull &&
        CheckKeys(entry, absl::StrCat("resource ", name.text), {"kind", "per", "capacity", "unit"},
                  errors)) {
      type.kind = ChoiceAt<ResourceKind>(
          entry, "kind", ResourceKind::kConsumable,
          {{"consumable", ResourceKind::kConsumable}, {"blocking", ResourceKind::kBlocking}},
          errors);
      type.per_node = ChoiceAt<bool>(entry, "per", true, {{"node", true}, {"job", false}}, errors);
      type.capacity = NumberAt(entry, "capacity", 0, 0, errors);
      type.unit = ScalarAt(entry, "unit", errors);
      if (type.kind == ResourceKind::kBlocking && entry.Find("capacity") != nullptr)
        errors.Add(entry.Find("capacity")->line,
                   "a blocking resource is there or not: it has no capacity");
    }
    model.job.resources.push_back(std::move(type));
  }
}

}  // namespace gordian
