// SPDX-License-Identifier: Apache-2.0
// Requests that follow each other. Inner to the library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "requests/requests.h"

namespace gordian {

// By request: its line. Those of one connection are a line. A client that opens a connection for
// each question, or for a few, goes on with another one behind an answer: then the connection that
// it opens next goes on with the line that it left first. `requests` in order of their answers.
// Which program asks must be known.
std::vector<uint32_t> LinesOf(const Timeline& timeline, std::span<const Request* const> requests);

}  // namespace gordian
