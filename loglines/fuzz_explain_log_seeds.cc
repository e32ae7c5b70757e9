// SPDX-License-Identifier: Apache-2.0
// Writes small logs, in each known shape and damaged, for the fuzzer to start from into the folder
// it is given. The first byte tells the line that is asked for.
#include <cstdio>
#include <fstream>
#include <string>

namespace {

constexpr const char* kLogSeeds[] = {
    "2026-11-27 02:30:15.901700 frontend[20] ERROR request 7f3a timed out\n  at a.Main\n",
    "2026-11-27 02:30:15.900 x\n2026-11-27T02:30:15.9017Z [pid 20] x\n",
    "2026-11-27 05:00:15.901 UTC [20] LOG:  x\n2026-02-30 25:00:00 x\n",
    "Nov 27 02:30:15 front frontend[20]: a\nNov 31 02:30:15 front b\nNov  7 02:30:15 c\n",
    "E1127 02:30:15.901700  20 a.cc:1] x\nE1399 99:99:99.999999  20 b\n",
    "20:M 27 Nov 2026 02:30:15.901 * a\n",
    "10.0.0.1 - - [27/Nov/2026:02:30:15 +0000] \"GET /a\" 504 1\n",
    "2026/11/27 02:30:15 [error] 20#20: *1 upstream timed out\n",
    "[Fri Nov 27 02:30:15.901700 2026] [core:error] [pid 20:tid 20] a\n",
    "[  100.901700] frontend: a\n02:30:15.9017 b\n23:59:59 c\n",
    "1795746615 a\n1795746615.9017 b\n",
    "{\"ts\":1795746615901,\"pid\":20,\"msg\":\"a\"}\n{\"ts\":1795746615901700}\n",
    "1795746615901700000 a\n99999999999999999999 b\n",
    "\x1f\x8b\x08\x00 no gzip\n",
    "a\r\n\r\n\xff\xfe b <script>&\"'\n2026-11-27 02:30:15 \x1b[31m<b>\n",
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fuzz_explain_log_seeds FOLDER\n", stderr);
    return 2;
  }
  int number = 0;
  for (const char* seed : kLogSeeds) {
    for (const char line : {'\x00', '\x01', '\x02'}) {
      std::ofstream file(std::string(argv[1]) + "/log" + std::to_string(number++),
                         std::ios::binary);
      file << line << seed;
    }
  }
  return 0;
}
