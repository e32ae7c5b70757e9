// SPDX-License-Identifier: Apache-2.0
// Which constraints are handed on stands in idxStr, a letter for each, in the order of the values:
//   k key =   i key IN, all at once   n kind =   m kind IN, all at once
//   b begin >=   B begin <=   e end >=   E end <=   0 … 9 a parameter
// Behind these, without values, the columns that the table sorts by: F is the first column, G the
// next, and so on.
// SQLite checks all but the parameters again, so "greater" may become "greater or equal".
#include "query/virtual_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace gordian {

void SqlValue::Integer(uint64_t value) {
  if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return Signed(static_cast<int64_t>(value));
  if (told_ != nullptr) {
    told_->kind = ToldValue::Kind::kTooLarge;
  } else {
    sqlite3_result_error(context_, "a number in the recording is too large for SQL", -1);
  }
}
void SqlValue::Text(std::string_view text) {
  if (told_ == nullptr)
    return sqlite3_result_text64(context_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  told_->copy = text;
  StaticText(told_->copy);
}
void SqlValue::StaticText(std::string_view text) {
  if (told_ == nullptr)
    return sqlite3_result_text64(context_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  told_->kind = ToldValue::Kind::kText;
  told_->text = text;
}

bool RowLimits::HoldsKind(std::string_view kind) const {
  return !kinds || std::find(kinds->begin(), kinds->end(), kind) != kinds->end();
}

std::vector<EntityId> AskedThreads(const RowLimits& limits, size_t count) {
  std::vector<EntityId> threads;
  if (limits.keys) {
    for (const uint64_t key : *limits.keys) {
      if (key < count) threads.push_back(static_cast<EntityId>(key));
    }
  } else {
    threads.resize(count);
    for (size_t i = 0; i < count; ++i) threads[i] = static_cast<EntityId>(i);
  }
  return threads;
}

std::string ColumnList(const SqlTable& table) {
  std::string list;
  const size_t shown = table.columns.size() - table.parameters;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const SqlType type = table.columns[i].type;
    absl::StrAppend(&list, list.empty() ? "" : ", ", "\"", table.columns[i].name, "\" ",
                    type == SqlType::kInteger ? "INTEGER"
                    : type == SqlType::kReal  ? "REAL"
                                              : "TEXT",
                    i >= shown ? " HIDDEN" : "");
  }
  return list;
}

namespace {

// SQLite's own base comes first.
struct OpenTable {
  sqlite3_vtab base;
  const BoundTable* bound;
};
struct OpenCursor {
  sqlite3_vtab_cursor base;
  std::unique_ptr<SqlRows> rows;
  bool is_done = true;
};

int Connect(sqlite3* database, void* bound, int, const char* const*, sqlite3_vtab** made,
            char** error) {
  const auto* table = static_cast<const BoundTable*>(bound);
  const std::string declaration = absl::StrCat("CREATE TABLE x(", ColumnList(*table->table), ")");
  const int declared = sqlite3_declare_vtab(database, declaration.c_str());
  if (declared != SQLITE_OK) {
    *error = sqlite3_mprintf("%s", sqlite3_errmsg(database));
    return declared;
  }
  *made = &(new OpenTable{{}, table})->base;
  return SQLITE_OK;
}

int Disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<OpenTable*>(table);
  return SQLITE_OK;
}

const SqlTable& TableOf(sqlite3_vtab* table) {
  return *reinterpret_cast<OpenTable*>(table)->bound->table;
}

constexpr char kFirstSorted = 'F';
bool IsSorted(char letter) { return letter >= kFirstSorted && letter <= 'Z'; }

const BoundTable& BoundOf(sqlite3_vtab* table) {
  return *reinterpret_cast<OpenTable*>(table)->bound;
}

bool IsLower(int op) {
  return op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE;
}
bool IsUpper(int op) {
  return op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;
}

// The letter of a constraint that narrows, or 0.
char LetterOf(sqlite3_index_info* info, int index, const SqlTable& table) {
  const auto& constraint = info->aConstraint[index];
  const int column = constraint.iColumn;
  const int op = constraint.op;
  if (column < 0) return 0;
  if (op == SQLITE_INDEX_CONSTRAINT_EQ) {
    if (column == table.key) return sqlite3_vtab_in(info, index, -1) != 0 ? 'i' : 'k';
    if (column == table.kind) {
      // Kinds are compared byte by byte here.
      if (std::strcmp(sqlite3_vtab_collation(info, index), "BINARY") != 0) return 0;
      return sqlite3_vtab_in(info, index, -1) != 0 ? 'm' : 'n';
    }
  }
  if (column == table.begin) return IsLower(op) ? 'b' : IsUpper(op) ? 'B' : 0;
  if (column == table.end) return IsLower(op) ? 'e' : IsUpper(op) ? 'E' : 0;
  return 0;
}

// Whether the rows come as SQLite wants them. For DISTINCT alone rows that are alike in these
// columns must only be next to each other. It says so of GROUP BY, too, but then takes the groups
// as sorted where an ORDER BY names the same columns (3.40).
bool ComesInOrder(sqlite3_index_info* info, const SqlTable& table) {
  const auto count = static_cast<size_t>(info->nOrderBy);
  if (count == 0 || count > table.order.size()) return false;
  const bool any_order = sqlite3_vtab_distinct(info) == 2;
  const auto end = table.order.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<int> seen;
  for (size_t i = 0; i < count; ++i) {
    const auto& order = info->aOrderBy[i];
    if (any_order) {
      if (std::find(table.order.begin(), end, order.iColumn) == end) return false;
      if (std::find(seen.begin(), seen.end(), order.iColumn) != seen.end()) return false;
      seen.push_back(order.iColumn);
    } else if (order.iColumn != table.order[i] || order.desc != 0) {
      return false;
    }
  }
  return true;
}

// The columns that SQLite wants rows to rise by, if the table can sort by them itself.
std::vector<int> ColumnsToSortBy(sqlite3_index_info* info, const BoundTable& bound) {
  std::vector<int> columns;
  if (info->nOrderBy == 0 || bound.table->can_sort_by == nullptr) return columns;
  const bool any_order = sqlite3_vtab_distinct(info) == 2;
  for (int i = 0; i < info->nOrderBy; ++i) {
    if (info->aOrderBy[i].desc != 0 && !any_order) return {};
    columns.push_back(info->aOrderBy[i].iColumn);
  }
  return bound.table->can_sort_by(*bound.recording, columns) ? columns : std::vector<int>();
}

constexpr double kRowsOfAll = 1e6;

int BestIndex(sqlite3_vtab* vtab, sqlite3_index_info* info) {
  const SqlTable& table = TableOf(vtab);
  const int first_parameter = static_cast<int>(table.columns.size() - table.parameters);
  std::string plan;
  double rows = kRowsOfAll;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const bool is_parameter = table.parameters > 0 && constraint.iColumn >= first_parameter &&
                              constraint.op == SQLITE_INDEX_CONSTRAINT_EQ;
    if (constraint.usable == 0) {
      if (is_parameter) return SQLITE_CONSTRAINT;  // a function needs what it is given
      continue;
    }
    const char letter = is_parameter ? static_cast<char>('0' + constraint.iColumn - first_parameter)
                                     : LetterOf(info, i, table);
    if (letter == 0 || (is_parameter && plan.find(letter) != std::string::npos)) continue;
    if (letter == 'i' || letter == 'm') sqlite3_vtab_in(info, i, 1);
    plan += letter;
    info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.size());
    info->aConstraintUsage[i].omit = is_parameter ? 1 : 0;
    rows /= letter == 'k' ? 1000 : letter == 'i' ? 100 : is_parameter ? 1 : 3;
  }
  const bool is_in_order = ComesInOrder(info, table);
  if (!is_in_order) {
    for (const int column : ColumnsToSortBy(info, BoundOf(vtab)))
      plan += static_cast<char>(kFirstSorted + column);
  }
  const bool is_sorted = !plan.empty() && IsSorted(plan.back());
  info->idxStr = sqlite3_mprintf("%s", plan.c_str());
  if (info->idxStr == nullptr) return SQLITE_NOMEM;
  info->needToFreeIdxStr = 1;
  info->estimatedCost = rows;
  info->estimatedRows = static_cast<sqlite3_int64>(rows);
  if (is_in_order || is_sorted) info->orderByConsumed = 1;
  return SQLITE_OK;
}

