#include "recorder/sessions/cut_to_limits.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::string Sentence(const std::string& asked, const std::string& granted, const char* limit) {
  return absl::StrCat(asked, " is cut to ", granted, ", as this node's ", limit, " allows no more");
}

std::string BudgetText(uint32_t ppm) { return OnlyPercentText(static_cast<double>(ppm) / 1e6); }

void CutSizes(const SessionLimits& limits, pb::StartRequest& request,
              std::vector<std::string>& cut) {
  const uint64_t most = limits.max_session_bytes;
  if (request.max_bytes() > most) {
    cut.push_back(Sentence(absl::StrCat("--max-size ", FormatSize(request.max_bytes())),
                           FormatSize(most), "max-size"));
    request.set_max_bytes(most);
  }
  if (request.ring_bytes() > most) {
    cut.push_back(Sentence(absl::StrCat("--ring ", FormatSize(request.ring_bytes())),
                           FormatSize(most), "max-size"));
    request.set_ring_bytes(most);
  }
  const uint64_t ring_bytes = request.kernel_ring_bytes_per_cpu();
  const uint64_t most_ring_bytes = std::bit_floor(limits.max_kernel_ring_bytes_per_cpu);
  if (std::has_single_bit(ring_bytes) && ring_bytes > most_ring_bytes) {
    cut.push_back(Sentence(absl::StrCat("--kernel-ring ", FormatSize(ring_bytes)),
                           FormatSize(most_ring_bytes), "max-kernel-ring"));
    request.set_kernel_ring_bytes_per_cpu(most_ring_bytes);
  }
}

void CutDuration(const SessionLimits& limits, pb::StartRequest& request,
                 std::vector<std::string>& cut) {
  if (request.duration_ns() <= limits.max_duration_ns) return;
  cut.push_back(Sentence(absl::StrCat("--duration ", FormatDuration(request.duration_ns())),
                         FormatDuration(limits.max_duration_ns), "max-duration"));
  request.set_duration_ns(limits.max_duration_ns);
}

void CutStacks(const SessionLimits& limits, pb::StartRequest& request,
               std::vector<std::string>& cut) {
  const absl::StatusOr<StackChoice> stacks = ParseStackChoice(request.stacks());
  if (!stacks.ok()) return;
  if (*stacks > limits.max_stacks) {
    const char* const most = StackChoiceText(limits.max_stacks);
    cut.push_back(Sentence(absl::StrCat("--stacks ", request.stacks()), most, "max-stacks"));
    request.set_stacks(most);
  }
  const bool samples = std::min(*stacks, limits.max_stacks) != StackChoice::kOff;
  if (request.sample_hz() <= limits.max_sample_hz) return;
  if (samples) {
    cut.push_back(Sentence(absl::StrCat("--sample-hz ", request.sample_hz()),
                           absl::StrCat(limits.max_sample_hz), "max-sample-hz"));
  }
  request.set_sample_hz(limits.max_sample_hz);
}

void CutBudget(const SessionLimits& limits, pb::StartRequest& request,
               std::vector<std::string>& cut) {
  const uint32_t most = limits.max_cpu_ppm;
  if (most >= kAllCpusPpm || request.budget_ppm() >= kAllCpusPpm) return;
  const bool takes_all = request.has_budget_ppm() && request.budget_ppm() == 0;
  if (takes_all || request.budget_ppm() > most) {
    const std::string asked = takes_all ? "none" : BudgetText(request.budget_ppm());
    cut.push_back(Sentence(absl::StrCat("--budget ", asked), BudgetText(most), "max-cpu"));
  }
  if (request.budget_ppm() == 0 || request.budget_ppm() > most) request.set_budget_ppm(most);
}

}  // namespace

absl::Status CutToLimits(const SessionLimits& limits, pb::StartRequest& request,
                         std::vector<std::string>& cut) {
  std::vector<std::string> sentences;
  CutSizes(limits, request, sentences);
  CutDuration(limits, request, sentences);
  CutStacks(limits, request, sentences);
  CutBudget(limits, request, sentences);
  if (!sentences.empty() && request.require()) {
    return absl::OutOfRangeError(absl::StrCat("with --require nothing is cut, but ",
                                              absl::StrJoin(sentences, "; "),
                                              "; ask for less, or leave out --require"));
  }
  cut.insert(cut.end(), sentences.begin(), sentences.end());
  return absl::OkStatus();
}

}  // namespace gordian
