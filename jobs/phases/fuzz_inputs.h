// SPDX-License-Identifier: Apache-2.0
// Which model the fuzzer of logs takes, by an input's first byte.
#pragma once

namespace gordian {

inline constexpr const char* kFuzzModels[] = {
    "giraph",     "json-lines",   "nginx", "otel",   "postgresql", "spark",
    "ninja",      "chrome-trace", "flink", "github", "gitlab",     "giraph-operations",
    "powergraph", "kubernetes"};

}  // namespace gordian
