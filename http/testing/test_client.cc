// SPDX-License-Identifier: Apache-2.0
#include "http/testing/test_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

namespace gordian::testing {

TestClient::TestClient(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
}

TestClient::~TestClient() { close(socket_); }

bool TestClient::Send(std::string_view bytes) const {
  return send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

bool TestClient::Read() {
  std::array<char, 4096> buffer;
  const ssize_t size = recv(socket_, buffer.data(), buffer.size(), 0);
  if (size > 0) rest_.append(buffer.data(), static_cast<size_t>(size));
  return size > 0;
}

// Ends: each turn reads bytes.
std::string TestClient::Receive(bool is_head) {
  while (rest_.find("\r\n\r\n") == std::string::npos)
    if (!Read()) return std::exchange(rest_, {});
  const size_t head = rest_.find("\r\n\r\n") + 4;
  const size_t told = rest_.find("Content-Length: ");
  const size_t body =
      is_head || told > head ? 0 : static_cast<size_t>(std::atoll(rest_.c_str() + told + 16));
  while (rest_.size() < head + body)
    if (!Read()) break;
  std::string answer = rest_.substr(0, head + body);
  rest_.erase(0, answer.size());
  return answer;
}

std::string TestClient::ReceiveAll() {
  while (Read()) {
  }
  return std::exchange(rest_, {});
}

}  // namespace gordian::testing
