// SPDX-License-Identifier: Apache-2.0
// Messages of one length over TCP, for the three tiers.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace three_tier {

using Message = std::array<char, 256>;
// The request's name, for logs: text that ends with 0, from this byte on.
inline constexpr size_t kNameAt = 128;
inline std::string NameOf(const Message& message) {
  std::string name(message.begin() + kNameAt, message.end() - 1);
  return name.substr(0, name.find('\0'));
}

// Each ends the program with a line on stderr if it fails: in an example there is no caller that
// could go on. `address` is HOST:PORT.
int Listen(const std::string& address);
int Accept(int listener);
// Tries for some seconds: tiers may be started in any order.
int Connect(const std::string& address);

// From now on Receive gives up after that time.
void SetPatience(int connection, int milliseconds);

// False once the other end has gone.
bool Send(int connection, const Message& message);
bool Receive(int connection, Message& message);

}  // namespace three_tier
