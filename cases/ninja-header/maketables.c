// SPDX-License-Identifier: Apache-2.0
// Writes a header with a table of 1,000 rows for each number. A row takes a search, as perfect
// hashes do. usage: maketables HEADER NUMBER…
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 31)) * 0x9e3779b97f4a7c15u;
  return value ^ (value >> 29);
}

// The first seed that spreads some keys as wanted.
__attribute__((noinline)) uint64_t search_row(uint64_t table, uint64_t row) {
  uint64_t seed = table * 1000 + row;
  do {
    seed = mixed(seed + 1);
  } while (mixed(seed ^ row) % 60000 != row % 60000);
  return seed;
}

int main(int count, char** arguments) {
  if (count < 3) return 2;
  FILE* header = fopen(arguments[1], "w");
  if (header == NULL) {
    perror(arguments[1]);
    return 1;
  }
  for (int i = 2; i < count; i++) {
    fprintf(header, "static const uint64_t table_%s[] = {\n", arguments[i]);
    for (uint64_t row = 0; row < 1000; row++)
      fprintf(header, "%luu,\n", (unsigned long)search_row(strtoul(arguments[i], NULL, 10), row));
    fprintf(header, "};\n");
  }
  return fclose(header) != 0;
}
