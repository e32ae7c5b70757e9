// SPDX-License-Identifier: Apache-2.0
// Stacks as reports and listings hold them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyzer/stacks/stacks.h"
#include "analyzer/stacks/wait_things.h"
#include "report/vertex_names.h"
#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

// Fills a table of frames with those that are used, in the order in which they are met.
class CodeTable {
 public:
  CodeTable(const Code& code, google::protobuf::RepeatedPtrField<pb::CodeFrame>& table)
      : code_(code), table_(table) {}
  void Put(const PathShare& path, pb::CodeStack& out);

 private:
  uint32_t IndexOf(uint32_t frame);

  const Code& code_;
  google::protobuf::RepeatedPtrField<pb::CodeFrame>& table_;
  std::map<uint32_t, uint32_t> indices_;
};

struct CodeOptions {
  size_t most_stacks = 12;  // of a side
  size_t most_edges = 400;  // those of the findings, then the heaviest
};

// Fills code, the stacks and reasons of edges and vertices, and the findings' sentences on code.
// Counts samples whose stack has no definition.
void AddCode(const StackSums& sums, const Code& code, const WaitThings& things,
             const CodeOptions& options, pb::Report& report);

// All stacks of one edge of the report.
void ListStacks(const StackSums& sums, const Code& code, const WaitThings& things,
                const VertexNames& names, const pb::ReportEdge& edge, pb::EdgeStacks& listing);

}  // namespace gordian
