// SPDX-License-Identifier: Apache-2.0
#include "report/missing_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/symbols.pb.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

pb::Symbols SymbolsWithNotes() {
  pb::Symbols symbols;
  const auto text = [&symbols](const char* words) {
    symbols.add_text(words);
    return static_cast<uint32_t>(symbols.text_size() - 1);
  };
  text("");
  for (const char* file : {"/usr/bin/server", "/usr/bin/cc1plus"}) {
    symbols.add_frames()->set_module(text(file));
    symbols.add_notes(std::string(file) + " is stripped: 2 places in it have no name.");
  }
  symbols.add_notes("Java's compiled code in process 7 has no names.");
  return symbols;
}

uint32_t AddUnnamedFrame(const char* module, pb::Report& report) {
  report.add_code()->set_module(module);
  return static_cast<uint32_t>(report.code_size() - 1);
}

void AddVertexThatRunsIn(const char* module, pb::Report& report) {
  pb::ReportVertex& vertex = *report.add_vertices();
  vertex.set_id(static_cast<uint32_t>(report.vertices_size() - 1));
  vertex.add_running_stacks()->add_frames(AddUnnamedFrame(module, report));
}

TEST(MissingNames, AreToldOfFilesInTheCodeOfVerticesInScopeAndOfWhatIsNoFile) {
  pb::Report report;
  AddVertexThatRunsIn("/usr/bin/server", report);
  AddVertexThatRunsIn("/usr/bin/cc1plus", report);
  report.mutable_scope()->add_vertices(0);
  AddMissingNames(Code(SymbolsWithNotes()), report);
  EXPECT_THAT(report.missing_names(),
              ElementsAre("/usr/bin/server is stripped: 2 places in it have no name.",
                          "Java's compiled code in process 7 has no names."));
}

TEST(MissingNames, AreToldOfAFileInWhichAMemberOfAFindingWaits) {
  pb::Report report;
  AddVertexThatRunsIn("/usr/bin/server", report);
  AddVertexThatRunsIn("", report);
  pb::ReportEdge& edge = *report.add_edges();
  edge.set_from(1);
  edge.set_to(0);
  edge.add_waiter_stacks()->add_frames(AddUnnamedFrame("/usr/bin/cc1plus", report));
  report.add_findings()->add_members(1);
  AddMissingNames(Code(SymbolsWithNotes()), report);
  EXPECT_THAT(report.missing_names(),
              ElementsAre("/usr/bin/cc1plus is stripped: 2 places in it have no name.",
                          "Java's compiled code in process 7 has no names."));
}

}  // namespace
}  // namespace gordian
