// SPDX-License-Identifier: Apache-2.0
// usage: columns columns|rows THREADS SECONDS LOG; prints rounds a second.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kSide = 4096 };
static float* matrix;
static float sums[kSide];
static int by_rows, threads;
static double end;
static long rounds;
static FILE* log_file;
static pthread_barrier_t barrier;
static volatile int done;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void sum_by_columns(int from, int to) {
  for (int column = from; column < to; ++column) {
    float sum = 0;
    for (int row = 0; row < kSide; ++row) sum += matrix[(size_t)row * kSide + (size_t)column];
    sums[column] = sum;
  }
}

__attribute__((noinline)) static void sum_by_rows(int from, int to) {
  for (int column = from; column < to; ++column) sums[column] = 0;
  for (int row = 0; row < kSide; ++row)
    for (int column = from; column < to; ++column)
      sums[column] += matrix[(size_t)row * kSide + (size_t)column];
}

__attribute__((noinline)) static void write_log(void) {
  rewind(log_file);
  for (int column = 0; column < kSide; column += 2)
    fprintf(log_file, "%d %f\n", column, sums[column]);
  fflush(log_file);
}

static void* work(void* argument) {
  const int number = (int)(long)argument;
  const int from = number * kSide / threads, to = (number + 1) * kSide / threads;
  for (;;) {
    (by_rows ? sum_by_rows : sum_by_columns)(from, to);
    pthread_barrier_wait(&barrier);
    if (number == 0) {
      write_log();
      ++rounds;
      done = now() >= end;
    }
    pthread_barrier_wait(&barrier);
    if (done) return NULL;
  }
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  by_rows = !strcmp(argv[1], "rows");
  threads = atoi(argv[2]);
  log_file = fopen(argv[4], "w");
  matrix = malloc(sizeof(float) * kSide * kSide);
  if (!log_file || !matrix) return 1;
  for (size_t i = 0; i < (size_t)kSide * kSide; ++i) matrix[i] = (float)(i % 7);
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  const double begin = now();
  end = begin + atof(argv[3]);
  pthread_t workers[64];
  for (long number = 0; number < threads; ++number)
    pthread_create(&workers[number], NULL, work, (void*)number);
  for (int number = 0; number < threads; ++number) pthread_join(workers[number], NULL);
  printf("%f\n", (double)rounds / (now() - begin));
  return 0;
}