int OpenCursorOf(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  *made = &(new OpenCursor{})->base;
  return SQLITE_OK;
}
int CloseCursor(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<OpenCursor*>(cursor);
  return SQLITE_OK;
}

constexpr double kBeyondIntegers = 9.2e18;

void NarrowBound(char letter, sqlite3_value* value, RowLimits& limits) {
  const int type = sqlite3_value_type(value);
  double real = 0;
  if (type == SQLITE_INTEGER) {
    const sqlite3_int64 number = sqlite3_value_int64(value);
    const auto bound = static_cast<uint64_t>(std::max<sqlite3_int64>(number, 0));
    switch (letter) {
      case 'b':
        limits.begin.from = std::max(limits.begin.from, bound);
        break;
      case 'B':
        limits.begin.to = std::min(limits.begin.to, bound);
        break;
      case 'e':
        limits.end.from = std::max(limits.end.from, bound);
        break;
      default:
        limits.end.to = std::min(limits.end.to, bound);
    }
    return;
  }
  if (type != SQLITE_FLOAT) return;  // SQLite compares it
  real = std::clamp(sqlite3_value_double(value), 0.0, kBeyondIntegers);
  const auto lower = static_cast<uint64_t>(std::floor(real));
  const auto upper = static_cast<uint64_t>(std::ceil(real));
  Bounds& bounds = letter == 'b' || letter == 'B' ? limits.begin : limits.end;
  if (letter == 'b' || letter == 'e') {
    bounds.from = std::max(bounds.from, lower);
  } else if (real < kBeyondIntegers) {
    bounds.to = std::min(bounds.to, upper);
  }
}

