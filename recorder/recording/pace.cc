#include "recorder/recording/pace.h"

#include <algorithm>

namespace gordian {
namespace {

constexpr double kShortestWindowNs = 1e9;
constexpr double kLongestWindowNs = 10e9;
constexpr double kWindowsInARecording = 256;  // about, while they grow
constexpr uint64_t kLongestPauseInWindows = 19;
// Less is not worth the detaching.
constexpr double kShortestPauseNs = 0.25e9;
// The rest is for unmeasured costs (other threads of the recorder, interrupts to attach), and for
// the error of measuring a tenth of the time.
constexpr double kOfTheBudget = 0.8;

}  // namespace

Pace::Pace(double share, int cpus, uint64_t start_ns)
    : allowed_ns_per_ns_(kOfTheBudget * share * cpus),
      start_ns_(start_ns),
      random_(static_cast<std::minstd_rand::result_type>(start_ns)),
      last_ns_(start_ns),
      debt_ns_(-allowed_ns_per_ns_ * kShortestWindowNs),
      since_ns_(start_ns),
      window_until_ns_(start_ns + static_cast<uint64_t>(kShortestWindowNs)) {}

double Pace::WindowNs(uint64_t now_ns) const {
  const auto passed_ns = static_cast<double>(now_ns - start_ns_);
  return std::clamp(passed_ns / kWindowsInARecording, kShortestWindowNs, kLongestWindowNs);
}

bool Pace::Records(uint64_t now_ns, uint64_t cost_ns) {
  now_ns = std::max(now_ns, last_ns_);
  const double paid_ns = allowed_ns_per_ns_ * static_cast<double>(now_ns - last_ns_);
  last_ns_ = now_ns;
  debt_ns_ += static_cast<double>(cost_ns);
  // An unused budget is hardly saved up: a quiet hour is no excuse for a dear one.
  debt_ns_ = std::max(debt_ns_ - paid_ns, -allowed_ns_per_ns_ * kShortestWindowNs);
  std::uniform_real_distribution<double> share(0, 1);
  if (records_) {
    if (now_ns < window_until_ns_ || debt_ns_ < allowed_ns_per_ns_ * kShortestPauseNs) return true;
    goes_on_at_debt_ns_ = -allowed_ns_per_ns_ * kShortestPauseNs * share(random_);
    pause_until_ns_ = now_ns + kLongestPauseInWindows * (now_ns - since_ns_);
    since_ns_ = now_ns;
    return records_ = false;
  }
  if (now_ns >= pause_until_ns_) debt_ns_ = std::min(debt_ns_, goes_on_at_debt_ns_);
  if (debt_ns_ > goes_on_at_debt_ns_) return false;
  since_ns_ = now_ns;
  window_until_ns_ = now_ns + static_cast<uint64_t>(WindowNs(now_ns) * (0.75 + share(random_) / 2));
  return records_ = true;
}

}  // namespace gordian
