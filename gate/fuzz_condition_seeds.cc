// SPDX-License-Identifier: Apache-2.0
// Writes conditions for the fuzzer to start from into the folder it is given.
#include <cstdio>
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int number = 0;
  for (const char* seed :
       {"throughput<-5%", "throughput(syscall accept4)<-100/s", "throughput<1500/s", "new-limit",
        "limit-gone", "wait(A->B)>+10%", "wait(worker-* (16 threads)->disk vda)>200ms",
        "share(A)>30%", "share(A)>+5pp", "runtime>+2s", "runtime(load) < -0.5 %", "wait(A->B)"}) {
    std::ofstream file(std::string(argv[1]) + "/seed-" + std::to_string(number++));
    file << seed;
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write to %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
