// SPDX-License-Identifier: Apache-2.0
// A FUSE file system of packed files: each block is unpacked, which takes CPU time, whenever it is
// read. usage: blockfs -f [-s] [-o OPTIONS] FOLDER        -s: one thread answers all requests
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse.h>
#include <stdint.h>
#include <string.h>

enum { kRounds = 40 };
static const off_t kFileBytes = 1 << 30;

static int get_attributes(const char* path, struct stat* attributes, struct fuse_file_info* file) {
  (void)file;
  memset(attributes, 0, sizeof *attributes);
  if (strcmp(path, "/") == 0) {
    attributes->st_mode = S_IFDIR | 0755;
    attributes->st_nlink = 2;
    return 0;
  }
  attributes->st_mode = S_IFREG | 0444;
  attributes->st_nlink = 1;
  attributes->st_size = kFileBytes;
  return 0;
}

static int open_file(const char* path, struct fuse_file_info* file) {
  (void)path;
  file->direct_io = 1;  // every read comes here, none is served from the page cache
  return 0;
}

// Stands for the decoder of a compressed image: a few hundred microseconds for 64 KiB.
__attribute__((noinline)) void unpack_block(uint64_t* words, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; i++) words[i] = seed + i;
  for (int round = 0; round < kRounds; round++) {
    uint64_t state = seed + (uint64_t)round;
    for (size_t i = 0; i < count; i++) {
      state = (state ^ words[i]) * 6364136223846793005u + 1442695040888963407u;
      words[i] = state;
    }
  }
}

static int read_file(const char* path, char* buffer, size_t size, off_t offset,
                     struct fuse_file_info* file) {
  (void)path, (void)file;
  if (offset >= kFileBytes) return 0;
  unpack_block((uint64_t*)buffer, size / sizeof(uint64_t), (uint64_t)offset);
  return (int)size;
}

int main(int count, char** arguments) {
  static const struct fuse_operations operations = {
      .getattr = get_attributes, .open = open_file, .read = read_file};
  return fuse_main(count, arguments, &operations, NULL);
}
