// SPDX-License-Identifier: Apache-2.0
// usage: stats SECONDS LOCKS: two threads count words, most of the time under a lock; prints rounds
// per second.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t locks[64];
static int lock_count;
static atomic_int stop;
static uint64_t rounds[2];

__attribute__((noinline)) static void count_words(uint64_t steps) {
  volatile uint64_t words = 0;
  for (uint64_t i = 0; i < steps; ++i) words += i;
}

static void* counter(void* argument) {
  const intptr_t self = (intptr_t)argument;
  uint64_t done = 0;  // not beside the other's
  while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
    count_words(20000);
    pthread_mutex_t* lock = &locks[self % lock_count];
    pthread_mutex_lock(lock);
    count_words(60000);
    pthread_mutex_unlock(lock);
    ++done;
  }
  rounds[self] = done;
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  lock_count = atoi(argv[2]);
  for (int i = 0; i < 64; ++i) pthread_mutex_init(&locks[i], NULL);
  pthread_t threads[2];
  for (intptr_t i = 0; i < 2; ++i) {
    pthread_create(&threads[i], NULL, counter, (void*)i);
    pthread_setname_np(threads[i], "counter");
  }
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  sleep((unsigned)atoi(argv[1]));
  atomic_store(&stop, 1);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%f\n", (double)(rounds[0] + rounds[1]) / ((double)(end.tv_sec - begin.tv_sec) +
                                                    (double)(end.tv_nsec - begin.tv_nsec) * 1e-9));
  return 0;
}
