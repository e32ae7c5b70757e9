// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analyzer/stacks/stacks.h"
#include "analyzer/stacks/thresholds.h"

namespace gordian {
namespace {

// Coarser than a stack: two threads that do the same are rarely sampled at the same instruction,
// but in the same functions.
struct CodePlace {
  uint32_t number = 0;
  bool named = false;  // shows code of the program's own
};

// If code made at run time (compiled just in time, an interpreter) called in, all its threads look
// alike: they show only the runtime's work. That is no code of the program's own.
bool CalledByCodeMadeAtRunTime(const CodePath& path, const Code& code) {
  return std::any_of(path.begin(), path.end(), [&](uint32_t index) {
    return code.frame(index).function.empty() && code.frame(index).module == "[anonymous]";
  });
}

class Places {
 public:
  explicit Places(const Code& code) : code_(code) {}

  CodePlace Of(const StackSum& sum) {
    const bool running = sum.side == StackSide::kRunning;
    const auto [known, is_new] = by_stack_.try_emplace(std::pair(sum.stack_id, running));
    if (!is_new) return known->second;
    const CodePath path = code_.PathOf(sum.stack_id, sum.side);
    const CodeFrame* own = ProgramFrame(path, code_);
    std::string text;
    if (running) {
      text = FrameName(own != nullptr ? *own : code_.frame(path.front()));
    } else {
      text = absl::StrCat("wait ", std::string(ReasonOf(path, code_)), " ",
                          StoryOf(path, code_, kWaitFrames));
    }
    const auto number =
        numbers_.try_emplace(std::move(text), static_cast<uint32_t>(numbers_.size())).first->second;
    return known->second = {number, own != nullptr && !CalledByCodeMadeAtRunTime(path, code_)};
  }

 private:
  const Code& code_;
  absl::flat_hash_map<std::pair<uint32_t, bool>, CodePlace> by_stack_;
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace

std::vector<CodeProfile> CodeProfiles(const StackSums& sums, const Code& code, size_t entities) {
  std::vector<CodeProfile> profiles(entities);
  Places places(code);
  const std::span<const StackSum> all = sums.all();
  for (size_t first = 0; first < all.size();) {
    const uint32_t from = all[first].from;
    std::map<uint32_t, double> by_place;
    double whole_ns = 0;
    double named_ns = 0;
    uint64_t samples = 0;
    size_t i = first;
    for (; i < all.size() && all[i].from == from; ++i) {
      if (all[i].side == StackSide::kWaker) continue;  // the code of `to`
      const CodePlace place = places.Of(all[i]);
      by_place[place.number] += all[i].estimate_ns;
      whole_ns += all[i].estimate_ns;
      if (place.named) named_ns += all[i].estimate_ns;
      samples += all[i].samples;
    }
    first = i;
    if (from >= entities || !(whole_ns > 0)) continue;
    CodeProfile& profile = profiles[from];
    profile.samples = samples;
    profile.named = named_ns / whole_ns;
    for (const auto& [place, estimate_ns] : by_place)
      profile.shares.push_back({place, estimate_ns / whole_ns});
  }
  return profiles;
}

}  // namespace gordian
