/* One ticket at a time, and everybody is woken for it: all but one wake for nothing. Saying so
 * makes the two sleeps around such a wake one wait, for whoever really brings the ticket. */
#include <gordian_probe.h>
#include <pthread.h>
#include <stdio.h>

enum { kWorkers = 4, kTickets = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int tickets, sold_out;

static void* Work(void* unused) {
  (void)unused;
  for (;;) {
    int have = 0;
    pthread_mutex_lock(&mutex);
    while (tickets == 0 && !sold_out) {
      pthread_cond_wait(&changed, &mutex);
      if (tickets == 0 && !sold_out) gordian_false_wakeup(); /* (*) somebody else was faster */
    }
    if (tickets > 0) {
      --tickets;
      have = 1;
    }
    pthread_mutex_unlock(&mutex);
    if (!have) return NULL;
    gordian_phase_begin("serve", NULL);
    for (volatile int step = 0; step < 50000; ++step) {
    }
    gordian_phase_end();
  }
}

int main(void) {
  pthread_t workers[kWorkers];
  for (int i = 0; i < kWorkers; ++i) pthread_create(&workers[i], NULL, Work, NULL);
  for (int ticket = 0; ticket < kTickets; ++ticket) {
    for (volatile int step = 0; step < 100000; ++step) {
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
