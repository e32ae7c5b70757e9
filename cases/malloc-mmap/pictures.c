// SPDX-License-Identifier: Apache-2.0
// Threads scale pictures, each in a buffer of its own. Prints pictures a second. usage: pictures
// THREADS SECONDS
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kPictureBytes = 2 << 20 };

static atomic_long done;
static atomic_uint_fast64_t sum;

__attribute__((noinline)) static uint64_t scale(uint64_t* pixels, uint64_t seed) {
  uint64_t total = 0;
  for (size_t i = 0; i < kPictureBytes / sizeof *pixels; i++) {
    seed = seed * 31 + i;
    pixels[i] = seed;
    total += pixels[i / 2];
  }
  return total;
}

static void* work(void* number) {
  uint64_t seed = (uintptr_t)number;
  for (;;) {
    uint64_t* pixels = malloc(kPictureBytes);
    if (!pixels) exit(1);
    seed = scale(pixels, seed);
    free(pixels);
    sum += seed;
    done++;
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (intptr_t i = 0; i < atoi(argv[1]); i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, (void*)i)) return 1;
  }
  const unsigned seconds = (unsigned)atoi(argv[2]);
  sleep(seconds);
  printf("%f\n", (double)done / seconds);
  fflush(stdout);
  _exit(0);
}
