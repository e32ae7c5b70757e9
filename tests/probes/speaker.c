// SPDX-License-Identifier: Apache-2.0
/* speaker PIECE …: programs that speak through the shared library, and whose words are known.
 *
 *   spin ROUNDS MS         two threads: one holds a lock for MS ms at a time, the other spins for
 * it. Prints the tids of both and how long the other spun, in ns words THREADS WORDS    each thread
 * counts its words; a phase around all forever FILE           counts, and notes in FILE (one
 * uint64_t, mapped) how many words it has said fork DEPTH             a word, then a child that
 * does the same with one less exec WORDS             a word, then the same program by exec as
 * `words 1 WORDS` */
#define _GNU_SOURCE
#include <fcntl.h>
#include <gordian_probe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static atomic_int lock;
static atomic_int turn; /* even: the holder's, odd: the other's */
static long rounds, hold_ms, holder_tid, waiter_tid;
static uint64_t spun_ns;

static void* Hold(void* unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "holder");
  holder_tid = syscall(SYS_gettid);
  for (long round = 0; round < rounds; ++round) {
    while (atomic_load(&turn) != 2 * round) usleep(100);
    gordian_spin_begin(&lock);
    while (atomic_exchange(&lock, 1)) {
    }
    gordian_spin_end(&lock);
    const uint64_t until_ns = NowNs() + (uint64_t)hold_ms * 1000000u;
    atomic_store(&turn, 2 * round + 1);
    while (NowNs() < until_ns) {
    }
    gordian_spin_release(&lock);
    atomic_store(&lock, 0);
  }
  return unused;
}

static void* Wait(void* unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "waiter");
  waiter_tid = syscall(SYS_gettid);
  for (long round = 0; round < rounds; ++round) {
    while (atomic_load(&turn) != 2 * round + 1) usleep(100);
    const uint64_t begin_ns = NowNs();
    gordian_spin_begin(&lock);
    while (atomic_exchange(&lock, 1)) {
    }
    gordian_spin_end(&lock);
    spun_ns += NowNs() - begin_ns;
    gordian_spin_release(&lock);
    atomic_store(&lock, 0);
    atomic_store(&turn, 2 * round + 2);
  }
  return unused;
}

static int Spin(char** words) {
  pthread_t threads[2];
  rounds = atol(words[0]);
  hold_ms = atol(words[1]);
  pthread_create(&threads[0], NULL, Hold, NULL);
  pthread_create(&threads[1], NULL, Wait, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%ld %ld %llu\n", holder_tid, waiter_tid, (unsigned long long)spun_ns);
  return 0;
}

static void* Count(void* words) {
  const long count = *(const long*)words;
  for (long i = 0; i < count; ++i) gordian_count("word", i);
  return NULL;
}

static int Words(char** words) {
  const long threads = atol(words[0]);
  long each = atol(words[1]);
  pthread_t* ids = calloc((size_t)threads, sizeof *ids);
  gordian_phase_begin("speaking", words[1]);
  for (long i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, Count, &each);
  for (long i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  gordian_phase_end();
  free(ids);
  return 0;
}

static int Forever(char** words) {
  const int fd = open(words[0], O_RDWR);
  _Atomic uint64_t* said = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (said == MAP_FAILED) return 1;
  for (;;) {
    gordian_count("word", (int64_t)atomic_load(said));
    atomic_fetch_add(said, 1);
    /* Slow enough for a recorder that gets little of a busy machine. */
    for (const uint64_t until_ns = NowNs() + 20000; NowNs() < until_ns;) {
    }
  }
}

static int Fork(long depth) {
  gordian_count("depth", depth);
  if (depth == 0) return 0;
  const pid_t child = fork();
  if (child == 0) exit(Fork(depth - 1));
  int status = 1;
  waitpid(child, &status, 0);
  gordian_count("back", depth);
  return status != 0;
}

int main(int argc, char** argv) {
  if (argc == 4 && strcmp(argv[1], "spin") == 0) return Spin(argv + 2);
  if (argc == 4 && strcmp(argv[1], "words") == 0) return Words(argv + 2);
  if (argc == 3 && strcmp(argv[1], "forever") == 0) return Forever(argv + 2);
  if (argc == 3 && strcmp(argv[1], "fork") == 0) return Fork(atol(argv[2]));
  if (argc == 3 && strcmp(argv[1], "exec") == 0) {
    gordian_count("before", 1);
    execl("/proc/self/exe", argv[0], "words", "1", argv[2], NULL);
  }
  fprintf(stderr, "speaker: unknown piece\n");
  return 2;
}
