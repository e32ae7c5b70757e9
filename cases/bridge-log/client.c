// SPDX-License-Identifier: Apache-2.0
// Shops that send orders to a log server and wait for each answer, a thread and a connection each.
// Prints orders a second. usage: shop SECONDS SHOPS ADDRESS PORT ROUNDS       ROUNDS: how much CPU
// time it takes to write an order
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kLineBytes = 128 };

static double end_s;
static struct sockaddr_in server;
static int rounds;

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

__attribute__((noinline)) void write_order(char* line, long number) {
  uint64_t sum = (uint64_t)number;
  for (int i = 0; i < rounds; i++) sum = (sum ^ (sum >> 29)) * 6364136223846793005u + 1;
  memset(line, ' ', kLineBytes);
  snprintf(line, kLineBytes, "order %ld, checksum %016lx", number, (unsigned long)sum);
}

static void* run_shop(void* argument) {
  long* orders = argument;
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  if (connect(connection, (const struct sockaddr*)&server, sizeof server) != 0) {
    perror("connect");
    exit(1);
  }
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  char line[kLineBytes], answer;
  while (now_s() < end_s) {
    write_order(line, *orders);
    if (send(connection, line, sizeof line, 0) != sizeof line ||
        recv(connection, &answer, 1, 0) != 1) {
      perror("server");
      exit(1);
    }
    ++*orders;
  }
  close(connection);
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const double begin_s = now_s();
  end_s = begin_s + atof(arguments[1]);
  const int shops = atoi(arguments[2]);
  server.sin_family = AF_INET;
  server.sin_port = htons((unsigned short)atoi(arguments[4]));
  if (inet_pton(AF_INET, arguments[3], &server.sin_addr) != 1) return 2;
  rounds = atoi(arguments[5]);
  pthread_t* threads = calloc((size_t)shops, sizeof *threads);
  long* orders = calloc((size_t)shops * 64, sizeof *orders);
  for (int i = 0; i < shops; i++) pthread_create(&threads[i], NULL, run_shop, &orders[64 * i]);
  long sum = 0;
  for (int i = 0; i < shops; i++) {
    pthread_join(threads[i], NULL);
    sum += orders[64 * i];
  }
  printf("%f\n", sum / (now_s() - begin_s));
}
