// SPDX-License-Identifier: Apache-2.0
// Eight threads ask a service over a pool of connections; a thread takes a free connection, asks,
// and gives it back. Prints the answers a second. usage: pool SECONDS PORT CONNECTIONS
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 8, kMostConnections = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given_back = PTHREAD_COND_INITIALIZER;
static int free_connections[kMostConnections];
static int free_count;
static double end_s;
static uint64_t answers;

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static int connect_to(int port) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect(connection, (struct sockaddr*)&address, sizeof address) != 0) exit(1);
  return connection;
}

static void* work(void* unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "asker");
  while (now_s() < end_s) {
    pthread_mutex_lock(&lock);
    while (free_count == 0) pthread_cond_wait(&given_back, &lock);
    const int connection = free_connections[--free_count];
    pthread_mutex_unlock(&lock);
    char byte = 'q';
    if (write(connection, &byte, 1) != 1 || read(connection, &byte, 1) != 1) exit(1);
    pthread_mutex_lock(&lock);
    free_connections[free_count++] = connection;
    ++answers;
    pthread_cond_signal(&given_back);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const int port = atoi(arguments[2]), connections = atoi(arguments[3]);
  if (connections < 1 || connections > kMostConnections) return 2;
  for (int i = 0; i < connections; ++i) free_connections[free_count++] = connect_to(port);
  const double begin_s = now_s();
  end_s = begin_s + atof(arguments[1]);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("%f\n", answers / (now_s() - begin_s));
  return 0;
}
