// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/puppets/troubles/troubles.h"

namespace gordian::troubles {
namespace {

[[noreturn]] void BeClient(const sockaddr_in& server) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "client");
  for (;;) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char answer = 0;
    if (connect(fd, reinterpret_cast<const sockaddr*>(&server), sizeof(server)) == 0)
      (void)!read(fd, &answer, 1);
    close(fd);
  }
}

}  // namespace

void FillAcceptQueue() {
  constexpr int kBacklog = 4;
  constexpr int kClients = 12;
  constexpr uint64_t kWorkNs = 5'000'000;
  prctl(PR_SET_NAME, "server");
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), bytes) != 0) Fail("bind");
  if (listen(listener, kBacklog) != 0) Fail("listen");
  if (getsockname(listener, reinterpret_cast<sockaddr*>(&address), &bytes) != 0)
    Fail("getsockname");
  for (int i = 0; i < kClients; ++i) {
    const pid_t child = fork();
    if (child < 0) Fail("fork");
    if (child == 0) BeClient(address);
  }
  SayReady();
  for (;;) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    Compute(kWorkNs);
    (void)!write(fd, "a", 1);
    close(fd);
  }
}

}  // namespace gordian::troubles
