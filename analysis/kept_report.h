// SPDX-License-Identifier: Apache-2.0
// Finished reports in the store (store/store.h): to open a recording again with the same options
// takes no analysis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analysis/options.h"
#include "schema/listings.pb.h"
#include "store/store.h"

namespace gordian {

// What makes a report besides the recording: the options, and the program itself. A report is the
// same for any number of threads and any memory. `program` tells builds apart.
std::string ReportOptionsText(const AnalysisOptions& options, const std::string& program);

class KeptReport {
 public:
  // Of a folder with one node's session, or with those of many. Reports with a job's phases are not
  // kept: they depend on logs. A folder that cannot be read has no report.
  KeptReport(const Store& store, std::string directory, const AnalysisOptions& options,
             const std::string& program);

  // With the page's courses over time only if `with_page`. Nothing if it is not kept.
  std::optional<pb::PageData> Find(bool with_page) const;
  // Keeps a page, or a report alone. Not if the recording has changed since this object was made:
  // the report may tell of either state.
  absl::Status Keep(const pb::PageData& page, bool with_page) const;

 private:
  std::optional<StoreKey> KeyNow() const;

  const Store& store_;
  std::string directory_;
  std::string options_text_;  // empty: nothing is kept
  std::optional<StoreKey> key_;
};

}  // namespace gordian
