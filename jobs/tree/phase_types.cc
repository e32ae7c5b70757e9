// SPDX-License-Identifier: Apache-2.0
#include "jobs/tree/phase_types.h"

#include <algorithm>

namespace gordian {
namespace {

constexpr size_t kMaxResourceTypes = 500;
constexpr char kOther[] = "other";  // the types over the limit

// Names from outside end up in paths and tables.
constexpr size_t kMaxNameBytes = 120;

bool IsControl(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; }

std::string CleanName(std::string_view name) {
  std::string clean(name.substr(0, kMaxNameBytes));
  std::replace_if(clean.begin(), clean.end(), IsControl, '?');
  return clean.empty() ? "unnamed" : clean;
}

// Nearly all are: they need no copy.
bool IsClean(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         std::none_of(name.begin(), name.end(), IsControl);
}

}  // namespace

PhaseTypes::PhaseTypes(const PhaseModel& model, Tally& tally) : tally_(tally), model_(model.job) {
  const size_t columns = model_.resources.size();
  for (PhaseTypeId type = 0; type < model_.types.size(); ++type) {
    const PhaseType& entry = model_.types[type];
    traits_.push_back({.depth = entry.parent == kNoId ? 0 : depth(entry.parent) + 1,
                       .observed = model.observed_repeat[type],
                       .queued = type < model.queued.size() && model.queued[type],
                       .discovered = false,
                       .discovers = model.discovers[type],
                       .discovered_place = model.discovered_place[type]});
    rows_.emplace_back(model_.rules.begin() + static_cast<ptrdiff_t>(type * columns),
                       model_.rules.begin() + static_cast<ptrdiff_t>((type + 1) * columns));
    children_.emplace_back();
    if (entry.parent != kNoId) children_[entry.parent][entry.name] = type;
    const auto [found, is_new] = unique_.try_emplace(entry.name, type);
    if (!is_new) found->second = kNoId;
  }
  for (ResourceTypeId type = 0; type < columns; ++type)
    resources_[model_.resources[type].name] = type;
  model_.rules.clear();
}

PhaseTypeId PhaseTypes::Child(PhaseTypeId parent, std::string_view name) const {
  if (parent >= children_.size()) return kNoId;
  const auto& names = children_[parent];
  const auto found = IsClean(name) ? names.find(absl::string_view(name.data(), name.size()))
                                   : names.find(CleanName(name));
  return found == names.end() ? kNoId : found->second;
}

PhaseTypeId PhaseTypes::ChildOrNew(PhaseTypeId parent, std::string_view name) {
  const PhaseTypeId known = Child(parent, name);
  if (known != kNoId || !traits_[parent].discovers) return known;
  if (depth(parent) + 1 >= kMaxDepth) {
    tally_.Count("phase_types_over_limit");
    return kNoId;
  }
  if (discovered_ < kMaxDiscovered) return Add(parent, CleanName(name));
  tally_.Count("phase_types_over_limit");
  const PhaseTypeId other = Child(parent, kOther);
  return other != kNoId ? other : Add(parent, kOther);
}

PhaseTypeId PhaseTypes::Add(PhaseTypeId parent, std::string_view name) {
  const auto type = static_cast<PhaseTypeId>(model_.types.size());
  const PhasePlace place = traits_[parent].discovered_place;
  ++discovered_;
  model_.types.push_back({.name = std::string(name), .parent = parent, .place = place});
  traits_.push_back({.depth = depth(parent) + 1,
                     .observed = true,
                     .discovered = true,
                     .discovers = true,
                     .discovered_place = place});
  rows_.push_back(std::vector<AttributionRule>(rows_[parent]));
  children_.emplace_back();
  children_[parent][std::string(name)] = type;
  return type;
}

PhaseTypeId PhaseTypes::Unique(std::string_view name) const {
  const auto found = unique_.find(std::string(name));
  return found == unique_.end() ? kNoId : found->second;
}

ResourceTypeId PhaseTypes::FindResource(std::string_view name) const {
  const auto found = resources_.find(std::string(name));
  return found == resources_.end() ? kNoId : found->second;
}

ResourceTypeId PhaseTypes::ResourceOrNew(const ResourceType& wanted) {
  const ResourceTypeId known = FindResource(wanted.name);
  if (known != kNoId || model_.resources.size() >= kMaxResourceTypes) return known;
  const auto type = static_cast<ResourceTypeId>(model_.resources.size());
  model_.resources.push_back(wanted);
  for (std::vector<AttributionRule>& row : rows_) row.push_back({});
  resources_[wanted.name] = type;
  return type;
}

JobModel PhaseTypes::ToModel() const {
  JobModel model = model_;
  for (const std::vector<AttributionRule>& row : rows_)
    model.rules.insert(model.rules.end(), row.begin(), row.end());
  return model;
}

}  // namespace gordian
