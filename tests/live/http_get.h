// SPDX-License-Identifier: Apache-2.0
// Asks servers on this machine, for tests.
#pragma once

#include <cstdint>
#include <string>

namespace gordian {

// The answer's body; empty if the answer is not 200. `path` is encoded already.
std::string HttpGet(uint16_t port, const std::string& path, const std::string& accept = "*/*");

// Any text as a part of a path.
std::string UrlEncoded(const std::string& text);

// The port behind the last "ADDRESS:" of the text that follows `before`; 0: there is none yet.
uint16_t PortBehind(const std::string& text, const std::string& before);

}  // namespace gordian
