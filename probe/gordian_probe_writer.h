// SPDX-License-Identifier: Apache-2.0
/* The writing side of the probes, once for C (gordian_probe.c makes the shared library of it) and
 * once for C++ (gordian_probe.hpp includes it in a namespace of its own): plain C that is also C++.
 *
 * One file per process (gordian_probe_layout.h), one ring per thread. A ring has one writer, so a
 * word is: begun + 1, the record, ended + 1. A ring is claimed by a compare-and-swap of its owner
 * at its thread's first word during a recording, and freed at the thread's end. The next owner goes
 * on counting from there, so written records stay readable. When it is full the oldest record gives
 * way; the reader knows from the counts how many it has missed.
 *
 * The including file defines GORDIAN_PROBE_LINKAGE: static or inline. */
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

/* NOLINTBEGIN(modernize-use-nullptr): this is C as well. */

enum { kGordianUnprepared = 0, kGordianPreparing = 1, kGordianReady = 2, kGordianOff = 3 };

struct gordian_probe_state {
  int stage;
  int hooks_installed; /* the process's handlers for fork, thread's end and exit */
  struct gordian_probe_header* file;
  int fd; /* holds the lock that tells the recorder whose file this is */
  pthread_key_t thread_end;
  uint64_t early_drops; /* words that came while the file was being made */
  uint64_t created_ns;
  uint64_t device, inode;
};

struct gordian_probe_thread {
  struct gordian_probe_ring* ring;
  struct gordian_probe_record* records;
  uint64_t next;
  int32_t tid;
  uint8_t busy;      /* in the middle of a word: what comes now is a signal handler's */
  uint8_t no_memory; /* its ring's pages are not to be had */
  uint8_t ends_seen; /* how often the thread's end has been told */
};

/* The target of gordian_probe_record_until_ns without a file: not yet, or never. */
GORDIAN_PROBE_LINKAGE const uint64_t gordian_probe_not_yet = 1;
GORDIAN_PROBE_LINKAGE const uint64_t gordian_probe_never = 0;
GORDIAN_PROBE_LINKAGE struct gordian_probe_state gordian_probe_state = {0, 0, 0, -1, 0, 0, 0, 0, 0};
GORDIAN_PROBE_LINKAGE __thread struct gordian_probe_thread gordian_probe_thread = {0, 0, 0, 0,
                                                                                   0, 0, 0};
GORDIAN_PROBE_UNTIL_LINKAGE const uint64_t* gordian_probe_record_until_ns = &gordian_probe_not_yet;

GORDIAN_PROBE_LINKAGE uint64_t gordian_probe_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

GORDIAN_PROBE_LINKAGE struct gordian_probe_ring* gordian_probe_rings(
    struct gordian_probe_header* file) {
  return (struct gordian_probe_ring*)((char*)file + GORDIAN_PROBE_HEADER_BYTES);
}

GORDIAN_PROBE_LINKAGE struct gordian_probe_record* gordian_probe_records(
    struct gordian_probe_header* file, uint32_t ring) {
  char* first = (char*)(gordian_probe_rings(file) + GORDIAN_PROBE_RINGS);
  return (struct gordian_probe_record*)first + (uint64_t)ring * GORDIAN_PROBE_RECORDS;
}

GORDIAN_PROBE_LINKAGE void gordian_probe_set_stage(int stage, const uint64_t* until_ns) {
  __atomic_store_n(&gordian_probe_state.stage, stage, __ATOMIC_RELEASE);
  __atomic_store_n(&gordian_probe_record_until_ns, until_ns, __ATOMIC_RELEASE);
}

/* ---- a thread's place ---- */

/* Runs at the thread's end, up to four times if destructors of others go on speaking: each word
 * claims a ring again. At the third time the thread falls silent (its words are dropped and
 * counted), so that no ring stays claimed. */
GORDIAN_PROBE_LINKAGE void gordian_probe_end_thread(void* unused) {
  struct gordian_probe_thread* self = &gordian_probe_thread;
  struct gordian_probe_ring* ring = self->ring;
  (void)unused;
  if (self->ends_seen < 3) ++self->ends_seen;
  if (!ring) return;
  self->ring = 0;
  __atomic_store_n(&ring->owner, 0, __ATOMIC_RELEASE);
}

