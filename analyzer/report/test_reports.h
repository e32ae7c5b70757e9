// Reports that tests are made with: testdata/NAME.textproto, to be read and extended by hand.
#pragma once

#include <string>

#include "proto/report.pb.h"

namespace gordian {

pb::Report TestReport(const std::string& name);
// testdata/NAME. With GORDIAN_WRITE_GOLDEN set, writes `actual` there first: look at the difference
// before it is kept.
std::string Golden(const std::string& name, const std::string& actual);

}  // namespace gordian
