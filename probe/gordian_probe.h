// SPDX-License-Identifier: Apache-2.0
/* Gordian's probes: a program's words about itself that no kernel can see.
 *
 *   gordian_spin_begin(&lock);                  this thread spins for the lock …
 *   gordian_spin_end(&lock);                    … and has it now (or has given up)
 *   gordian_spin_release(&lock);                this thread has given the lock back
 *   gordian_false_wakeup();                     woken for nothing: this thread will sleep again
 *   gordian_phase_begin("compaction", "t42");   this thread works on something, until …
 *   gordian_phase_end();
 *   gordian_count("rows", 128);                 a number at this moment
 *
 * Link with -lgordian_probe (from C++ gordian_probe.hpp needs no library). Phases of a thread nest.
 * A lock is known by its address, within its process.
 *
 * Without a recorder, a call costs two loads and a branch. While `gordian record` runs, it reads
 * the clock and writes one record into memory that the recorder reads: no system call, no lock, no
 * allocation. Nothing here can fail. If /dev/shm is missing, full or read-only, or more threads
 * speak than there are places, words are dropped (and counted, if there is a file to count in).
 * Words of a signal handler while its own thread is inside a probe are dropped and counted too.
 *
 * A forked child has a file of its own, made when it first speaks; a child of vfork may call all of
 * this until it execs. A child made by a raw clone() must not call it. */
#ifndef GORDIAN_PROBE_H
#define GORDIAN_PROBE_H

#include <stdint.h>

#define GORDIAN_PROBE_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

static inline void gordian_spin_begin(const volatile void* lock);
static inline void gordian_spin_end(const volatile void* lock);
static inline void gordian_spin_release(const volatile void* lock);
static inline void gordian_false_wakeup(void);
/* Of the name at most 48 bytes are kept, of the key 56; NULL is the empty text. */
static inline void gordian_phase_begin(const char* name, const char* key);
static inline void gordian_phase_end(void);
static inline void gordian_count(const char* name, int64_t value);

/* Makes the process's file and the calling thread's place now. The library does so by itself, at
 * its start and at a thread's first word during a recording. Call it before entering a sandbox
 * (seccomp) that kills for openat, mmap or gettid; in a forked child, too. (seccomp's strict mode
 * also forbids reading the clock: a thread in it must say nothing.) */
GORDIAN_PROBE_API void gordian_probe_prepare(void);

/* ---- how the calls above are made; not for use by programs ---- */

/* The time (CLOCK_MONOTONIC) until which a recorder records; 0: no recorder. */
GORDIAN_PROBE_API extern const uint64_t* gordian_probe_record_until_ns;
GORDIAN_PROBE_API void gordian_probe_say(int kind, uint64_t value, const char* name,
                                         const char* key);

static inline int gordian_probe_is_on(void) {
  const uint64_t* until_ns = __atomic_load_n(&gordian_probe_record_until_ns, __ATOMIC_ACQUIRE);
  return __builtin_expect(__atomic_load_n(until_ns, __ATOMIC_RELAXED) != 0, 0);
}
static inline void gordian_spin_begin(const volatile void* lock) {
  if (gordian_probe_is_on()) gordian_probe_say(1, (uint64_t)(uintptr_t)lock, 0, 0);
}
static inline void gordian_spin_end(const volatile void* lock) {
  if (gordian_probe_is_on()) gordian_probe_say(2, (uint64_t)(uintptr_t)lock, 0, 0);
}
static inline void gordian_spin_release(const volatile void* lock) {
  if (gordian_probe_is_on()) gordian_probe_say(3, (uint64_t)(uintptr_t)lock, 0, 0);
}
static inline void gordian_false_wakeup(void) {
  if (gordian_probe_is_on()) gordian_probe_say(4, 0, 0, 0);
}
static inline void gordian_phase_begin(const char* name, const char* key) {
  if (gordian_probe_is_on()) gordian_probe_say(7, 0, name, key);
}
static inline void gordian_phase_end(void) {
  if (gordian_probe_is_on()) gordian_probe_say(8, 0, 0, 0);
}
static inline void gordian_count(const char* name, int64_t value) {
  if (gordian_probe_is_on()) gordian_probe_say(9, (uint64_t)value, name, 0);
}

#ifdef __cplusplus
}
#endif

#endif
