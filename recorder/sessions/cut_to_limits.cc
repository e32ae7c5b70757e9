// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/cut_to_limits.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// What is beyond a limit: a sentence for each.
struct Cuts {
  bool require = false;
  std::vector<std::string> sentences;

  void Add(const std::string& asked, const std::string& most, const char* limit) {
    sentences.push_back(require
                            ? absl::StrCat(asked, " is beyond this node's ", limit, " of ", most)
                            : absl::StrCat(asked, " is cut to ", most, ", this node's ", limit));
  }
};

std::string BudgetText(uint32_t ppm) { return PercentText(static_cast<double>(ppm) / 1e6); }

void CutSizes(const SessionLimits& limits, pb::StartRequest& request, Cuts& cuts) {
  const uint64_t most = limits.max_session_bytes;
  if (request.max_bytes() > most) {
    cuts.Add(absl::StrCat("--max-size ", FormatSize(request.max_bytes())), FormatSize(most),
             "max-size");
    request.set_max_bytes(most);
  }
  if (request.ring_bytes() > most) {
    cuts.Add(absl::StrCat("--ring ", FormatSize(request.ring_bytes())), FormatSize(most),
             "max-size");
    request.set_ring_bytes(most);
  }
  const uint64_t ring_bytes = request.kernel_ring_bytes_per_cpu();
  const uint64_t most_ring_bytes = std::bit_floor(limits.max_kernel_ring_bytes_per_cpu);
  if (std::has_single_bit(ring_bytes) && ring_bytes > most_ring_bytes) {
    cuts.Add(absl::StrCat("--kernel-ring ", FormatSize(ring_bytes)), FormatSize(most_ring_bytes),
             "max-kernel-ring");
    request.set_kernel_ring_bytes_per_cpu(most_ring_bytes);
  }
}

void CutDuration(const SessionLimits& limits, pb::StartRequest& request, Cuts& cuts) {
  if (request.duration_ns() <= limits.max_duration_ns) return;
  cuts.Add(absl::StrCat("--duration ", FormatDuration(request.duration_ns())),
           FormatDuration(limits.max_duration_ns), "max-duration");
  request.set_duration_ns(limits.max_duration_ns);
}

void CutStacks(const SessionLimits& limits, pb::StartRequest& request, Cuts& cuts) {
  const absl::StatusOr<StackChoice> stacks = ParseStackChoice(request.stacks());
  if (!stacks.ok()) return;
  if (*stacks > limits.max_stacks) {
    const char* const most = StackChoiceText(limits.max_stacks);
    cuts.Add(absl::StrCat("--stacks ", request.stacks()), most, "max-stacks");
    request.set_stacks(most);
  }
  const bool samples = std::min(*stacks, limits.max_stacks) != StackChoice::kOff;
  if (request.sample_hz() <= limits.max_sample_hz) return;
  if (samples) {
    cuts.Add(absl::StrCat("--sample-hz ", request.sample_hz()), absl::StrCat(limits.max_sample_hz),
             "max-sample-hz");
  }
  request.set_sample_hz(limits.max_sample_hz);
}

void CutBudget(const SessionLimits& limits, pb::StartRequest& request, Cuts& cuts) {
  const uint32_t most = limits.max_cpu_ppm;
  if (most >= kAllCpusPpm || request.budget_ppm() >= kAllCpusPpm) return;
  const bool takes_all = request.has_budget_ppm() && request.budget_ppm() == 0;
  if (takes_all || request.budget_ppm() > most) {
    const std::string asked = takes_all ? "none" : BudgetText(request.budget_ppm());
    cuts.Add(absl::StrCat("--budget ", asked), BudgetText(most), "max-cpu");
  }
  if (request.budget_ppm() == 0 || request.budget_ppm() > most) request.set_budget_ppm(most);
}

}  // namespace

absl::Status CutToLimits(const SessionLimits& limits, pb::StartRequest& request,
                         std::vector<std::string>& cut) {
  Cuts cuts{.require = request.require(), .sentences = {}};
  CutSizes(limits, request, cuts);
  CutDuration(limits, request, cuts);
  CutStacks(limits, request, cuts);
  CutBudget(limits, request, cuts);
  if (!cuts.sentences.empty() && cuts.require) {
    return absl::OutOfRangeError(absl::StrCat(absl::StrJoin(cuts.sentences, "; "),
                                              "; ask for less, or leave out --require"));
  }
  cut.insert(cut.end(), cuts.sentences.begin(), cuts.sentences.end());
  return absl::OkStatus();
}

}  // namespace gordian
