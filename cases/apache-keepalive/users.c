// SPDX-License-Identifier: Apache-2.0
// Users of a web server: each reads a page, looks at it for 40 ms, and asks for the next on the
// same connection, if it was kept. Prints pages a second. usage: users PORT USERS SECONDS
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int port;
static atomic_long pages;

static int dial(void) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((unsigned short)port),
                                      .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (connect(connection, (const struct sockaddr*)&address, sizeof address)) {
    close(connection);
    return -1;
  }
  return connection;
}

// 1: read, and the connection is kept. 0: read, and it ends. -1: nothing came.
static int read_page(int connection) {
  char head[4097];
  size_t held = 0;
  char* body = NULL;
  while (!body) {
    const ssize_t got = held < 4096 ? read(connection, head + held, 4096 - held) : 0;
    if (got <= 0) return -1;
    held += (size_t)got;
    head[held] = 0;
    body = strstr(head, "\r\n\r\n");
  }
  const char* length = strcasestr(head, "Content-Length:");
  const int kept = !strcasestr(head, "Connection: close");
  long left = (length ? atol(length + 15) : 0) - (long)(held - (size_t)(body + 4 - head));
  char rest[65536];
  while (left > 0) {
    const ssize_t got = read(connection, rest, sizeof rest);
    if (got <= 0) return -1;
    left -= got;
  }
  return kept;
}

static void* look_at_pages(void* unused) {
  static const char request[] = "GET / HTTP/1.1\r\nHost: shop\r\n\r\n";
  const struct timespec looks_at_it = {0, 40 * 1000 * 1000};
  int connection = -1;
  for (;;) {
    if (connection < 0 && (connection = dial()) < 0) continue;
    const int kept =
        write(connection, request, sizeof request - 1) > 0 ? read_page(connection) : -1;
    if (kept >= 0) atomic_fetch_add(&pages, 1);
    if (kept <= 0) {
      close(connection);
      connection = -1;
    }
    if (kept >= 0) nanosleep(&looks_at_it, NULL);
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  signal(SIGPIPE, SIG_IGN);
  port = atoi(argv[1]);
  for (int user = atoi(argv[2]); user > 0; user--) {
    pthread_t thread;
    pthread_create(&thread, NULL, look_at_pages, NULL);
  }
  sleep((unsigned)atoi(argv[3]));
  printf("%.1f\n", (double)atomic_load(&pages) / atoi(argv[3]));
  fflush(stdout);
  _exit(0);
}
