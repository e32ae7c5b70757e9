// SPDX-License-Identifier: Apache-2.0
// All tables. A new one is declared and listed here; nothing else has to know it.
#pragma once

#include <span>

#include "query/table.h"

namespace gordian {

SqlTable ThreadTable();
SqlTable SegmentTable();
SqlTable WakeEdgeTable();
SqlTable DiskRequestTable();
SqlTable PacketTable();
SqlTable FlowRowsTable();
SqlTable StackSampleTable();
SqlTable CodeFrameTable();
SqlTable WaitObjectTable();
SqlTable VertexTable();
SqlTable FindingTable();
SqlTable CounterTable();
SqlTable ResourceTable();
SqlTable PhaseTable();
SqlTable SpanTable();
SqlTable RecordedEventTable();
SqlTable WaitGraphFunction();
SqlTable SliceFunction();
SqlTable AggregateFunction();
SqlTable CriticalPathFunction();
SqlTable ParticipationFunction();

// In the order that --schema shows them.
std::span<const SqlTable> SqlTables();

}  // namespace gordian
