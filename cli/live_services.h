// SPDX-License-Identifier: Apache-2.0
// What gordian top does with each frame besides showing it: metrics, and rules that alert and keep.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/top/moment_consumer.h"
#include "live/live_session.h"
#include "live/metrics/live_metrics.h"
#include "live/metrics_server/metrics_server.h"
#include "live/rules/live_rules.h"

namespace gordian {

struct LiveServiceOptions {
  std::string metrics_address;  // empty: no metrics
  std::string rule_file;        // empty: no rules
  std::string keep_directory;   // empty: no rule may keep
  KeptLimits kept_limits;
  std::string checked_rule_file;  // only this is done

  bool is_any() const { return !metrics_address.empty() || !rule_file.empty(); }
};

// --metrics, --rules, --keep and its limits, --check-rules.
void AddLiveServiceOptions(CLI::App& command, LiveServiceOptions& options);

// --check-rules: tells each fault of the file, and returns the exit code.
int CheckRules(const std::string& path);

class LiveServices : public MomentConsumer {
 public:
  // How news of rules reach a person: one line each.
  using Tell = std::function<void(const std::string& line)>;

  // InvalidArgument: the rules are faulty; each fault was told. `owns_terminal`: a screen is shown,
  // so commands' output goes nowhere. Start it after EndingSignals: its threads take no signals.
  static absl::StatusOr<std::unique_ptr<LiveServices>> Start(const LiveServiceOptions& options,
                                                             bool owns_terminal, Tell tell);

  // The length of a frame when there is enough to tell; first of all.
  void SetWindow(uint64_t window_ns) { window_ns_ = window_ns; }
  absl::Status Take(const LiveMoment& moment) override;
  // Whether what rules have begun is under way.
  bool is_busy() { return rules_ != nullptr && rules_->is_busy(); }
  // Tells what became of it.
  void TellOutcomes();

 private:
  explicit LiveServices(Tell tell) : tell_(std::move(tell)) {}
  absl::Status StartMetrics(const std::string& address);
  absl::Status StartRules(const LiveServiceOptions& options, bool owns_terminal);
  void TellNews(const std::vector<RuleNews>& news);
  void Publish(std::chrono::steady_clock::time_point healthy_until);

  Tell tell_;
  uint64_t window_ns_ = 0;
  LiveMetrics metrics_;
  std::unique_ptr<MetricsServer> server_;
  std::unique_ptr<LiveRules> rules_;
};

}  // namespace gordian
