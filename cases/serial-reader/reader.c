// SPDX-License-Identifier: Apache-2.0
// Reads blocks from a file, past the page cache, and takes a sum of each; prints the blocks a
// second. Alone it reads one after the other; with helpers, so many threads read ahead. usage:
// reader SECONDS FILE HELPERS
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kBlock = 4096, kBlocks = 32768, kMostHelpers = 64 };

static int file;

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

// Anywhere in the file, the same each time.
static void read_block(char* block, uint64_t number) {
  const uint64_t at = (number * 2654435761u) % kBlocks;
  if (pread(file, block, kBlock, at * kBlock) != kBlock) exit(1);
}

static uint32_t sum_of(const char* block) {
  uint32_t sum = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < kBlock; ++i) sum = sum * 31 + (unsigned char)block[i];
  }
  return sum;
}

// A slot for each helper: empty, or a block that was read.
struct slot {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  char* block;
  uint64_t number;
  int wanted;
};
static struct slot slots[kMostHelpers];

static void* help(void* argument) {
  struct slot* const slot = argument;
  pthread_setname_np(pthread_self(), "helper");
  for (;;) {
    pthread_mutex_lock(&slot->lock);
    while (!slot->wanted) pthread_cond_wait(&slot->changed, &slot->lock);
    pthread_mutex_unlock(&slot->lock);
    read_block(slot->block, slot->number);
    pthread_mutex_lock(&slot->lock);
    slot->wanted = 0;
    pthread_cond_signal(&slot->changed);
    pthread_mutex_unlock(&slot->lock);
  }
  return NULL;
}

static void ask(struct slot* slot, uint64_t number) {
  pthread_mutex_lock(&slot->lock);
  slot->number = number;
  slot->wanted = 1;
  pthread_cond_signal(&slot->changed);
  pthread_mutex_unlock(&slot->lock);
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const double seconds = atof(arguments[1]);
  const int helpers = atoi(arguments[3]);
  file = open(arguments[2], O_RDONLY | O_DIRECT);
  if (file < 0 || helpers > kMostHelpers) return 1;
  char* const block = aligned_alloc(4096, kBlock);
  volatile uint32_t sum = 0;
  uint64_t blocks = 0;
  for (int i = 0; i < helpers; ++i) {
    pthread_t thread;
    pthread_mutex_init(&slots[i].lock, NULL);
    pthread_cond_init(&slots[i].changed, NULL);
    slots[i].block = aligned_alloc(4096, kBlock);
    if (pthread_create(&thread, NULL, help, &slots[i]) != 0) return 1;
    ask(&slots[i], i);
  }
  const double begin_s = now_s();
  while (now_s() - begin_s < seconds) {
    if (helpers == 0) {
      read_block(block, blocks);
      sum += sum_of(block);
    } else {
      struct slot* const slot = &slots[blocks % helpers];
      pthread_mutex_lock(&slot->lock);
      while (slot->wanted) pthread_cond_wait(&slot->changed, &slot->lock);
      pthread_mutex_unlock(&slot->lock);
      sum += sum_of(slot->block);
      ask(slot, blocks + helpers);
    }
    ++blocks;
  }
  printf("%f\n", blocks / (now_s() - begin_s));
  return 0;
}
