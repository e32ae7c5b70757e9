// SPDX-License-Identifier: Apache-2.0
// Reads records of 4 KiB at random, past the page cache, and adds them up. Prints records a second.
// usage: records FILE THREADS SECONDS
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kRecordBytes = 4096, kRounds = 10 };

static int file;
static uint64_t records;
static atomic_bool stop;
static atomic_long done;
static atomic_uint_fast64_t sum;

static uint64_t add_up(const uint64_t* record) {
  uint64_t total = 0;
  for (int round = 0; round < kRounds; round++) {
    for (size_t i = 0; i < kRecordBytes / sizeof *record; i++) total = total * 31 + record[i];
  }
  return total;
}

static void* look_up(void* seed) {
  uint64_t state = (uintptr_t)seed * 7919 + 1;
  uint64_t* record = aligned_alloc(kRecordBytes, kRecordBytes);
  while (!stop) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const off_t at = (off_t)((state >> 33) % records * kRecordBytes);
    if (pread(file, record, kRecordBytes, at) != kRecordBytes) exit(1);
    sum += add_up(record);
    done++;
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  file = open(argv[1], O_RDONLY | O_DIRECT);
  if (file < 0) return 1;
  records = (uint64_t)lseek(file, 0, SEEK_END) / kRecordBytes;
  const int threads = atoi(argv[2]);
  for (intptr_t i = 0; i < threads; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, look_up, (void*)i)) return 1;
  }
  const double seconds = atof(argv[3]);
  const struct timespec pause = {(time_t)seconds,
                                 (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&pause, NULL);
  printf("%f\n", (double)done / seconds);
  fflush(stdout);
  _exit(0);
}