// All values of an IN, or the one value of an =.
std::vector<sqlite3_value*> ValuesOf(sqlite3_value* argument, bool is_list) {
  if (!is_list) return {argument};
  std::vector<sqlite3_value*> values;
  sqlite3_value* value = nullptr;
  for (int more = sqlite3_vtab_in_first(argument, &value); more == SQLITE_OK && value != nullptr;
       more = sqlite3_vtab_in_next(argument, &value)) {
    values.push_back(sqlite3_value_dup(value));
  }
  return values;
}

// Nothing if a value is neither a number nor null: SQLite compares it.
std::optional<std::vector<uint64_t>> KeysOf(std::span<sqlite3_value* const> values) {
  std::vector<uint64_t> keys;
  for (sqlite3_value* value : values) {
    const int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL) continue;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
    const double real = sqlite3_value_double(value);
    if (type == SQLITE_FLOAT && (real != std::floor(real) || std::abs(real) > kBeyondIntegers))
      continue;
    const sqlite3_int64 number = sqlite3_value_int64(value);
    if (number >= 0) keys.push_back(static_cast<uint64_t>(number));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

std::optional<std::vector<std::string>> KindsOf(std::span<sqlite3_value* const> values) {
  std::vector<std::string> kinds;
  for (sqlite3_value* value : values) {
    if (sqlite3_value_type(value) == SQLITE_NULL) continue;
    if (sqlite3_value_type(value) != SQLITE_TEXT) return std::nullopt;
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    kinds.emplace_back(text, static_cast<size_t>(sqlite3_value_bytes(value)));
  }
  return kinds;
}

// Of two lists both hold.
template <typename Value>
void Narrow(std::optional<std::vector<Value>>& known, std::optional<std::vector<Value>> more) {
  if (!more) return;
  if (!known) {
    known = std::move(more);
    return;
  }
  std::erase_if(*known, [&more](const Value& value) {
    return std::find(more->begin(), more->end(), value) == more->end();
  });
}

void NarrowList(char letter, sqlite3_value* argument, RowLimits& limits) {
  const bool is_list = letter == 'i' || letter == 'm';
  const std::vector<sqlite3_value*> values = ValuesOf(argument, is_list);
  if (letter == 'k' || letter == 'i') {
    Narrow(limits.keys, KeysOf(values));
  } else {
    Narrow(limits.kinds, KindsOf(values));
  }
  if (!is_list) return;
  for (sqlite3_value* value : values) sqlite3_value_free(value);
}

RowLimits LimitsOf(const SqlTable& table, std::string_view plan, sqlite3_value** arguments) {
  RowLimits limits;
  limits.parameters.resize(table.parameters);
  for (size_t i = 0; i < plan.size(); ++i) {
    const char letter = plan[i];
    if (IsSorted(letter)) {
      limits.sort_by.push_back(letter - kFirstSorted);
    } else if (letter >= '0' && letter <= '9') {
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[i]));
      if (text != nullptr) limits.parameters[static_cast<size_t>(letter - '0')] = text;
    } else if (std::strchr("kinm", letter) != nullptr) {
      NarrowList(letter, arguments[i], limits);
    } else {
      NarrowBound(letter, arguments[i], limits);
    }
  }
  return limits;
}

