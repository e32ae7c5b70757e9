// SPDX-License-Identifier: Apache-2.0
// A session's summary, for people and for programs.
#pragma once

#include <string>

#include "cli/session_summary.h"
#include "schema/report.pb.h"
#include "schema/session.pb.h"

namespace gordian {

struct SummaryReport {
  const std::string& directory;
  const pb::Session& session;
  const SessionSummary& summary;
  const pb::Report& machine;  // only its `machine`
};

std::string SummaryText(const SummaryReport& report);
// One object on one line. docs/dump.md lists the fields; they are only ever added.
std::string SummaryJson(const SummaryReport& report);

}  // namespace gordian
