// SPDX-License-Identifier: Apache-2.0
#include "report/test_reports.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

std::string TestFile(const std::string& name) { return absl::StrCat(GORDIAN_TESTDATA, "/", name); }

std::string ReadTestFile(const std::string& name) {
  std::ifstream file(TestFile(name));
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

pb::Report TestReport(const std::string& name) {
  pb::Report report;
  EXPECT_TRUE(
      google::protobuf::TextFormat::ParseFromString(ReadTestFile(name + ".textproto"), &report))
      << name;
  return report;
}

pb::PageData TestPage(const pb::Report& report) {
  constexpr uint32_t kBins = 240;
  constexpr int kHistories = 200;
  pb::PageData page;
  *page.mutable_report() = report;
  page.set_strip_bins(kBins);
  for (const pb::ReportEdge& edge : report.edges()) {
    if (page.histories_size() == kHistories) break;
    pb::EdgeHistory* history = page.add_histories();
    history->set_from(edge.from());
    history->set_to(edge.to());
    for (uint32_t bin = edge.from() % 3; bin < kBins; bin += 1 + bin / 60) {
      history->add_bins(bin);
      history->add_waited(0.2f + static_cast<float>((bin * 7 + edge.to()) % 11) / 13);
    }
    for (uint32_t bucket = 12; bucket < 24; ++bucket) {
      history->add_buckets(bucket);
      history->add_bucket_counts(1 + edge.count() / (1 + (bucket - 19) * (bucket - 19)));
    }
  }
  return page;
}

pb::PageData JobPage() {
  constexpr int kBins = 200;
  pb::PageData page = TestPage(TestReport("job"));
  pb::Report& report = *page.mutable_report();
  for (const pb::ReportResource& resource : report.resources()) {
    if (resource.kind() != "consumable") continue;
    pb::ResourceSeries& series = *report.add_series();
    series.set_resource(resource.id());
    series.set_bin_s(report.job().makespan_s() / kBins);
    series.set_capacity(resource.capacity());
    pb::TypeSeries& compute = *series.add_types();
    pb::TypeSeries& exchange = *series.add_types();
    compute.set_type(3);
    exchange.set_type(4);
    for (int bin = 0; bin < kBins; ++bin) {
      const float computed =
          0.1f * static_cast<float>((bin / 7 + static_cast<int>(resource.id())) % 9);
      compute.add_use(computed);
      compute.add_demand(bin % 40 < 30 ? 0.9f : 0);
      exchange.add_use(0.05f);
      exchange.add_variable_demand(2);
      series.add_use(computed + 0.1f);
      series.add_demand(bin % 40 < 30 ? 0.9f : 0);
      series.add_variable_demand(2);
    }
  }
  return page;
}

pb::Report LargeReport(uint32_t threads) {
  constexpr uint32_t kKnot = 5;
  constexpr double kSeconds = 60;
  pb::Report report;
  report.set_report_version(1);
  pb::RecordingSummary* recording = report.mutable_recording();
  recording->set_seconds(kSeconds);
  recording->set_cpus(64);
  recording->set_events(50'000'000);
  recording->add_nodes("big.example");
  recording->set_complete(true);
  const auto add_edge = [&report](uint32_t from, uint32_t to, double weight_s) {
    pb::ReportEdge* edge = report.add_edges();
    edge->set_from(from);
    edge->set_to(to);
    edge->set_weight_s(weight_s);
    edge->set_own_s(weight_s / 2);
    edge->set_count(static_cast<uint64_t>(weight_s * 1000));
    edge->set_longest_s(weight_s / 100);
  };
  for (uint32_t i = 0; i <= threads; ++i) {
    pb::ReportVertex* vertex = report.add_vertices();
    vertex->set_id(i);
    vertex->set_in_scope(true);
    vertex->set_name(i == threads ? "nvme0n1" : "worker-" + std::to_string(i));
    vertex->set_kind(i == threads ? "disk" : "thread");
    if (i == threads) break;
    vertex->set_tid(static_cast<int32_t>(1000 + i));
    vertex->set_run_s(i % 40);
    vertex->set_wait_s(kSeconds - i % 40);
    vertex->add_members(i);
    pb::ReportThread* thread = report.add_threads();
    thread->set_id(i);
    thread->set_tid(static_cast<int32_t>(1000 + i));
    thread->set_pid(1000);
    thread->set_name(vertex->name());
    thread->set_process("server");
    thread->set_run_s(i % 40);
    thread->set_wait_s(kSeconds - i % 40);
    thread->set_vertex(i);
    for (uint32_t k = 0; k < 6; ++k) {
      const uint32_t to = i < kKnot ? (i + 1) % kKnot : (i * 31 + k * 977) % (threads / 2);
      if (to != i && (i >= kKnot || k == 0))
        add_edge(i, to, i < kKnot ? 200 - 10.0 * i : 30.0 / (1 + (i + k) % 50));
    }
  }
  add_edge(0, threads, 150);
  add_edge(threads, 0, 40);
  pb::Finding* finding = report.add_findings();
  finding->set_rank(1);
  finding->set_kind("knot");
  finding->set_title("Five workers and the disk nvme0n1 wait for each other in a circle.");
  for (uint32_t i = 0; i < kKnot; ++i) finding->add_members(i);
  finding->add_members(threads);
  finding->mutable_edge()->set_to(threads);
  finding->set_share(0.7);
  finding->set_upper_bound_gain(1.8);
  finding->set_confidence(0.8);
  return report;
}

std::string Golden(const std::string& name, const std::string& actual) {
  if (std::getenv("GORDIAN_WRITE_GOLDEN") != nullptr) std::ofstream(TestFile(name)) << actual;
  return ReadTestFile(name);
}

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace gordian
