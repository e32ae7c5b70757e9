// SPDX-License-Identifier: Apache-2.0
// A server of many processes that all wait for connections at one socket.
// usage: herd PORT PROCESSES all|one ROUNDS     all: each connection wakes all that wait
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) uint64_t render(int rounds) {
  uint64_t page = 17;
  for (int i = 0; i < rounds; ++i) page = (page ^ (page >> 29)) * 0xbf58476d1ce4e5b9U + 1;
  return page;
}

static void answer(int connection, int rounds) {
  char request[4096];
  if (read(connection, request, sizeof request) > 0) {
    char page[128];
    const int size =
        snprintf(page, sizeof page,
                 "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 17\r\n\r\n%016llx\n",
                 (unsigned long long)render(rounds));
    if (write(connection, page, (size_t)size) < 0) perror("write");
  }
  close(connection);
}

static void work(int listener, int wakes_all, int rounds) {
  const int waiting = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN | (wakes_all ? 0 : EPOLLEXCLUSIVE)};
  epoll_ctl(waiting, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    if (epoll_wait(waiting, &event, 1, -1) < 1) continue;
    const int connection = accept(listener, NULL, NULL);
    if (connection >= 0) answer(connection, rounds);
  }
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)atoi(argv[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr*)&address, sizeof address) || listen(listener, 128)) {
    perror("herd");
    return 1;
  }
  for (int i = 0; i < atoi(argv[2]); ++i) {
    if (fork() == 0) work(listener, !strcmp(argv[3], "all"), atoi(argv[4]));
  }
  while (wait(NULL) > 0 || errno == EINTR) continue;
}
