// SPDX-License-Identifier: Apache-2.0
#include "output/dot_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "report/test_reports.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

TEST(DotGraph, KnotIsFilledAndDevicesHaveTheirOwnShape) {
  const std::string dot = DotGraph(TestReport("figure1"));
  EXPECT_THAT(dot, HasSubstr("v2 [label=\"vda\", shape=cylinder, style=\"solid,filled\""));
  EXPECT_THAT(dot, HasSubstr("v0 [label=\"A\", shape=box, style=\"rounded\"]"));
  EXPECT_THAT(dot, HasSubstr("v1 -> v2 [label=\"10 s\", penwidth=8.00"));
}

TEST(DotGraph, MembersOutsideTheTargetAreDashed) {
  const std::string dot = DotGraph(TestReport("lossy"));
  EXPECT_THAT(dot, HasSubstr("v4 [label=\"kworker/55\", shape=box, style=\"rounded\"]"));
  EXPECT_THAT(dot, HasSubstr("v3 [label=\"pgbench\", shape=box3d, style=\"solid,filled,dashed\""));
}

TEST(DotGraph, LargeGraphsShowTheirHeaviestEdgesAndSayWhatIsLeftOut) {
  pb::Report report = TestReport("figure1");
  for (uint32_t i = 0; i < 1000; ++i) {
    pb::ReportVertex* vertex = report.add_vertices();
    vertex->set_id(100 + i);
    vertex->set_kind("thread");
    pb::ReportEdge* edge = report.add_edges();
    edge->set_from(100 + i);
    edge->set_to(1);
    edge->set_weight_s(100 + i);
  }
  const std::string dot = DotGraph(report);
  EXPECT_EQ(CountOf(dot, " -> v"), 200u);
  EXPECT_THAT(dot, HasSubstr("v2 -> v1"));  // the knot's, although all others are heavier
  EXPECT_THAT(dot, HasSubstr("803 lighter edges are left out"));
}

// Graphviz itself is the judge; scripts/setup installs it.
TEST(DotGraph, GraphvizReadsIt) {
  if (std::system("dot -V >/dev/null 2>&1") != 0) GTEST_SKIP() << "graphviz is not installed";
  for (const char* name : {"figure1", "lossy", "hostile", "empty"}) {
    const std::string path = ::testing::TempDir() + "/gordian-dot-test-" + name + ".dot";
    std::ofstream(path) << DotGraph(TestReport(name));
    EXPECT_EQ(std::system(("dot -Tplain '" + path + "' >/dev/null").c_str()), 0) << name;
    std::remove(path.c_str());
  }
}

}  // namespace
}  // namespace gordian
