// SPDX-License-Identifier: Apache-2.0
#include "query/tables.h"

#include <vector>

namespace gordian {

std::span<const SqlTable> SqlTables() {
  static const std::vector<SqlTable> tables = {
      ThreadTable(),           SegmentTable(),     SpanTable(),         WakeEdgeTable(),
      VertexTable(),           DiskRequestTable(), PacketTable(),       FlowRowsTable(),
      StackSampleTable(),      CodeFrameTable(),   WaitObjectTable(),   PhaseTable(),
      RecordedEventTable(),    FindingTable(),     CounterTable(),      ResourceTable(),
      WaitGraphFunction(),     SliceFunction(),    AggregateFunction(), CriticalPathFunction(),
      ParticipationFunction(),
  };
  return tables;
}

}  // namespace gordian
