// SPDX-License-Identifier: Apache-2.0
#include "trace/event_tables.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "trace/column_layout.h"

namespace gordian {
namespace {

constexpr uint64_t kMostValues = 16;  // of an enumeration whose words are listed

std::string Quoted(const std::string& text) { return absl::StrCat("`", text, "`"); }

// " (a, b)"; empty without names.
std::string InBrackets(std::vector<std::string> parts) {
  std::erase(parts, "");
  return parts.empty() ? "" : absl::StrCat(" (", absl::StrJoin(parts, "; "), ")");
}

std::vector<uint64_t> Values(const EventField& field) {
  std::vector<uint64_t> values;
  if (!field.word || field.max - field.min > kMostValues) return values;
  for (uint64_t value = field.min; value <= field.max; ++value)
    if (!field.word(value).empty()) values.push_back(value);
  return values;
}

// "0 thread, 1 softirq"
std::string NumberedWords(const EventField& field) {
  return absl::StrJoin(Values(field), ", ", [&](std::string* out, uint64_t value) {
    absl::StrAppend(out, value, " ", field.word(value));
  });
}

// "`thread`, `softirq`"
std::string QuotedWords(const EventField& field) {
  return absl::StrJoin(Values(field), ", ", [&](std::string* out, uint64_t value) {
    absl::StrAppend(out, Quoted(field.word(value)));
  });
}

std::string NameOfMember(const EventSchema& schema, const RecordMember& member) {
  const auto found =
      std::find_if(schema.fields.begin(), schema.fields.end(),
                   [&](const EventField& field) { return field.member.get == member.get; });
  return found == schema.fields.end() ? "?" : found->name;
}

std::string CodingText(const EventField& field, const EventSchema& schema) {
  switch (field.coding) {
    case Coding::kPlain:
      return field.absent_if_zero ? "one more than it, 0 or no column where it is not told" : "";
    case Coding::kThread:
      return "a thread";
    case Coding::kZigZag:
      return "zigzag";
    case Coding::kDelta:
      return "a delta";
    case Coding::kDistance:
      return absl::StrCat("zigzag of ", NameOfMember(schema, field.base), " − ", field.name);
    case Coding::kFollows:
      return "less what would follow; see above";
    case Coding::kName:
      return "an index into the block's `names`";
    case Coding::kText:
      return absl::StrCat("an index into ", Quoted(field.texts));
    case Coding::kAddress:
      return "16 bytes each";
    case Coding::kList:
      return absl::StrCat("how many ", field.name);
  }
  return "";
}

std::string NoteText(const EventField& field) { return field.note == nullptr ? "" : field.note; }

// "`state` = prev_state_bits << 1 \| preempted"
std::string SharedColumnText(const ColumnLayout& layout) {
  std::vector<const EventField*> parts = layout.fields;
  std::sort(parts.begin(), parts.end(),
            [](const EventField* a, const EventField* b) { return a->shift > b->shift; });
  return absl::StrCat(Quoted(layout.column->name()), " = ",
                      absl::StrJoin(parts, " \\| ", [](std::string* out, const EventField* part) {
                        absl::StrAppend(out, part->name);
                        if (part->shift > 0) absl::StrAppend(out, " << ", int{part->shift});
                        absl::StrAppend(out, InBrackets({NumberedWords(*part), NoteText(*part)}));
                      }));
}

std::string ColumnText(const ColumnLayout& layout, const EventSchema& schema) {
  if (layout.fields.size() > 1) return SharedColumnText(layout);
  const EventField& field = layout.first();
  const bool same_name = layout.column->name() == field.name || field.coding == Coding::kList ||
                         field.coding == Coding::kDistance;
  return absl::StrCat(Quoted(layout.column->name()),
                      InBrackets({same_name ? "" : field.name, CodingText(field, schema),
                                  NumberedWords(field), NoteText(field)}));
}

std::string ColumnTexts(const std::vector<ColumnLayout>& columns, const EventSchema& schema) {
  return absl::StrJoin(columns, ", ", [&](std::string* out, const ColumnLayout& column) {
    absl::StrAppend(out, ColumnText(column, schema));
  });
}

std::string FieldText(const EventField& field) {
  std::string text = Quoted(field.name);
  if (field.coding == Coding::kThread) {
    std::string comm = field.name;
    comm.replace(comm.size() - 3, 3, "comm");
    absl::StrAppend(&text, ", ", Quoted(comm));
  }
  if (field.shown_if) text = absl::StrCat("[", text, "]");
  return text + InBrackets({QuotedWords(field), NoteText(field)});
}

std::string KindNote(const EventSchema& schema) {
  return schema.note == nullptr ? "" : absl::StrCat("; ", schema.note);
}

}  // namespace

std::string EventFormatTable() {
  std::string table = "| kind | number | columns |\n|---|---|---|\n";
  for (const KindLayout& layout : EventLayout()) {
    const EventSchema& schema = *layout.schema;
    absl::StrAppend(&table, "| ", schema.name, " | ", static_cast<int>(schema.kind), " | ",
                    Quoted(schema.message), ": ", ColumnTexts(layout.columns, schema));
    if (!layout.cause_columns.empty())
      absl::StrAppend(&table, ", `cause` (an index into `causes`). Each of the `count` causes: ",
                      ColumnTexts(layout.cause_columns, schema));
    if (layout.list_column != nullptr)
      absl::StrAppend(&table, ", ", Quoted(layout.list_column->name()));
    absl::StrAppend(&table, KindNote(schema), " |\n");
  }
  return table;
}

std::string EventDumpTable() {
  std::string table = "| kind | fields |\n|---|---|\n";
  for (const EventSchema& schema : EventSchemas()) {
    std::vector<std::string> fields;
    const EventField* before = nullptr;
    for (const EventField& field : schema.fields) {
      const bool again = before != nullptr && std::string(before->name) == field.name;
      if (field.shown && !again) fields.push_back(FieldText(field));
      before = &field;
    }
    absl::StrAppend(&table, "| ", Quoted(schema.name), " | ", absl::StrJoin(fields, ", "),
                    KindNote(schema), " |\n");
  }
  return table;
}

}  // namespace gordian
