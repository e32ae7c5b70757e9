// SPDX-License-Identifier: Apache-2.0
// Heat in a grid, step by step. Threads share the rows and meet at a barrier after each step; after
// each fourth step a checkpoint is written and synced: by the first thread, or by a thread of its
// own from a copy. usage: solver between|aside THREADS STEPS FILE
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kRows = 1400, kColumns = 1400, kStepsPerCheckpoint = 4 };

static float* grids[2];
static float* copy;
static int aside, threads, steps, file;
static pthread_barrier_t barrier;
static sem_t copied, written;

static void save(const float* grid) {
  const char* bytes = (const char*)grid;
  const size_t size = sizeof(float) * kRows * kColumns;
  if (pwrite(file, bytes, size, 0) != (ssize_t)size || fsync(file) != 0) abort();
}

static void* write_copies(void* unused) {
  for (;;) {
    sem_wait(&copied);
    if (!copy) return unused;
    save(copy);
    sem_post(&written);
  }
}

static void checkpoint(const float* grid) {
  if (!aside) {
    save(grid);
    return;
  }
  sem_wait(&written);
  memcpy(copy, grid, sizeof(float) * kRows * kColumns);
  sem_post(&copied);
}

static void step(const float* from, float* to, int first_row, int end_row) {
  for (int row = first_row; row < end_row; ++row) {
    for (int column = 1; column + 1 < kColumns; ++column) {
      const float* at = from + (size_t)row * kColumns + column;
      to[(size_t)row * kColumns + column] =
          0.2f * (at[0] + at[-1] + at[1] + at[-kColumns] + at[kColumns]);
    }
  }
}

static void* solve(void* number_as_pointer) {
  const int number = (int)(long)number_as_pointer;
  const int inner = kRows - 2, first_row = 1 + inner * number / threads,
            end_row = 1 + inner * (number + 1) / threads;
  for (int i = 0; i < steps; ++i) {
    step(grids[i % 2], grids[(i + 1) % 2], first_row, end_row);
    pthread_barrier_wait(&barrier);
    if ((i + 1) % kStepsPerCheckpoint == 0) {
      if (number == 0) checkpoint(grids[(i + 1) % 2]);
      pthread_barrier_wait(&barrier);
    }
  }
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 5) return 2;
  aside = strcmp(arguments[1], "aside") == 0;
  threads = atoi(arguments[2]);
  steps = atoi(arguments[3]);
  file = open(arguments[4], O_CREAT | O_WRONLY | O_TRUNC, 0644);
  if (file < 0 || threads < 1 || threads > 16) return 2;
  for (int i = 0; i < 2; ++i) grids[i] = calloc((size_t)kRows * kColumns, sizeof(float));
  copy = calloc((size_t)kRows * kColumns, sizeof(float));
  grids[0][kColumns / 2] = grids[1][kColumns / 2] = 1000;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  sem_init(&copied, 0, 0);
  sem_init(&written, 0, 1);
  pthread_t solvers[16], writer;
  if (aside) pthread_create(&writer, NULL, write_copies, NULL);
  for (long i = 0; i < threads; ++i) pthread_create(&solvers[i], NULL, solve, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(solvers[i], NULL);
  if (aside) {
    sem_wait(&written);
    free(copy);
    copy = NULL;
    sem_post(&copied);
    pthread_join(writer, NULL);
  }
  return 0;
}
