// SPDX-License-Identifier: Apache-2.0
// A service far away, for cases: it answers each line (or HTTP request) some milliseconds later.
// Many threads, each with a connection; with PLACES only so many requests are served at a time.
// usage: remote PORT MILLISECONDS line|http [THREADS [PLACES]]
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int listener;
static long answer_after_ns;
static sem_t places;
static const char* end_of_request = "\n";
static const char* answer = "42\n";

static void serve(int connection) {
  char request[8192];
  size_t held = 0;
  for (;;) {
    const ssize_t got = read(connection, request + held, sizeof request - 1 - held);
    if (got <= 0) return;
    held += (size_t)got;
    request[held] = 0;
    if (!strstr(request, end_of_request)) {
      if (held == sizeof request - 1) return;
      continue;
    }
    held = 0;
    const struct timespec far = {0, answer_after_ns};
    sem_wait(&places);
    nanosleep(&far, NULL);
    sem_post(&places);
    if (write(connection, answer, strlen(answer)) < 0) return;
  }
}

static void* run(void* unused) {
  for (;;) {
    const int connection = accept(listener, NULL, NULL);
    if (connection < 0) return unused;
    const int on = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    serve(connection);
    close(connection);
  }
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  signal(SIGPIPE, SIG_IGN);
  answer_after_ns = (long)(atof(argv[2]) * 1e6);
  if (!strcmp(argv[3], "http")) {
    end_of_request = "\r\n\r\n";
    answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n42\n";
  }
  const int threads = argc > 4 ? atoi(argv[4]) : 64;
  sem_init(&places, 0, argc > 5 ? (unsigned)atoi(argv[5]) : (unsigned)threads);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((unsigned short)atoi(argv[1])),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (bind(listener, (struct sockaddr*)&address, sizeof address) || listen(listener, 256)) {
    perror("remote");
    return 1;
  }
  for (int i = 1; i < threads; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
  }
  run(NULL);
}
