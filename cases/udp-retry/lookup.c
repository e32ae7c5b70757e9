// SPDX-License-Identifier: Apache-2.0
// Looks names up in a directory over UDP. Prints lookups a second. usage: lookup PORT THREADS
// AGAIN_MS SECONDS
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static uint16_t port;
static int again_ms;
static atomic_bool stop;
static atomic_long done;

static void look_up(int directory, uint64_t number) {
  const uint64_t question[2] = {number, number * 31};
  uint64_t answer[2] = {0, 0};
  do {
    send(directory, question, sizeof question, 0);
    // An answer to an earlier question is passed over.
    while (recv(directory, answer, sizeof answer, 0) == sizeof answer && answer[0] != number)
      continue;
  } while (answer[0] != number && !stop);
}

static void* run(void* unused) {
  const int directory = socket(AF_INET, SOCK_DGRAM, 0);
  const struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const struct timeval again = {0, again_ms * 1000};
  setsockopt(directory, SOL_SOCKET, SO_RCVTIMEO, &again, sizeof again);
  if (connect(directory, (const struct sockaddr*)&address, sizeof address)) exit(1);
  for (uint64_t number = 1; !stop; number++) {
    look_up(directory, number);
    done++;
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  port = (uint16_t)atoi(argv[1]);
  again_ms = atoi(argv[3]);
  for (int i = 0; i < atoi(argv[2]); i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL)) return 1;
  }
  const double seconds = atof(argv[4]);
  sleep((unsigned)seconds);
  printf("%f\n", (double)done / (double)(unsigned)seconds);
  fflush(stdout);
  _exit(0);
}
