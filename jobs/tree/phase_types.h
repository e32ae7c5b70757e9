// SPDX-License-Identifier: Apache-2.0
// The types of phases and resources: those of the model, and those that only the data tell.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/models/phase_model.h"
#include "jobs/tree/tally.h"

namespace gordian {

class PhaseTypes {
 public:
  // Deeper phases, and more discovered types, are not told apart any more (phase_types_over_limit).
  static constexpr size_t kMaxDepth = 32;
  static constexpr size_t kMaxDiscovered = 1000;

  PhaseTypes(const PhaseModel& model, Tally& tally);

  const PhaseType& operator[](PhaseTypeId type) const { return model_.types[type]; }
  size_t size() const { return model_.types.size(); }
  size_t depth(PhaseTypeId type) const { return traits_[type].depth; }  // of the root 0
  bool observed(PhaseTypeId type) const { return traits_[type].observed; }
  bool queued(PhaseTypeId type) const { return traits_[type].queued; }
  bool discovered(PhaseTypeId type) const { return traits_[type].discovered; }

  // The child of that name; kNoId if there is no such type in the model or among the discovered
  // ones.
  PhaseTypeId Child(PhaseTypeId parent, std::string_view name) const;
  // Makes one if the model allows that, else kNoId.
  PhaseTypeId ChildOrNew(PhaseTypeId parent, std::string_view name);
  // The one type of the model with that name; kNoId if there is none, or several.
  PhaseTypeId Unique(std::string_view name) const;

  const ResourceType& resource(ResourceTypeId type) const { return model_.resources[type]; }
  ResourceTypeId FindResource(std::string_view name) const;
  // Adds it, unless there are too many: then kNoId.
  ResourceTypeId ResourceOrNew(const ResourceType& wanted);

  // The model with all found types, its rules filled in.
  JobModel ToModel() const;

 private:
  struct Traits {
    size_t depth = 0;
    bool observed = false;
    bool queued = false;
    bool discovered = false;
    bool discovers = false;
    PhasePlace discovered_place = PhasePlace::kAnywhere;
  };
  PhaseTypeId Add(PhaseTypeId parent, std::string_view name);

  Tally& tally_;
  JobModel model_;  // whose own `rules` are not used: rows_ holds them
  std::vector<Traits> traits_;
  std::vector<std::vector<AttributionRule>> rows_;
  std::vector<absl::flat_hash_map<std::string, PhaseTypeId>> children_;  // by parent, by name
  absl::flat_hash_map<std::string, PhaseTypeId> unique_;
  absl::flat_hash_map<std::string, ResourceTypeId> resources_;
  size_t discovered_ = 0;
};

}  // namespace gordian