int NextRow(sqlite3_vtab_cursor* base) {
  auto* cursor = reinterpret_cast<OpenCursor*>(base);
  cursor->is_done = !cursor->rows->Next();
  return SQLITE_OK;
}

int Filter(sqlite3_vtab_cursor* base, int, const char* plan, int, sqlite3_value** arguments) {
  auto* cursor = reinterpret_cast<OpenCursor*>(base);
  const auto* bound = reinterpret_cast<OpenTable*>(base->pVtab)->bound;
  auto rows = bound->table->open(*bound->recording, LimitsOf(*bound->table, plan, arguments));
  if (!rows.ok()) {
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", std::string(rows.status().message()).c_str());
    return SQLITE_ERROR;
  }
  cursor->rows = *std::move(rows);
  return NextRow(base);
}

int IsAtEnd(sqlite3_vtab_cursor* cursor) {
  return reinterpret_cast<OpenCursor*>(cursor)->is_done ? 1 : 0;
}
int TellColumn(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  SqlValue value(context);
  reinterpret_cast<OpenCursor*>(cursor)->rows->Tell(static_cast<size_t>(column), value);
  return SQLITE_OK;
}
int TellRowNumber(sqlite3_vtab_cursor* cursor, sqlite3_int64* number) {
  *number = reinterpret_cast<OpenCursor*>(cursor)->rows->Number();
  return SQLITE_OK;
}

const sqlite3_module* Module() {
  static const sqlite3_module module = [] {
    sqlite3_module made{};
    made.iVersion = 1;
    made.xCreate = Connect;
    made.xConnect = Connect;
    made.xBestIndex = BestIndex;
    made.xDisconnect = Disconnect;
    made.xDestroy = Disconnect;
    made.xOpen = OpenCursorOf;
    made.xClose = CloseCursor;
    made.xFilter = Filter;
    made.xNext = NextRow;
    made.xEof = IsAtEnd;
    made.xColumn = TellColumn;
    made.xRowid = TellRowNumber;
    return made;
  }();
  return &module;
}

}  // namespace

int AddModule(sqlite3* database, const char* name, BoundTable* bound, void (*destroy)(void*)) {
  return sqlite3_create_module_v2(database, name, Module(), bound, destroy);
}

}  // namespace gordian
