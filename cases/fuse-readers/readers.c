// SPDX-License-Identifier: Apache-2.0
// Processes that each read a file of their own, block after block. Prints blocks a second.
// usage: readers SECONDS PROCESSES FOLDER
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kBlockBytes = 65536, kBlocks = 16384 };

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static void read_until(double end_s, const char* folder, int number, long* blocks) {
  static char block[kBlockBytes];
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", folder, number);
  const int file = open(path, O_RDONLY);
  if (file < 0) {
    perror(path);
    _exit(1);
  }
  while (now_s() < end_s) {
    if (pread(file, block, sizeof block, (*blocks % kBlocks) * kBlockBytes) != sizeof block) {
      perror("pread");
      _exit(1);
    }
    ++*blocks;
  }
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const double begin_s = now_s(), end_s = begin_s + atof(arguments[1]);
  const int processes = atoi(arguments[2]);
  long* blocks = mmap(NULL, 64 * sizeof(long) * processes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < processes; i++) {
    if (fork() == 0) {
      read_until(end_s, arguments[3], i, &blocks[64 * i]);
      _exit(0);
    }
  }
  int failed = 0, status;
  while (wait(&status) > 0) failed |= status;
  long sum = 0;
  for (int i = 0; i < processes; i++) sum += blocks[64 * i];
  if (!failed) printf("%f\n", sum / (now_s() - begin_s));
  return failed != 0;
}
