// SPDX-License-Identifier: Apache-2.0
/* One ticket at a time, and all threads are woken for it: all but one wake for nothing. Saying so
 * makes the two sleeps around such a wake one wait, for the thread that really brings the
 * ticket. */
#include <gordian_probe.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { kWorkers = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int tickets, sold_out, silent;

static void* Work(void* unused) {
  (void)unused;
  for (;;) {
    int have = 0;
    pthread_mutex_lock(&mutex);
    while (tickets == 0 && !sold_out) {
      pthread_cond_wait(&changed, &mutex);
      if (tickets == 0 && !sold_out && !silent) gordian_false_wakeup(); /* (*) others were faster */
    }
    if (tickets > 0) {
      --tickets;
      have = 1;
    }
    pthread_mutex_unlock(&mutex);
    if (!have) return NULL;
    gordian_phase_begin("serve", NULL);
    for (volatile int step = 0; step < 200000; ++step) {
    }
    gordian_phase_end();
  }
}

/* tickets [NUMBER [silent]]: `silent` leaves the false wakeups unsaid, to see the suggestion. */
int main(int argc, char** argv) {
  const int number = argc > 1 ? atoi(argv[1]) : 200;
  silent = argc > 2 && strcmp(argv[2], "silent") == 0;
  pthread_t workers[kWorkers];
  for (int i = 0; i < kWorkers; ++i) pthread_create(&workers[i], NULL, Work, NULL);
  for (int ticket = 0; ticket < number; ++ticket) {
    for (volatile int step = 0; step < 400000; ++step) {
    }
    pthread_mutex_lock(&mutex);
    ++tickets;
    gordian_count("tickets", tickets);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_lock(&mutex);
  sold_out = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < kWorkers; ++i) pthread_join(workers[i], NULL);
  return 0;
}
