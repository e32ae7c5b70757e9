// SPDX-License-Identifier: Apache-2.0
#include "output/history_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "output/text_table.h"
#include "whatif/history/history.h"
#include "words/quantities.h"

namespace gordian {

std::string HistoryText(const pb::PredictionHistory& history) {
  const std::string unreadable =
      history.unreadable() == 0 ? ""
                                : absl::StrCat(FormatCount(history.unreadable(), "line"), " of ",
                                               history.file(), " could not be read.\n");
  if (history.predictions().empty())
    return absl::StrCat("No prediction was checked on this machine yet. Record again after a fix: ",
                        "gordian whatif BEFORE --skip … --verify AFTER\n", unreadable);
  using Align = TextTable::Align;
  TextTable table({{"checked"},
                   {"predicted", Align::kRight},
                   {"measured", Align::kRight},
                   {"held"},
                   {"off", Align::kRight},
                   {"by"},
                   {"change"}});
  for (const pb::PredictionScore& score : history.predictions())
    table.AddRow(
        {score.time(),
         score.at_least()
             ? absl::StrFormat("%.2f (%.2f or more)", score.expected(), score.low())
             : absl::StrFormat("%.2f (%.2f to %.2f)", score.expected(), score.low(), score.high()),
         absl::StrFormat("%.2f", score.measured()), HasHeld(score) ? "yes" : "no",
         absl::StrFormat("%+.0f %%", 100 * OffBy(score)),
         score.by_requests() ? "requests" : "threads", score.change()});
  return absl::StrCat(table.ToString(), "\n", history.record().text(), ".\n", unreadable);
}

}  // namespace gordian
