// SPDX-License-Identifier: Apache-2.0
// Writes targets for the fuzzer to start from into the folder it is given.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  constexpr std::string_view kSeeds[] = {
      "/api/0/tiles?from=0&to=1000000000&pixels=400",         "/?token=0123456789abcdef",
      "/api/1/query?sql=SELECT+*+FROM+threads%20LIMIT%203",   "/api/0/segments?ids=1,2,3&at=17",
      "/api/0/participation?by=vertex&window=1000000&from=5", "/api/../etc/passwd?a=%00&b=%zz"};
  int number = 0;
  for (const std::string_view seed : kSeeds) {
    std::ofstream file(std::string(argv[1]) + "/seed-" + std::to_string(number++));
    file << seed;
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write to %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
