// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/puppets/puppets.h"

namespace gordian::puppets {
namespace {

constexpr size_t kMessageBytes = 64;

struct Connection {
  int client_fd = -1;
  int server_fd = -1;
  uint16_t client_port = 0;
  uint16_t server_port = 0;
};

uint16_t LocalPort(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) Fail("getsockname");
  return ntohs(address.sin_port);
}

int NewSocket() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) Fail("socket");
  return fd;
}

void SendAtOnce(int fd) {
  const int on = 1;
  if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) Fail("TCP_NODELAY");
}

Connection Connect(bool at_once) {
  const int listener = NewSocket();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, generic, sizeof(address)) != 0 || listen(listener, 1) != 0) Fail("listen");
  Connection connection;
  connection.server_port = LocalPort(listener);
  address.sin_port = htons(connection.server_port);
  connection.client_fd = NewSocket();
  if (connect(connection.client_fd, generic, sizeof(address)) != 0) Fail("connect");
  connection.client_port = LocalPort(connection.client_fd);
  connection.server_fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection.server_fd < 0) Fail("accept");
  close(listener);
  if (at_once) {
    SendAtOnce(connection.client_fd);
    SendAtOnce(connection.server_fd);
  }
  return connection;
}

void Send(int fd) {
  const char message[kMessageBytes] = {};
  if (send(fd, message, kMessageBytes, 0) != ssize_t{kMessageBytes}) Fail("send");
}

void Receive(int fd) {
  char message[kMessageBytes];
  if (recv(fd, message, kMessageBytes, 0) != ssize_t{kMessageBytes}) Fail("recv");
}

}  // namespace

// A client and a server over the loopback: each sends only when the other sleeps in its receive.
// The packet is delivered in the sender's own softirq, so each wake is the sender's, in the
// network's receive softirq.
Report TcpEcho(const Options& options) {
  const Connection connection = Connect(true);
  const auto client = [&](ActorRecord& self, const std::vector<ActorRecord*>& all) {
    SleepWatch server(*all[1]);
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      server.AwaitAsleep();
      Send(connection.client_fd);
      Receive(connection.client_fd);
    }
  };
  const auto server = [&](ActorRecord& self, const std::vector<ActorRecord*>& all) {
    SleepWatch client(*all[0]);
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      Receive(connection.server_fd);
      client.AwaitAsleep();
      Send(connection.server_fd);
    }
  };
  Report report;
  report.actors =
      RunActors({{"client", options.cpus.at(0), client}, {"server", options.cpus.at(1), server}},
                ActorsAre::kUrgentThreads);
  report.wakes = {{report.actors[0]->tid, report.actors[1]->tid, "softirq", options.rounds},
                  {report.actors[1]->tid, report.actors[0]->tid, "softirq", options.rounds}};
  report.numbers = {{"client_port", connection.client_port},
                    {"server_port", connection.server_port},
                    {"message_bytes", kMessageBytes}};
  return report;
}

// The client sends each question in two pieces. After the first few, its kernel keeps the second
// piece until the server's kernel acknowledges the first, and that takes it 40 ms.
Report TcpPieces(const Options& options) {
  const Connection connection = Connect(false);
  const auto client = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const Window window(self);
    for (uint64_t round = 0; round < options.rounds; ++round) {
      Send(connection.client_fd);
      Send(connection.client_fd);
      Receive(connection.client_fd);
    }
  };
  const auto server = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const Window window(self);
    char question[2 * kMessageBytes];
    for (uint64_t round = 0; round < options.rounds; ++round) {
      for (size_t have = 0; have < sizeof(question);) {
        const ssize_t got = recv(connection.server_fd, question, sizeof(question) - have, 0);
        if (got <= 0) Fail("recv");
        have += static_cast<size_t>(got);
      }
      Send(connection.server_fd);
    }
  };
  Report report;
  report.actors =
      RunActors({{"client", options.cpus.at(0), client}, {"server", options.cpus.at(1), server}},
                ActorsAre::kUrgentThreads);
  report.wakes_are_exact = false;
  return report;
}

}  // namespace gordian::puppets
