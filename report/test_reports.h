// SPDX-License-Identifier: Apache-2.0
// Reports that tests are made with: testdata/NAME.textproto, to be read and extended by hand.
#pragma once

#include <string>

#include "schema/listings.pb.h"
#include "schema/report.pb.h"

namespace gordian {

pb::Report TestReport(const std::string& name);
// A report with its edges' courses made up, as the HTML page gets it.
pb::PageData TestPage(const pb::Report& report);
// The report `job` with its resources' courses made up.
pb::PageData JobPage();
// A server of `threads` threads: a knot of five and a disk; all other threads wait for it and for a
// few others.
pb::Report LargeReport(uint32_t threads);
// testdata/NAME. With GORDIAN_WRITE_GOLDEN set, writes `actual` there first: look at the difference
// before it is kept.
std::string Golden(const std::string& name, const std::string& actual);
// How often `part` stands in `text`.
size_t CountOf(const std::string& text, const std::string& part);

}  // namespace gordian
