// SPDX-License-Identifier: Apache-2.0
// Bytes to and from a server on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gordian::testing {

class TestClient {
 public:
  explicit TestClient(uint16_t port);
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  // False once the server has closed.
  bool Send(std::string_view bytes) const;
  // One answer, head and body: as long as its Content-Length says, or none behind a HEAD.
  std::string Receive(bool is_head = false);
  // All until the server closes.
  std::string ReceiveAll();

 private:
  bool Read();

  int socket_;
  std::string rest_;
};

}  // namespace gordian::testing
