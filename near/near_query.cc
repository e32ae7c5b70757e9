// SPDX-License-Identifier: Apache-2.0
#include "near/near_query.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/parallel.h"
#include "near/asked_packed.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Answers of 3 MiB at most, from any number of nodes.
constexpr size_t kMostTableBytes = 256 << 20;
constexpr int kAskedAtOnce = 32;
constexpr std::string_view kTablesOfAllNodes[] = {"slice", "aggregate", "critical_path",
                                                  "participation"};

using Answered = absl::StatusOr<pb::NearAnswer>;

std::vector<Answered> AskAll(const NearNodes& nodes, std::string_view sql) {
  pb::NearQuestion question;
  question.mutable_sql()->set_text(std::string(sql));
  std::vector<Answered> answers(nodes.names.size(), absl::UnknownError(""));
  ParallelFor(kAskedAtOnce, answers.size(), [&](size_t node, int /*worker*/) {
    MovedBytes moved;
    answers[node] = AskPacked(nodes, node, question, /*takes_packed=*/false, moved);
    Answered& answer = answers[node];
    if (!answer.ok()) return;
    if (answer->has_error()) {
      answer = absl::Status(static_cast<absl::StatusCode>(answer->error().code()),
                            CleanText(answer->error().message()));
    } else if (!answer->has_rows()) {
      answer = absl::DataLossError("it answered something else than it was asked");
    }
  });
  return answers;
}

QueryCell CellOf(pb::NearRows::Cell& told) {
  switch (told.value_case()) {
    case pb::NearRows::Cell::kNumber:
      return told.number();
    case pb::NearRows::Cell::kReal:
      return told.real();
    case pb::NearRows::Cell::kText:
      return std::move(*told.mutable_text());
    default:
      return {};
  }
}

bool AreWhole(const pb::NearRows& rows) {
  return rows.titles_size() > 0 &&
         std::all_of(rows.rows().begin(), rows.rows().end(), [&](const pb::NearRows::Row& row) {
           return row.cells_size() == rows.titles_size();
         });
}

// Nothing of an answer that does not fit to those before.
absl::Status Add(const std::string& node, pb::NearRows& rows, NearTable& table) {
  if (!AreWhole(rows)) return absl::DataLossError("its rows do not have the columns that it told");
  std::vector<std::string> titles = {"node"};
  titles.insert(titles.end(), rows.titles().begin(), rows.titles().end());
  if (table.titles.empty()) table.titles = titles;
  if (table.titles != titles)
    return absl::FailedPreconditionError(
        "it answered other columns than the nodes before: its gordian may be another version");
  for (pb::NearRows::Row& told : *rows.mutable_rows()) {
    std::vector<QueryCell> row = {node};
    for (pb::NearRows::Cell& cell : *told.mutable_cells()) row.push_back(CellOf(cell));
    table.rows.push_back(std::move(row));
  }
  if (rows.is_cut_off())
    table.notes.push_back(absl::StrCat(
        node, " has more rows than an answer may have: ask for fewer, by WHERE or LIMIT"));
  return absl::OkStatus();
}

bool IsOfWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

// Texts and comments are no names. "x" and [x] and `x` may be, so what is in them counts.
std::string TableOfAllNodes(std::string_view sql) {
  for (size_t i = 0; i < sql.size();) {
    if (sql[i] == '\'') {
      const size_t end = sql.find('\'', i + 1);
      i = end == std::string_view::npos ? sql.size() : end + 1;
      continue;
    }
    size_t end = i;
    while (end < sql.size() && IsOfWord(sql[end])) ++end;
    std::string word = absl::AsciiStrToLower(std::string(sql.substr(i, end - i)));
    for (const std::string_view table : kTablesOfAllNodes)
      if (word == table) return word;
    i = std::max(end, i + 1);
  }
  return "";
}

absl::StatusOr<NearTable> QueryAcross(const NearNodes& nodes, std::string_view sql) {
  if (const std::string table = TableOfAllNodes(sql); !table.empty())
    return absl::FailedPreconditionError(absl::StrCat(
        table,
        " needs the recordings of all nodes at once: gordian collect, or gordian-mpi where they "
        "lie; gordian slice SESSION --nodes follows one wait from node to node"));
  std::vector<Answered> answers = AskAll(nodes, sql);
  NearTable table;
  absl::Status first_failure;
  size_t bytes = 0;
  for (size_t node = 0; node < answers.size(); ++node) {
    absl::Status status = answers[node].status();
    if (status.ok() && (bytes += answers[node]->ByteSizeLong()) > kMostTableBytes)
      status =
          absl::ResourceExhaustedError("all answers together are too long: ask for fewer rows");
    if (status.ok()) status = Add(nodes.names[node], *answers[node]->mutable_rows(), table);
    if (!status.ok()) {
      first_failure.Update(status);
      table.notes.push_back(absl::StrCat(nodes.names[node], ": ", std::string(status.message())));
    }
    answers[node] = absl::UnknownError("");  // its memory is the table's now
  }
  if (table.titles.empty()) return first_failure;
  return table;
}

}  // namespace gordian
