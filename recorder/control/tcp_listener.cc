// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/tcp_listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr int kNetworkBacklog = 128;

absl::Status Failed(const NetworkAddress& address) {
  return absl::UnavailableError(
      absl::StrCat("cannot listen at ", address.text(), ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<TcpListener> TcpListener::Open(const NetworkAddress& address) {
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* resolved = nullptr;
  if (getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &resolved) !=
      0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", address.host, "' is no address to listen at; write one of this machine, or 0.0.0.0"));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> found(resolved, freeaddrinfo);
  FileDescriptor socket(
      ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!socket.valid()) return Failed(address);
  const int on = 1;
  // Accepted connections inherit these.
  setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (found->ai_family == AF_INET6) {
    setsockopt(socket.number(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  }
  if (bind(socket.number(), found->ai_addr, found->ai_addrlen) != 0 ||
      listen(socket.number(), kNetworkBacklog) != 0) {
    return Failed(address);
  }
  sockaddr_storage bound = {};
  socklen_t size = sizeof(bound);
  getsockname(socket.number(), reinterpret_cast<sockaddr*>(&bound), &size);
  NetworkAddress real = address;
  real.port =
      ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                                        : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
  return TcpListener(std::move(real), std::move(socket));
}

FileDescriptor TcpListener::Accept() const {
  return FileDescriptor(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

}  // namespace gordian
