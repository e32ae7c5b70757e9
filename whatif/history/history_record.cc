// SPDX-License-Identifier: Apache-2.0
// How far predictions came true, in numbers and as a sentence.
#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "whatif/history/history.h"
#include "whatif/history/thresholds.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::string RecordText(const pb::PredictionRecord& record) {
  return absl::StrCat(record.held(), " of ", FormatCount(record.checked(), "prediction"),
                      " on this machine held; the number was off by ",
                      PercentText(record.median_off()),
                      record.checked() > 1 ? " in the middle" : "");
}

}  // namespace

bool HasHeld(const pb::PredictionScore& score) {
  return score.measured() >= score.low() && (score.at_least() || score.measured() <= score.high());
}

double OffBy(const pb::PredictionScore& score) {
  return score.measured() > 0 ? score.expected() / score.measured() - 1 : 0;
}

pb::PredictionRecord RecordOf(std::span<const pb::PredictionScore* const> scores) {
  pb::PredictionRecord record;
  std::vector<double> off;
  for (const pb::PredictionScore* score : scores) {
    const double its = OffBy(*score);
    off.push_back(std::abs(its));
    if (HasHeld(*score)) record.set_held(record.held() + 1);
    if (its > kFarOff) record.set_too_high(record.too_high() + 1);
    if (its < -kFarOff) record.set_too_low(record.too_low() + 1);
  }
  record.set_checked(scores.size());
  if (off.empty()) return record;
  std::sort(off.begin(), off.end());
  const size_t middle = off.size() / 2;
  record.set_median_off(off.size() % 2 == 1 ? off[middle] : (off[middle - 1] + off[middle]) / 2);
  record.set_text(RecordText(record));
  return record;
}

}  // namespace gordian
