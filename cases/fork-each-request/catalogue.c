// SPDX-License-Identifier: Apache-2.0
// A server with a large catalogue in memory. usage: catalogue PORT fork|thread ROUNDS
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kCatalogueBytes = 64 << 20, kPageBytes = 4096 };

static uint8_t* catalogue;
static int rounds;

__attribute__((noinline)) static uint64_t render(uint64_t state) {
  for (int i = 0; i < rounds; i++) {
    state = state * 6364136223846793005U + 1442695040888963407U;
  }
  return state + catalogue[state % kCatalogueBytes];
}

static void answer(int connection) {
  char request[4096];
  if (read(connection, request, sizeof request) > 0) {
    char text[256];
    const int length =
        snprintf(text, sizeof text,
                 "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 20\r\n\r\n%020llu",
                 (unsigned long long)render((uint64_t)connection));
    if (write(connection, text, (size_t)length) < 0) perror("write");
  }
  shutdown(connection, SHUT_RDWR);
  close(connection);
}

static void* answer_in_thread(void* connection) {
  answer((int)(intptr_t)connection);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  rounds = atoi(argv[3]);
  catalogue = malloc(kCatalogueBytes);
  if (!catalogue) return 1;
  for (size_t at = 0; at < kCatalogueBytes; at += kPageBytes) catalogue[at] = (uint8_t)at;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)atoi(argv[1])),
                                      .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (bind(listener, (const struct sockaddr*)&address, sizeof address) || listen(listener, 64))
    return 1;
  for (;;) {
    const int connection = accept(listener, NULL, NULL);
    if (connection < 0) continue;
    if (!strcmp(argv[2], "fork")) {
      if (fork() == 0) {
        answer(connection);
        _exit(0);
      }
      close(connection);
    } else {
      pthread_t thread;
      if (pthread_create(&thread, NULL, answer_in_thread, (void*)(intptr_t)connection)) return 1;
      pthread_detach(thread);
    }
  }
}
