// SPDX-License-Identifier: Apache-2.0
// Writes lines to a file and syncs it after so many; prints the lines a second.
// usage: logger SECONDS FILE LINES_PER_SYNC
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

// The work of a line: it is made, and a sum is taken of it.
static uint32_t make_line(char* line, size_t size, uint64_t number) {
  uint32_t sum = 0;
  for (int round = 0; round < 40; ++round) {
    const int length =
        snprintf(line, size, "%016lx order %lu round %d\n", number * 2654435761u, number, round);
    for (int i = 0; i < length; ++i) sum = sum * 31 + (unsigned char)line[i];
  }
  return sum;
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const double seconds = atof(arguments[1]);
  const uint64_t lines_per_sync = strtoull(arguments[3], NULL, 10);
  const int file = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  if (file < 0) return 1;
  const double begin_s = now_s();
  uint64_t lines = 0;
  volatile uint32_t sum = 0;
  while (now_s() - begin_s < seconds) {
    char line[128];
    sum += make_line(line, sizeof line, lines);
    if (write(file, line, strlen(line)) < 0) return 1;
    if (++lines % lines_per_sync == 0 && fdatasync(file) != 0) return 1;
  }
  printf("%f\n", lines / (now_s() - begin_s));
  return 0;
}
