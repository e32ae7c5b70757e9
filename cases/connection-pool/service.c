// SPDX-License-Identifier: Apache-2.0
// A service with a process for each connection, which answers each byte after a short work and a
// wait of a millisecond. usage: service PORT
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void serve(int connection) {
  const int yes = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  volatile uint32_t sum = 0;
  for (char byte; read(connection, &byte, 1) == 1;) {
    for (int i = 0; i < 60000; ++i) sum = sum * 31 + i;
    const struct timespec wait = {.tv_nsec = 1000000};
    nanosleep(&wait, NULL);
    if (write(connection, &byte, 1) != 1) break;
  }
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  signal(SIGCHLD, SIG_IGN);
  const int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 64) != 0)
    return 1;
  for (;;) {
    const int connection = accept(listener, NULL, NULL);
    if (connection < 0) continue;
    if (fork() == 0) {
      close(listener);
      serve(connection);
      _exit(0);
    }
    close(connection);
  }
}
