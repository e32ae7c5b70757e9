// SPDX-License-Identifier: Apache-2.0
// Writes requests for the fuzzer to start from into the folder it is given.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  constexpr std::string_view kSeeds[] = {
      "GET\n/metrics\n127.0.0.1:9464\napplication/openmetrics-text;q=1", "HEAD\n/healthz\n\n",
      "POST\n/metrics?a=b\n[::1]:1\n", "GET\n/\na.example\n*/*",
      "GET\nhttp://127.0.0.1/metrics\nLocalHost\ntext/plain;version=0.0.4"};
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
