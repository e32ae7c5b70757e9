-- SPDX-License-Identifier: Apache-2.0
-- One request in twenty asks for the report.
local requests = 0
function request()
  requests = requests + 1
  return wrk.format("GET", requests % 20 == 0 and "/report" or "/price")
end
