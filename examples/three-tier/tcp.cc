// SPDX-License-Identifier: Apache-2.0
#include "examples/three-tier/tcp.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

namespace three_tier {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);
constexpr auto kBetweenTries = std::chrono::milliseconds(50);

[[noreturn]] void Fail(const std::string& what, const std::string& address, const char* why) {
  std::fprintf(stderr, "cannot %s %s: %s\n", what.c_str(), address.c_str(), why);
  std::exit(1);
}

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses Resolve(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) Fail("use", address, "it is no HOST:PORT");
  const std::string host = address.substr(0, colon);
  const std::string port = address.substr(colon + 1);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) Fail("find", address, gai_strerror(error));
  return {found, freeaddrinfo};
}

int Socket(const addrinfo& address) {
  const int made = socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, 0);
  const int on = 1;
  // Requests and answers are small and waited for.
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  return made;
}

}  // namespace

int Listen(const std::string& address) {
  const Addresses found = Resolve(address);
  const int listener = Socket(*found);
  if (listener < 0 || bind(listener, found->ai_addr, found->ai_addrlen) != 0 ||
      listen(listener, SOMAXCONN) != 0) {
    Fail("listen at", address, std::strerror(errno));
  }
  return listener;
}

int Accept(int listener) {
  int connection = -1;
  do {
    connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  } while (connection < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (connection < 0) Fail("accept", "connections", std::strerror(errno));
  const int on = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return connection;
}

int Connect(const std::string& address) {
  const Addresses found = Resolve(address);
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const int connection = Socket(*found);
    if (connection >= 0 && connect(connection, found->ai_addr, found->ai_addrlen) == 0) {
      return connection;
    }
    if (std::chrono::steady_clock::now() > give_up) {
      Fail("connect to", address, std::strerror(errno));
    }
    close(connection);
    std::this_thread::sleep_for(kBetweenTries);
  }
}

void SetPatience(int connection, int milliseconds) {
  const timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
}

bool Send(int connection, const Message& message) {
  size_t done = 0;
  while (done < message.size()) {
    const ssize_t size =
        send(connection, message.data() + done, message.size() - done, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    done += static_cast<size_t>(size);
  }
  return true;
}

bool Receive(int connection, Message& message) {
  size_t done = 0;
  while (done < message.size()) {
    const ssize_t size = recv(connection, message.data() + done, message.size() - done, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    done += static_cast<size_t>(size);
  }
  return true;
}

}  // namespace three_tier
