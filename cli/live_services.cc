// SPDX-License-Identifier: Apache-2.0
#include "cli/live_services.h"

#include <cstddef>
#include <iostream>
#include <memory>

#include "cli/verb.h"
#include "http/listen_address.h"
#include "live/cut_last.h"
#include "output/message_json.h"
#include "words/quantities.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

using std::chrono::steady_clock;

constexpr int64_t kMostKept = 10'000;
// Without a frame for so long nothing is followed any more. A frame comes each second, or as soon
// as a machine with much to do makes one.
constexpr auto kHealthyFor = std::chrono::minutes(1);

CLI::Validator AddressToListenAt() {
  return {[](const std::string& text) {
            const auto address = ParseListenAddress(text);
            return address.ok() ? std::string() : std::string(address.status().message());
          },
          ""};
}

// Tells each fault on stderr.
absl::StatusOr<std::vector<Rule>> ReadRules(const std::string& path) {
  std::vector<std::string> errors;
  auto rules = ReadRuleFile(path, &errors);
  if (rules.ok() || errors.empty()) return rules;
  for (const std::string& error : errors) std::cerr << InOneLine(error) << "\n";
  return absl::InvalidArgumentError(path + " has " + FormatCount(errors.size(), "fault"));
}

}  // namespace

void AddLiveServiceOptions(CLI::App& command, LiveServiceOptions& options) {
  command
      .add_option("--metrics", options.metrics_address,
                  "Serve metrics for Prometheus there: PORT (on 127.0.0.1) or IP:PORT")
      ->type_name("ADDRESS")
      ->check(AddressToListenAt());
  CLI::Option* rules =
      command
          .add_option("--rules", options.rule_file,
                      "Ask these rules on each frame, and do what they say: gordian-rules(5)")
          ->type_name("FILE")
          ->check(NotEmpty("the file's name"));
  CLI::Option* keep =
      command
          .add_option("--keep", options.keep_directory, "Where rules keep the end of the recording")
          ->type_name("DIR")
          ->check(NotEmpty("the folder's name"))
          ->needs(rules);
  command
      .add_option("--keep-most", options.kept_limits.most,
                  "Kept recordings at most; beyond, the oldest go")
      ->type_name("N")
      ->capture_default_str()
      ->check(WholeNumber(1, kMostKept))
      ->needs(keep);
  command
      .add_option("--keep-size", options.kept_limits.most_bytes,
                  "Their size at most; beyond, the oldest go (default 4 GiB)")
      ->type_name("SIZE")
      ->transform(SizeInBytes())
      ->needs(keep);
  command
      .add_option("--check-rules", options.checked_rule_file,
                  "Only tell what is wrong with these rules")
      ->type_name("FILE")
      ->check(NotEmpty("the file's name"));
}

int CheckRules(const std::string& path) {
  const auto rules = ReadRules(path);
  if (!rules.ok()) return Fail(rules.status());
  std::cout << InOneLine(path) << ": " << FormatCount(rules->size(), "rule") << "\n";
  return kExitSuccess;
}

absl::StatusOr<std::unique_ptr<LiveServices>> LiveServices::Start(const LiveServiceOptions& options,
                                                                  bool owns_terminal, Tell tell) {
  std::unique_ptr<LiveServices> services(new LiveServices(std::move(tell)));
  if (!options.rule_file.empty()) {
    const absl::Status started = services->StartRules(options, owns_terminal);
    if (!started.ok()) return started;
  }
  if (!options.metrics_address.empty()) {
    const absl::Status started = services->StartMetrics(options.metrics_address);
    if (!started.ok()) return started;
  }
  return services;
}

absl::Status LiveServices::StartRules(const LiveServiceOptions& options, bool owns_terminal) {
  auto rules = ReadRules(options.rule_file);
  if (!rules.ok()) return rules.status();
  auto opened = LiveRules::Open(
      *std::move(rules),
      {.keep_directory = options.keep_directory,
       .kept_limits = options.kept_limits,
       .to_json =
           [](const pb::LiveFrame& frame) { return MessageJson(frame, JsonShape::kCompact); },
       .is_silent = owns_terminal});
  if (!opened.ok()) return opened.status();
  rules_ = *std::move(opened);
  return absl::OkStatus();
}

absl::Status LiveServices::StartMetrics(const std::string& text) {
  const auto address = ParseListenAddress(text);
  if (!address.ok()) return address.status();
  auto server = MetricsServer::Listen(*address);
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  tell_("metrics at http://" + server_->address().Text() + "/metrics");
  if (!server_->address().is_loopback())
    tell_(
        "everybody who reaches that address can read the names of threads, devices and nodes; "
        "nothing is encrypted");
  Publish({});
  return absl::OkStatus();
}

absl::Status LiveServices::Take(const LiveMoment& moment) {
  if (rules_ != nullptr)
    TellNews(rules_->Take(moment.frame,
                          [nodes = moment.nodes](uint64_t length_ns, const std::string& into) {
                            return CutLastOf(nodes, length_ns, into);
                          }));
  metrics_.Add(moment.frame, window_ns_);
  Publish(moment.frame.ended() ? steady_clock::time_point() : steady_clock::now() + kHealthyFor);
  return absl::OkStatus();
}

void LiveServices::TellOutcomes() {
  if (rules_ != nullptr) TellNews(rules_->TakeOutcomes());
}

void LiveServices::TellNews(const std::vector<RuleNews>& news) {
  for (const RuleNews& one : news) tell_(one.text);
  if (rules_ == nullptr) return;
  std::vector<RuleCounts> counts;
  for (const RuleCount& count : rules_->counts())
    counts.push_back({.rule = count.rule, .fired = count.fired, .failed = count.failed});
  metrics_.SetRules(std::move(counts));
}

void LiveServices::Publish(steady_clock::time_point healthy_until) {
  if (server_ == nullptr) return;
  server_->Publish(
      {.open_metrics =
           std::make_shared<const std::string>(metrics_.Text(MetricsFormat::kOpenMetrics)),
       .text = std::make_shared<const std::string>(metrics_.Text(MetricsFormat::kText)),
       .healthy_until = healthy_until});
}

}  // namespace gordian
