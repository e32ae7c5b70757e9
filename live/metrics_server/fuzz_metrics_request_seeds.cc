// SPDX-License-Identifier: Apache-2.0
// Writes requests for the fuzzer to start from into the folder it is given.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  constexpr std::string_view kSeeds[] = {
      "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text;q=1\r\n\r\n",
      "HEAD /healthz HTTP/1.0\r\n\r\n",
      "POST /metrics?a=b HTTP/1.1\r\nHost: [::1]:1\r\nContent-Length: 5\r\n\r\nhello",
      "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: a.example\r\n\r\n",
      "GET http://127.0.0.1/metrics HTTP/1.1\r\nConnection: upgrade\r\n folded\r\n\r\n"};
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
