// SPDX-License-Identifier: Apache-2.0
// Four threads read blocks of an index at random places and add them up. usage: index FILE SECONDS
// CHECKSUM-BYTES
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 4, kBlock = 65536 };

static int file;
static long blocks;
static int checksum_bytes;
static volatile int stop;
static long done[kThreads];
static uint64_t sums[kThreads];

__attribute__((noinline)) static uint64_t checksum(const unsigned char* block) {
  uint64_t sum = 1;
  for (int i = 0; i < checksum_bytes; ++i) sum = sum * 31 + block[i];
  return sum;
}

static void* look_up(void* number_as_pointer) {
  const long number = (long)number_as_pointer;
  unsigned char* block = malloc(kBlock);
  uint64_t seed = 88172645463325252u + (uint64_t)number * 7919u;
  while (!stop) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    if (pread(file, block, kBlock, (long)(seed % (uint64_t)blocks) * kBlock) != kBlock) abort();
    sums[number] += checksum(block);
    ++done[number];
  }
  free(block);
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  file = open(arguments[1], O_RDONLY);
  struct stat told;
  if (file < 0 || fstat(file, &told) != 0) return 2;
  posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
  blocks = told.st_size / kBlock;
  checksum_bytes = atoi(arguments[3]);
  const int seconds = atoi(arguments[2]);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, look_up, (void*)i);
  sleep((unsigned)seconds);
  stop = 1;
  long total = 0;
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    total += done[i];
  }
  printf("%f\n", (double)total / seconds);
  return 0;
}
