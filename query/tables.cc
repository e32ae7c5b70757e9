// SPDX-License-Identifier: Apache-2.0
#include "query/tables.h"

#include <vector>

namespace gordian {

std::span<const SqlTable> SqlTables() {
  static const std::vector<SqlTable> tables = {
      ThreadTable(),  SegmentTable(),  WakeEdgeTable(),    VertexTable(),       DiskRequestTable(),
      PacketTable(),  FlowRowsTable(), StackSampleTable(), CodeFrameTable(),    WaitObjectTable(),
      FindingTable(), CounterTable(),  ResourceTable(),    WaitGraphFunction(),
  };
  return tables;
}

}  // namespace gordian
