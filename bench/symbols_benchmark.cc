// SPDX-License-Identifier: Apache-2.0
// How fast addresses of one large library are named. The library is loaded into this process, and
// addresses are spread evenly over its code; BM_First pays for reading it, BM_Again finds all in
// the cache. Usage: symbols_benchmark [LIBRARY [ADDRESSES]] [--benchmark_…]
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "symbols/symbols.h"

namespace gordian {
namespace {

struct Wanted {
  ProcessMaps maps;
  std::vector<uint64_t> addresses;
};

Wanted AddressesOf(const std::string& library, size_t count) {
  if (::dlopen(library.c_str(), RTLD_NOW) == nullptr) {
    std::fprintf(stderr, "symbols_benchmark: cannot load %s; name another library\n",
                 library.c_str());
    std::exit(1);
  }
  const std::filesystem::path file = std::filesystem::canonical(library);
  Wanted wanted{.maps = *ProcessCapture().Read(::getpid())};
  for (const Mapping& mapping : wanted.maps.mappings) {
    if (mapping.path != file) continue;
    const uint64_t step = (mapping.end - mapping.start) / count;
    for (size_t i = 0; i < count; ++i) wanted.addresses.push_back(mapping.start + i * step);
  }
  return wanted;
}

void Report(benchmark::State& state, const Wanted& wanted,
            const std::vector<ResolvedAddress>& resolved) {
  size_t named = 0;
  size_t with_line = 0;
  for (const ResolvedAddress& one : resolved) {
    named += !one.frames.empty();
    with_line += !one.frames.empty() && one.frames.front().line != 0;
  }
  rusage children = {};
  ::getrusage(RUSAGE_CHILDREN, &children);
  state.counters["addresses"] = static_cast<double>(wanted.addresses.size());
  state.counters["named"] = static_cast<double>(named);
  state.counters["with_line"] = static_cast<double>(with_line);
  state.counters["child_peak_mib"] = static_cast<double>(children.ru_maxrss) / 1024;
}

void First(benchmark::State& state, const Wanted& wanted) {
  std::vector<ResolvedAddress> resolved;
  for (auto _ : state) {
    Symbolizer symbolizer;
    resolved = symbolizer.Resolve(wanted.maps, wanted.addresses);
  }
  Report(state, wanted, resolved);
}

void Again(benchmark::State& state, const Wanted& wanted) {
  Symbolizer symbolizer;
  std::vector<ResolvedAddress> resolved = symbolizer.Resolve(wanted.maps, wanted.addresses);
  for (auto _ : state) resolved = symbolizer.Resolve(wanted.maps, wanted.addresses);
  Report(state, wanted, resolved);
}

void Capture(benchmark::State& state) {
  ProcessCapture capture;
  size_t mappings = 0;
  for (auto _ : state) mappings = capture.Read(::getpid())->mappings.size();
  state.counters["mappings"] = static_cast<double>(mappings);
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::string library = argc > 1 ? argv[1] : "/usr/lib/llvm-14/lib/libLLVM-14.so.1";
  const size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100000;
  if (count == 0) return 2;
  const gordian::Wanted wanted = gordian::AddressesOf(library, count);
  benchmark::RegisterBenchmark("BM_First", gordian::First, wanted)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("BM_Again", gordian::Again, wanted)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("BM_Capture", gordian::Capture)->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
