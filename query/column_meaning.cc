// SPDX-License-Identifier: Apache-2.0
#include "query/column_meaning.h"

#include <array>

namespace gordian {
namespace {

struct NamedMeaning {
  std::string_view column;
  ColumnMeaning meaning;
};

// Of whatever table.
constexpr NamedMeaning kMeanings[] = {
    {"thread", ColumnMeaning::kThread},
    {"from_thread", ColumnMeaning::kThread},
    {"to_thread", ColumnMeaning::kThread},
    {"given_thread", ColumnMeaning::kThread},
    {"waker", ColumnMeaning::kThread},
    {"creator", ColumnMeaning::kThread},
    {"sender", ColumnMeaning::kThread},
    {"other", ColumnMeaning::kThread},
    {"disk", ColumnMeaning::kThread},
    {"interface", ColumnMeaning::kThread},
    {"vertex", ColumnMeaning::kVertex},
    {"from_vertex", ColumnMeaning::kVertex},
    {"to_vertex", ColumnMeaning::kVertex},
    {"from_label", ColumnMeaning::kLabel},
    {"to_label", ColumnMeaning::kLabel},
    {"begin_ns", ColumnMeaning::kMoment},
    {"end_ns", ColumnMeaning::kMoment},
    {"from_ns", ColumnMeaning::kMoment},
    {"to_ns", ColumnMeaning::kMoment},
    {"given_ns", ColumnMeaning::kMoment},
    {"tid", ColumnMeaning::kTid},
    {"pid", ColumnMeaning::kPid},
    {"container", ColumnMeaning::kContainer},
};

struct TableMeaning {
  std::string_view table;
  std::string_view column;
  ColumnMeaning meaning;
};

// Names that mean something else elsewhere.
constexpr TableMeaning kOfOneTable[] = {
    {"thread", "id", ColumnMeaning::kThread},       {"vertex", "id", ColumnMeaning::kVertex},
    {"vertex", "label", ColumnMeaning::kLabel},     {"finding", "rank", ColumnMeaning::kFinding},
    {"thread", "node", ColumnMeaning::kNode},       {"vertex", "node", ColumnMeaning::kNode},
    {"event", "node", ColumnMeaning::kNode},        {"resource", "node", ColumnMeaning::kNode},
    {"disk_request", "ns", ColumnMeaning::kMoment}, {"packet", "ns", ColumnMeaning::kMoment},
    {"sample", "ns", ColumnMeaning::kMoment},       {"event", "ns", ColumnMeaning::kMoment},
};

constexpr std::array<std::string_view, 10> kMeaningNames = {
    "", "thread", "vertex", "label", "moment", "tid", "pid", "node", "container", "finding"};

}  // namespace

std::string_view ColumnMeaningName(ColumnMeaning meaning) {
  return kMeaningNames[static_cast<size_t>(meaning)];
}

ColumnMeaning MeaningOfColumn(std::string_view table, std::string_view column) {
  for (const TableMeaning& of_table : kOfOneTable)
    if (of_table.table == table && of_table.column == column) return of_table.meaning;
  return MeaningOfTitle(column);
}

ColumnMeaning MeaningOfTitle(std::string_view title) {
  for (const NamedMeaning& named : kMeanings)
    if (named.column == title) return named.meaning;
  return ColumnMeaning::kValue;
}

}  // namespace gordian
