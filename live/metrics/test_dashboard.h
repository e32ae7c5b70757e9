// SPDX-License-Identifier: Apache-2.0
// Reads Grafana's dashboard: for tests.
#pragma once

#include <string>
#include <vector>

namespace gordian {

struct DashboardQuestion {
  std::string panel;
  std::string expression;
  std::string legend;      // labels stand as {{name}} in it
  std::string datasource;  // its uid
};

// Of all panels; none if the file is no dashboard.
std::vector<DashboardQuestion> ReadDashboard(const std::string& path);

}  // namespace gordian
