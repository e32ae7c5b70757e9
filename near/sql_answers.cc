// SPDX-License-Identifier: Apache-2.0
// What a node answers to SQL about its own recording.
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "near/node_answers.h"

namespace gordian {
namespace {

// Less than the daemon waits for its helper, so that the asker is told why.
constexpr QueryLimits kLimits = {.timeout_ns = 20'000'000'000, .memory_bytes = 256 << 20};
constexpr size_t kMostSqlBytes = 32 << 10;
// Some reserve below kMostNearAnswerBytes: a row is added before it is known how long it is.
constexpr size_t kMostRowBytes = 2 << 20;

void TellCell(const QueryCell& cell, pb::NearRows::Cell& told) {
  if (const auto* number = std::get_if<int64_t>(&cell)) told.set_number(*number);
  if (const auto* real = std::get_if<double>(&cell)) told.set_real(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) told.set_text(*text);
}

}  // namespace

absl::StatusOr<pb::NearRows> NodeAnswers::RowsOf(const pb::NearSqlQuestion& question) {
  if (question.text().size() > kMostSqlBytes)
    return absl::InvalidArgumentError(
        absl::StrCat("the question has more than ", kMostSqlBytes, " bytes"));
  if (database_ == nullptr) {
    const auto analysis = views_.Read();
    if (!analysis.ok()) return analysis.status();
    const Analysis* const one = *analysis;
    auto database = QueryDatabase::Open({&one, 1}, kLimits);
    if (!database.ok()) return database.status();
    database_ = std::make_unique<QueryDatabase>(*std::move(database));
  }
  pb::NearRows rows;
  const auto reader = SessionReader::Open(directory_);
  if (!reader.ok()) return reader.status();
  rows.set_start_ns(AboutSession(**reader, directory_).start_ns());
  size_t bytes = 0;
  const absl::Status asked = database_->Run(
      question.text(),
      [&](std::span<const std::string> titles) {
        for (const std::string& title : titles) rows.add_titles(title);
      },
      [&](std::span<const QueryCell> cells) {
        pb::NearRows::Row row;
        for (const QueryCell& cell : cells) TellCell(cell, *row.add_cells());
        bytes += row.ByteSizeLong() + 4;
        rows.set_is_cut_off(bytes > kMostRowBytes);
        if (!rows.is_cut_off()) *rows.add_rows() = std::move(row);
        return !rows.is_cut_off();
      });
  if (rows.is_cut_off()) return rows;
  if (absl::IsDeadlineExceeded(asked) || absl::IsResourceExhausted(asked))
    return absl::Status(asked.code(),
                        "the question takes more than 20 s or 256 MiB there; gordian "
                        "collect brings the recording to another machine");
  if (!asked.ok()) return asked;
  return rows;
}

}  // namespace gordian
