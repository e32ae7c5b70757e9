// SPDX-License-Identifier: Apache-2.0
// Gordian's probes for C++17, without a library to link: the calls of gordian_probe.h under C++
// names, and guards that cannot forget the end.
//
//   gordian::SpinWait waiting(&lock);            // until it goes out of scope
//   while (lock.exchange(true)) {}
//   …
//   gordian::spin_release(&lock);
//
//   gordian::Phase phase("compaction", table);   // phases of a thread nest
//   gordian::count("rows", 128);
//
// What gordian_probe.h says holds here. A program may use both: it then has two files.
#pragma once

#include <cstdint>
#include <string>

// What gordian_probe_writer.h includes: not in its namespace.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gordian_probe_layout.h"

namespace gordian {
namespace probe_writer {
#define GORDIAN_PROBE_LINKAGE inline
#define GORDIAN_PROBE_UNTIL_LINKAGE inline
#include "gordian_probe_writer.h"
#undef GORDIAN_PROBE_LINKAGE
#undef GORDIAN_PROBE_UNTIL_LINKAGE

// Before main, as the shared library does.
inline const int prepared_at_start = gordian_probe_prepare_process();

inline bool IsOn() {
  const uint64_t* until_ns = __atomic_load_n(&gordian_probe_record_until_ns, __ATOMIC_ACQUIRE);
  return __builtin_expect(__atomic_load_n(until_ns, __ATOMIC_RELAXED) != 0, 0);
}
inline void Say(int kind, uint64_t value = 0, const char* name = nullptr,
                const char* key = nullptr) {
  if (IsOn()) gordian_probe_speak(kind, value, name, key);
}
inline uint64_t Number(const volatile void* lock) { return reinterpret_cast<uintptr_t>(lock); }
}  // namespace probe_writer

inline void spin_begin(const volatile void* lock) {
  probe_writer::Say(1, probe_writer::Number(lock));
}
inline void spin_end(const volatile void* lock) {
  probe_writer::Say(2, probe_writer::Number(lock));
}
inline void spin_release(const volatile void* lock) {
  probe_writer::Say(3, probe_writer::Number(lock));
}
inline void false_wakeup() { probe_writer::Say(4); }
inline void phase_begin(const char* name, const char* key = nullptr) {
  probe_writer::Say(7, 0, name, key);
}
inline void phase_end() { probe_writer::Say(8); }
inline void count(const char* name, int64_t value) {
  probe_writer::Say(9, static_cast<uint64_t>(value), name);
}
// See gordian_probe_prepare in gordian_probe.h.
inline void probe_prepare() { probe_writer::gordian_probe_prepare_all(); }

// From here to the end of the scope this thread spins for the lock.
class SpinWait {
 public:
  explicit SpinWait(const volatile void* lock) : lock_(lock) { spin_begin(lock_); }
  ~SpinWait() { spin_end(lock_); }
  SpinWait(const SpinWait&) = delete;
  SpinWait& operator=(const SpinWait&) = delete;

 private:
  const volatile void* lock_;
};

class Phase {
 public:
  explicit Phase(const char* name, const char* key = nullptr) { phase_begin(name, key); }
  Phase(const char* name, const std::string& key) { phase_begin(name, key.c_str()); }
  ~Phase() { phase_end(); }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
};

}  // namespace gordian
