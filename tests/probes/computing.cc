// SPDX-License-Identifier: Apache-2.0
// Four threads in tight loops, without any waits: a sum, a product of floating-point numbers, a
// walk around a list, and a counter that all threads add to.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::atomic<uint64_t> counted{0};
std::atomic<uint64_t> sums{0};  // so that nothing is left out

void Sum(uint64_t steps) {
  uint64_t sum = 0;
  for (uint64_t step = 0; step < steps; ++step) sum = sum * 31 + step;
  sums += sum;
}
void Multiply(uint64_t steps) {
  double product = 1;
  for (uint64_t step = 0; step < steps; ++step) product *= 1.0000001;
  sums += static_cast<uint64_t>(product);
}
void Walk(uint64_t steps) {
  struct Node {
    Node* next;
  };
  static std::array<Node, 64> nodes;
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i].next = &nodes[(i + 7) % nodes.size()];
  const Node* node = nodes.data();
  for (uint64_t step = 0; step < steps; ++step) node = node->next;
  sums += node == nodes.data() ? 1 : 0;
}
void Count(uint64_t steps) {
  for (uint64_t step = 0; step < steps; ++step) counted.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  std::vector<std::thread> threads;
  for (void (*work)(uint64_t) : {Sum, Multiply, Walk, Count})
    for (int twice = 0; twice < 2; ++twice) threads.emplace_back(work, steps);
  for (std::thread& thread : threads) thread.join();
  std::printf("%lu\n", static_cast<unsigned long>(sums + counted));
  return 0;
}