/* Touching memory that a full tmpfs lacks kills the process, so the memory is asked for first. The
 * descriptor may have been closed by a program that closes all, and be another file by now. */
GORDIAN_PROBE_LINKAGE int gordian_probe_reserve(void* begin, uint64_t bytes) {
  const int populate_write = 23; /* MADV_POPULATE_WRITE, since Linux 5.14 */
  struct gordian_probe_state* state = &gordian_probe_state;
  struct stat status;
  if (madvise(begin, bytes, populate_write) == 0) return 1;
  if (errno != EINVAL) return 0;
  if (fstat(state->fd, &status) != 0 || status.st_dev != state->device ||
      status.st_ino != state->inode)
    return 0;
  return fallocate(state->fd, 0, (char*)begin - (char*)state->file, (off_t)bytes) == 0;
}

GORDIAN_PROBE_LINKAGE int gordian_probe_claim_ring(struct gordian_probe_thread* self) {
  struct gordian_probe_state* state = &gordian_probe_state;
  struct gordian_probe_header* file = __atomic_load_n(&state->file, __ATOMIC_RELAXED);
  struct gordian_probe_ring* rings = gordian_probe_rings(file);
  uint32_t i;
  if (self->no_memory || self->ends_seen >= 3) return 0;
  if (self->tid == 0) self->tid = (int32_t)syscall(SYS_gettid);
  for (i = 0; i < GORDIAN_PROBE_RINGS; ++i) {
    uint32_t owner = 0;
    if (__atomic_load_n(&rings[i].owner, __ATOMIC_RELAXED) != 0) continue;
    if (!__atomic_compare_exchange_n(&rings[i].owner, &owner, (uint32_t)self->tid, 0,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      continue;
    self->records = gordian_probe_records(file, i);
    self->next = __atomic_load_n(&rings[i].ended, __ATOMIC_RELAXED);
    if (self->next == 0 &&
        !gordian_probe_reserve(self->records,
                               GORDIAN_PROBE_RECORDS * sizeof(struct gordian_probe_record))) {
      __atomic_store_n(&rings[i].owner, 0, __ATOMIC_RELEASE);
      self->no_memory = 1;
      return 0;
    }
    self->ring = &rings[i];
    pthread_setspecific(state->thread_end, self);
    return 1;
  }
  return 0;
}

/* ---- the process's file ---- */

/* The text "PREFIX PID . NUMBER" taken apart; 0 for any other text. */
GORDIAN_PROBE_LINKAGE int32_t gordian_probe_pid_of_name(const char* name) {
  const size_t prefix = sizeof(GORDIAN_PROBE_PREFIX) - 1;
  char* end;
  long pid;
  if (strncmp(name, GORDIAN_PROBE_PREFIX, prefix) != 0) return 0;
  pid = strtol(name + prefix, &end, 10);
  return *end == '.' && pid > 0 && pid <= INT32_MAX ? (int32_t)pid : 0;
}

GORDIAN_PROBE_LINKAGE uint64_t gordian_probe_pid_namespace(void) {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

/* Removes the file of an ended process, unless a recorder may still want it. */
GORDIAN_PROBE_LINKAGE void gordian_probe_remove_if_left_over(int directory, const char* name,
                                                             uint64_t pid_namespace) {
  struct gordian_probe_header head;
  struct stat status;
  const int32_t pid = gordian_probe_pid_of_name(name);
  int fd;
  if (pid == 0 || pid_namespace == 0 || kill(pid, 0) == 0 || errno != ESRCH) return;
  fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
      pread(fd, &head, 256, 0) == 256 && head.pid_namespace == pid_namespace &&
      head.record_until_ns < gordian_probe_now_ns())
    unlinkat(directory, name, 0);
  close(fd);
}

/* Of a large directory only the beginning is looked at: this is a courtesy. Without opendir, which
 * takes memory: a forked child may be here. */
GORDIAN_PROBE_LINKAGE void gordian_probe_remove_left_overs(uint64_t pid_namespace) {
  char entries[4096];
  const int directory = open(GORDIAN_PROBE_DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int round;
  if (directory < 0) return;
  for (round = 0; round < 4; ++round) {
    const long bytes = syscall(SYS_getdents64, directory, entries, sizeof entries);
    long at;
    if (bytes <= 0) break;
    for (at = 0; at < bytes;) { /* u64 inode, u64 offset, u16 length, u8 type, name */
      uint16_t length;
      memcpy(&length, entries + at + 16, sizeof length);
      gordian_probe_remove_if_left_over(directory, entries + at + 19, pid_namespace);
      at += length;
    }
  }
  close(directory);
}

/* The time until which the recorders of this machine want words, as noted in the directory. */
GORDIAN_PROBE_LINKAGE uint64_t gordian_probe_read_mark(void) {
  struct stat status;
  uint64_t until_ns = 0;
  const int fd = open(GORDIAN_PROBE_DIRECTORY "/" GORDIAN_PROBE_MARK,
                      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return 0;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_uid != 0 && status.st_uid != geteuid()) ||
      pread(fd, &until_ns, sizeof until_ns, 0) != (ssize_t)sizeof until_ns)
    until_ns = 0;
  close(fd);
  return until_ns;
}

GORDIAN_PROBE_LINKAGE struct gordian_probe_header* gordian_probe_map_file(int fd) {
  struct rlimit limit;
  struct flock lock;
  void* memory;
  /* Past this limit, ftruncate would not fail but kill (SIGXFSZ). */
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < GORDIAN_PROBE_FILE_BYTES) return 0;
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (ftruncate(fd, (off_t)GORDIAN_PROBE_FILE_BYTES) != 0 ||
      fallocate(fd, 0, 0,
                GORDIAN_PROBE_HEADER_BYTES +
                    GORDIAN_PROBE_RINGS * sizeof(struct gordian_probe_ring)) != 0 ||
      fcntl(fd, F_SETLK, &lock) != 0)
    return 0;
  memory = mmap(0, GORDIAN_PROBE_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return 0;
  madvise(memory, GORDIAN_PROBE_FILE_BYTES, MADV_DONTDUMP);
  return (struct gordian_probe_header*)memory;
}

/* The path of this process's file, for a time at which it was made. */
GORDIAN_PROBE_LINKAGE void gordian_probe_path(uint64_t created_ns, char* path, size_t bytes) {
  snprintf(path, bytes, "%s/%s%d.%llu", GORDIAN_PROBE_DIRECTORY, GORDIAN_PROBE_PREFIX,
           (int)getpid(), (unsigned long long)created_ns);
}

GORDIAN_PROBE_LINKAGE int gordian_probe_make_file(void) {
  struct gordian_probe_state* state = &gordian_probe_state;
  struct gordian_probe_header* file;
  struct stat status;
  char path[96];
  const uint64_t pid_namespace = gordian_probe_pid_namespace();
  gordian_probe_remove_left_overs(pid_namespace);
  state->created_ns = gordian_probe_now_ns();
  gordian_probe_path(state->created_ns, path, sizeof path);
  state->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (state->fd < 0) return 0;
  file = gordian_probe_map_file(state->fd);
  if (!file || fstat(state->fd, &status) != 0) {
    close(state->fd);
    state->fd = -1;
    unlink(path);
    return 0;
  }
  state->device = status.st_dev;
  state->inode = status.st_ino;
  __atomic_store_n(&state->file, file, __ATOMIC_RELAXED);
  file->version = GORDIAN_PROBE_VERSION;
  file->header_bytes = GORDIAN_PROBE_HEADER_BYTES;
  file->rings = GORDIAN_PROBE_RINGS;
  file->records_per_ring = GORDIAN_PROBE_RECORDS;
  file->record_bytes = sizeof(struct gordian_probe_record);
  file->pid = getpid();
  file->pid_namespace = pid_namespace;
  file->created_ns = state->created_ns;
  __atomic_store_n(&file->record_until_ns, gordian_probe_read_mark(), __ATOMIC_RELAXED);
  __atomic_store_n(&file->magic, GORDIAN_PROBE_MAGIC, __ATOMIC_RELEASE);
  return 1;
}

/* The file goes with the process if no recorder can want it any more; else the recorder removes it
 * after reading it. Words that come after this (destructors of others) are written all the same. */
GORDIAN_PROBE_LINKAGE void gordian_probe_end_process(void) {
  struct gordian_probe_state* state = &gordian_probe_state;
  char path[96];
  if (__atomic_load_n(&state->stage, __ATOMIC_ACQUIRE) != kGordianReady) return;
  pthread_key_delete(state->thread_end);
  if (__atomic_load_n(&state->file->record_until_ns, __ATOMIC_RELAXED) >= gordian_probe_now_ns())
    return;
  gordian_probe_path(state->created_ns, path, sizeof path);
  unlink(path);
}

/* The parent's memory is not the child's to write to: it begins anew. */
GORDIAN_PROBE_LINKAGE void gordian_probe_begin_child(void) {
  struct gordian_probe_state* state = &gordian_probe_state;
  memset(&gordian_probe_thread, 0, sizeof gordian_probe_thread);
  if (state->file) munmap(state->file, GORDIAN_PROBE_FILE_BYTES);
  __atomic_store_n(&state->file, (struct gordian_probe_header*)0, __ATOMIC_RELAXED);
  state->early_drops = 0;
  gordian_probe_set_stage(kGordianUnprepared, &gordian_probe_not_yet);
  /* state->fd stays open: in a program that closes all its descriptors it may be another's. */
}

GORDIAN_PROBE_LINKAGE int gordian_probe_install_hooks(void) {
  struct gordian_probe_state* state = &gordian_probe_state;
  if (state->hooks_installed) return 1;
  if (pthread_key_create(&state->thread_end, gordian_probe_end_thread) != 0) return 0;
  if (pthread_atfork(0, 0, gordian_probe_begin_child) != 0) return 0;
  atexit(gordian_probe_end_process);
  state->hooks_installed = 1;
  return 1;
}

GORDIAN_PROBE_LINKAGE void gordian_probe_count_early_drops(void) {
  struct gordian_probe_state* state = &gordian_probe_state;
  uint64_t drops;
  if (__atomic_load_n(&state->stage, __ATOMIC_SEQ_CST) != kGordianReady) return;
  drops = __atomic_exchange_n(&state->early_drops, 0, __ATOMIC_SEQ_CST);
  if (drops != 0 && *gordian_probe_record_until_ns != 0)
    __atomic_fetch_add(&state->file->dropped, drops, __ATOMIC_RELAXED);
}

/* Once per process; a second thread goes on without a file (and is counted). */
GORDIAN_PROBE_LINKAGE int gordian_probe_prepare_process(void) {
  struct gordian_probe_state* state = &gordian_probe_state;
  int stage = kGordianUnprepared;
  int cancel_state;
  int made;
  const int saved_errno = errno;
  if (!__atomic_compare_exchange_n(&state->stage, &stage, kGordianPreparing, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_ACQUIRE)) {
    if (stage != kGordianPreparing) return stage == kGordianReady;
    __atomic_fetch_add(&state->early_drops, 1, __ATOMIC_SEQ_CST);
    gordian_probe_count_early_drops();
    return 0;
  }
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  made = gordian_probe_install_hooks() && gordian_probe_make_file();
  if (made) {
    gordian_probe_set_stage(kGordianReady, &state->file->record_until_ns);
    gordian_probe_count_early_drops();
  } else {
    gordian_probe_set_stage(kGordianOff, &gordian_probe_never);
  }
  pthread_setcancelstate(cancel_state, 0);
  errno = saved_errno;
  return made;
}

/* ---- a word ---- */

GORDIAN_PROBE_LINKAGE uint8_t gordian_probe_put_text(char* to, const char* text, size_t most) {
  size_t bytes = 0;
  if (!text) return 0;
  while (bytes < most && text[bytes] != 0) {
    to[bytes] = text[bytes];
    ++bytes;
  }
  return (uint8_t)bytes;
}

GORDIAN_PROBE_LINKAGE int gordian_probe_get_ring(struct gordian_probe_thread* self) {
  const int saved_errno = errno;
  int cancel_state;
  int claimed;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  claimed = gordian_probe_claim_ring(self);
  pthread_setcancelstate(cancel_state, 0);
  errno = saved_errno;
  return claimed;
}

GORDIAN_PROBE_LINKAGE void gordian_probe_write(struct gordian_probe_thread* self, uint64_t time_ns,
                                               int kind, uint64_t value, const char* name,
                                               const char* key) {
  struct gordian_probe_ring* ring = self->ring;
  struct gordian_probe_record* record = &self->records[self->next % GORDIAN_PROBE_RECORDS];
  const uint64_t after = self->next + 1;
  __atomic_store_n(&ring->begun, after, __ATOMIC_RELAXED);
#ifndef __SANITIZE_THREAD__
  /* begun is seen before anything of the record. (gcc's ThreadSanitizer knows no fences; the reader
   * is another process, of which it sees nothing anyway.) */
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
  record->time_ns = time_ns;
  record->value = value;
  record->tid = self->tid;
  record->kind = (uint8_t)kind;
  record->name_bytes = gordian_probe_put_text(record->text, name, GORDIAN_PROBE_NAME_BYTES);
  record->key_bytes =
      gordian_probe_put_text(record->text + record->name_bytes, key, GORDIAN_PROBE_KEY_BYTES);
  __atomic_store_n(&ring->ended, after, __ATOMIC_RELEASE);
  self->next = after;
}

/* True during a recording. A deadline that has passed, or is impossible, is taken back, so that the
 * next call costs no clock. */
GORDIAN_PROBE_LINKAGE int gordian_probe_in_time(struct gordian_probe_header* file,
                                                uint64_t now_ns) {
  uint64_t until_ns = __atomic_load_n(&file->record_until_ns, __ATOMIC_RELAXED);
  if (__builtin_expect(now_ns <= until_ns && until_ns - now_ns <= GORDIAN_PROBE_LONGEST_NS, 1))
    return 1;
  __atomic_compare_exchange_n(&file->record_until_ns, &until_ns, 0, 0, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return 0;
}

GORDIAN_PROBE_LINKAGE void gordian_probe_speak(int kind, uint64_t value, const char* name,
                                               const char* key) {
  struct gordian_probe_thread* self = &gordian_probe_thread;
  struct gordian_probe_header* file;
  uint64_t now_ns;
  if (__builtin_expect(
          __atomic_load_n(&gordian_probe_state.stage, __ATOMIC_ACQUIRE) != kGordianReady, 0) &&
      !gordian_probe_prepare_process())
    return;
  file = __atomic_load_n(&gordian_probe_state.file, __ATOMIC_RELAXED);
  if (__builtin_expect(self->busy, 0)) {
    uint64_t* dropped = self->ring ? &self->ring->dropped : &file->dropped;
    if (gordian_probe_in_time(file, gordian_probe_now_ns()))
      __atomic_fetch_add(dropped, 1, __ATOMIC_RELAXED);
    return;
  }
  self->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  now_ns = gordian_probe_now_ns();
  if (gordian_probe_in_time(file, now_ns)) {
    if (__builtin_expect(self->ring != 0, 1) || gordian_probe_get_ring(self))
      gordian_probe_write(self, now_ns, kind, value, name, key);
    else
      __atomic_fetch_add(&file->dropped, 1, __ATOMIC_RELAXED);
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  self->busy = 0;
}

GORDIAN_PROBE_LINKAGE void gordian_probe_prepare_all(void) {
  struct gordian_probe_thread* self = &gordian_probe_thread;
  if (__atomic_load_n(&gordian_probe_state.stage, __ATOMIC_ACQUIRE) != kGordianReady &&
      !gordian_probe_prepare_process())
    return;
  if (self->busy || self->ring) return;
  self->busy = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  gordian_probe_get_ring(self);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  self->busy = 0;
}

/* NOLINTEND(modernize-use-nullptr) */
