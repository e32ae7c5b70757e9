// SPDX-License-Identifier: Apache-2.0
// The dashboard asks for metrics and labels that there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "live/metrics/live_metrics.h"
#include "live/metrics/test_dashboard.h"
#include "live/metrics/test_exposition.h"

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> AllMatches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

// A frame with a sample in each family: what labels there are.
LiveMetrics MetricsOfAll() {
  pb::LiveFrame frame;
  frame.set_to_s(10);
  frame.add_findings()->set_upper_bound_gain(2);
  frame.add_waits();
  frame.add_vertices()->set_participation(1);
  frame.add_resources()->set_what("cpus");
  frame.add_resources()->set_what("disk");
  frame.add_nodes();
  LiveMetrics metrics;
  metrics.Add(frame, 1);
  metrics.SetRules({{.rule = "r"}});
  return metrics;
}

// The names of labels, by the name of the samples.
std::map<std::string, std::set<std::string>> LabelsOfSamples() {
  const Exposition read =
      ReadExposition(MetricsOfAll().Text(MetricsFormat::kText), MetricsFormat::kText);
  EXPECT_EQ(read.fault, "");
  std::map<std::string, std::set<std::string>> labels;
  for (const auto& [key, value] : read.samples) {
    auto& of = labels[key.substr(0, key.find('{'))];
    for (const std::string& label : AllMatches(key, "[{,]([a-z]+)=")) of.insert(label);
  }
  return labels;
}

TEST(Dashboard, AsksForMetricsAndLabelsThatThereAre) {
  const auto labels = LabelsOfSamples();
  std::set<std::string> known;
  for (const auto& [name, of] : labels) known.insert(name);
  const auto questions = ReadDashboard(GORDIAN_DASHBOARD);
  ASSERT_THAT(questions, SizeIs(Ge(20)));
  for (const DashboardQuestion& question : questions) {
    const auto names = AllMatches(question.expression, "(gordian_[a-z_]+)");
    ASSERT_THAT(names, SizeIs(1)) << question.expression;
    ASSERT_THAT(known, Contains(names[0])) << question.panel;
    const std::set<std::string>& of = labels.at(names[0]);
    EXPECT_THAT(AllMatches(question.legend, R"(\{\{([a-z]+)\}\})"), IsSubsetOf(of))
        << question.panel;
  }
}

TEST(Dashboard, NamesNoDataSourceOfItsOwn) {
  const auto questions = ReadDashboard(GORDIAN_DASHBOARD);
  ASSERT_THAT(questions, Not(IsEmpty()));
  for (const DashboardQuestion& question : questions)
    EXPECT_EQ(question.datasource, "${DS_PROMETHEUS}") << question.panel;
}

// A counter's value says nothing; only how fast it grows does.
TEST(Dashboard, AsksHowFastCountersGrow) {
  for (const DashboardQuestion& question : ReadDashboard(GORDIAN_DASHBOARD)) {
    const bool is_counter = question.expression.find("_total") != std::string::npos;
    const bool has_rate = !AllMatches(question.expression, R"((rate|increase)\()").empty();
    EXPECT_EQ(is_counter, has_rate) << question.expression;
  }
}

}  // namespace
}  // namespace gordian
