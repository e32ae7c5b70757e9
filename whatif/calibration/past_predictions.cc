// SPDX-License-Identifier: Apache-2.0
// Made by scripts/calibrate. Do not edit: run it again after the replay has changed.
#include "whatif/calibration/calibration.h"

namespace gordian {
namespace {

// clang-format off
const PastPrediction kPast[] = {
    {"archive-pipeline", {"add-thread", false, false, 1.954, 1.973, 1.992}, 1.704},
    {"archive-pipeline", {"add-thread", false, false, 1.971, 1.987, 2.003}, 1.471},
    {"bridge-log", {"batch", true, true, 1.659, 1.800, 1.940}, 1.546},
    {"bridge-log", {"batch", true, true, 1.705, 1.825, 1.942}, 1.743},
    {"bridge-log", {"run", false, false, 0.943, 1.005, 1.071}, 0.939},
    {"bridge-log", {"run", false, false, 0.954, 1.004, 1.057}, 0.987},
    {"bsp-lock", {"lock", false, false, 1.627, 1.876, 2.162}, 1.603},
    {"bsp-lock", {"lock", false, false, 1.783, 1.880, 1.983}, 1.566},
    {"connection-pool", {"in-flight", true, false, 7.819, 7.900, 7.982}, 8.289},
    {"connection-pool", {"in-flight", true, false, 7.745, 7.865, 7.987}, 8.248},
    {"forkjoin-connection", {"lock", false, false, 0.989, 0.999, 1.009}, 7.200},
    {"forkjoin-connection", {"lock", false, false, 0.996, 1.002, 1.008}, 7.165},
    {"forkjoin-connection", {"add-thread", true, false, 0.980, 1.000, 1.021}, 1.003},
    {"forkjoin-connection", {"add-thread", true, false, 0.987, 1.000, 1.013}, 1.017},
    {"fuse-readers", {"add-thread", false, false, 1.951, 1.964, 1.978}, 1.975},
    {"fuse-readers", {"add-thread", false, false, 1.948, 1.963, 1.978}, 1.968},
    {"fuse-readers", {"clients", false, false, 0.991, 1.001, 1.010}, 0.996},
    {"fuse-readers", {"clients", false, false, 0.989, 1.003, 1.017}, 1.008},
    {"go-audit-log", {"scale", false, false, 1.228, 1.474, 1.788}, 1.886},
    {"go-audit-log", {"scale", false, false, 1.291, 1.496, 1.787}, 2.416},
    {"haproxy-maxconn", {"in-flight", true, false, 7.459, 7.782, 8.118}, 7.765},
    {"haproxy-maxconn", {"in-flight", true, false, 7.434, 7.769, 8.120}, 7.559},
    {"java-gc", {"run", false, false, 1.156, 1.386, 1.668}, 2.659},
    {"java-gc", {"run", false, false, 1.275, 1.538, 1.864}, 2.003},
    {"java-gc", {"add-thread", false, false, 0.910, 1.102, 1.324}, 1.016},
    {"java-gc", {"add-thread", false, false, 0.981, 1.133, 1.349}, 1.065},
    {"java-lock", {"lock", false, false, 2.016, 2.042, 2.069}, 1.986},
    {"java-lock", {"lock", false, false, 1.052, 2.096, 4.142}, 1.989},
    {"java-small-queue", {"async", false, false, 1.831, 1.991, 2.164}, 2.021},
    {"java-small-queue", {"async", false, false, 1.836, 2.000, 2.175}, 2.079},
    {"line-logger", {"skip", false, true, 2.991, 33.399, 50.625}, 19.860},
    {"line-logger", {"skip", false, true, 2.920, 25.135, 35.981}, 18.685},
    {"memcached-clients", {"clients", false, false, 1.942, 1.983, 2.026}, 1.538},
    {"memcached-clients", {"clients", false, false, 1.909, 1.988, 2.069}, 2.952},
    {"nats-round-trips", {"in-flight", true, true, 4.196, 4.496, 4.818}, 8.972},
    {"nats-round-trips", {"in-flight", true, true, 4.127, 4.441, 4.779}, 7.249},
    {"nginx-one-worker", {"add-thread", false, false, 3.297, 3.596, 3.848}, 3.677},
    {"nginx-one-worker", {"add-thread", false, false, 3.826, 3.906, 3.982}, 3.528},
    {"nginx-one-worker", {"add-thread", false, false, 0.974, 1.000, 1.027}, 0.999},
    {"nginx-one-worker", {"add-thread", false, false, 0.992, 1.000, 1.008}, 0.997},
    {"ninja-header", {"add-thread", false, false, 0.992, 1.000, 1.008}, 1.324},
    {"ninja-header", {"add-thread", false, false, 0.979, 1.000, 1.021}, 1.267},
    {"ninja-header", {"in-flight", false, false, 0.992, 1.000, 1.008}, 0.979},
    {"ninja-header", {"in-flight", false, false, 0.979, 1.000, 1.021}, 0.915},
    {"node-gzip-sync", {"add-thread", true, false, 1.803, 1.930, 2.066}, 1.368},
    {"node-gzip-sync", {"add-thread", true, false, 1.780, 1.932, 2.096}, 1.377},
    {"node-gzip-sync", {"add-thread", false, false, 0.861, 1.001, 1.163}, 1.025},
    {"node-gzip-sync", {"add-thread", false, false, 0.951, 1.000, 1.051}, 1.023},
    {"postgres-commits", {"skip", false, true, 1.645, 1.906, 2.232}, 5.357},
    {"postgres-commits", {"skip", false, true, 2.015, 2.433, 2.949}, 4.682},
    {"postgres-hot-row", {"lock", false, false, 1.514, 2.574, 2.887}, 3.202},
    {"postgres-hot-row", {"lock", false, false, 1.466, 2.733, 3.167}, 3.444},
    {"postgres-parallel", {"add-thread", false, false, 1.593, 1.645, 1.701}, 1.641},
    {"postgres-parallel", {"add-thread", false, false, 1.448, 1.634, 1.813}, 1.617},
    {"postgres-parallel", {"function", false, false, 0.992, 1.000, 1.008}, 1.013},
    {"postgres-parallel", {"function", false, false, 0.929, 1.000, 1.076}, 1.010},
    {"python-pool", {"in-flight", false, false, 6.458, 7.799, 9.375}, 7.035},
    {"python-pool", {"in-flight", false, false, 5.902, 7.134, 8.123}, 7.298},
    {"rabbitmq-prefetch", {"in-flight", false, false, 1.764, 2.160, 2.537}, 2.968},
    {"rabbitmq-prefetch", {"in-flight", false, false, 2.072, 2.336, 2.657}, 3.375},
    {"rabbitmq-prefetch", {"timer", false, false, 0.970, 1.003, 1.039}, 0.836},
    {"rabbitmq-prefetch", {"timer", false, false, 0.956, 1.006, 1.062}, 0.976},
    {"redis-polling", {"timer", false, false, 5.898, 6.413, 6.923}, 6.028},
    {"redis-polling", {"timer", false, false, 4.675, 5.352, 6.127}, 7.493},
    {"rocksdb-sync", {"skip", false, true, 3.389, 5.976, 11.886}, 17.079},
    {"rocksdb-sync", {"skip", false, true, 3.616, 6.431, 12.165}, 20.051},
    {"serial-reader", {"async", false, false, 1.533, 2.688, 4.766}, 2.372},
    {"serial-reader", {"async", false, false, 1.512, 2.692, 4.804}, 2.119},
    {"zookeeper-sync", {"skip", false, true, 1.119, 1.255, 1.411}, 1.758},
    {"zookeeper-sync", {"skip", false, true, 0.911, 1.131, 1.426}, 1.922},
};
// clang-format on

}  // namespace

std::span<const PastPrediction> ShippedPredictions() { return kPast; }

}  // namespace gordian
