// SPDX-License-Identifier: Apache-2.0
// Any bytes as a rule file: it is taken, or refused with lines for the user. Rules that are taken
// can be asked on frames.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "live/rules/rule_file.h"
#include "live/rules/rule_watch.h"
#include "schema/live.pb.h"

namespace gordian {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

pb::LiveFrame SomeFrame() {
  pb::LiveFrame frame;
  frame.set_to_s(10);
  pb::LiveFinding& finding = *frame.add_findings();
  finding.set_kind("knot");
  finding.add_members("worker (16 threads)");
  finding.set_share(0.5);
  frame.add_vertices()->set_label("worker/4711");
  pb::LiveWait& wait = *frame.add_waits();
  wait.set_from("web1/worker");
  wait.set_to("a");
  return frame;
}

void CheckRule(const Rule& rule) {
  Require(!rule.name.empty() && rule.name[0] != '.');
  Require(rule.name.find('/') == std::string::npos);
  Require(!rule.conditions.empty() && rule.limit_ns > 0);
  for (const std::string& word : rule.command) Require(word.find('\0') == std::string::npos);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const gordian::pb::LiveFrame& frame = *new gordian::pb::LiveFrame(gordian::SomeFrame());
  std::vector<std::string> errors;
  auto rules = gordian::ParseRules({reinterpret_cast<const char*>(data), size}, "f", &errors);
  gordian::Require(rules.ok() == errors.empty());
  if (!rules.ok()) return 0;
  gordian::Require(!rules->empty() && rules->size() <= gordian::kMostRules);
  for (const gordian::Rule& rule : *rules) gordian::CheckRule(rule);
  gordian::RuleWatch watch(*std::move(rules));
  watch.Take(frame);
  watch.Take(frame);
  return 0;
}
