// SPDX-License-Identifier: Apache-2.0
// A server that keeps a log: each request is a line, and is answered when the line is on disk. A
// thread for each connection. usage: logserver PORT LOG one|group
//   one: writes and syncs a line under a lock    group: one thread syncs for all lines written
//   until then (group commit)
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kLineBytes = 128 };

static int log_file;
static int is_group;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t was_synced = PTHREAD_COND_INITIALIZER;
static long written, synced;  // lines
static int is_syncing;

static void append(const char* line) {
  if (write(log_file, line, kLineBytes) != kLineBytes) {
    perror("write");
    exit(1);
  }
}

__attribute__((noinline)) void log_one(const char* line) {
  pthread_mutex_lock(&log_lock);
  append(line);
  fdatasync(log_file);
  pthread_mutex_unlock(&log_lock);
}

__attribute__((noinline)) void log_in_group(const char* line) {
  pthread_mutex_lock(&log_lock);
  append(line);
  const long own = ++written;
  while (synced < own) {
    if (is_syncing) {
      pthread_cond_wait(&was_synced, &log_lock);
      continue;
    }
    is_syncing = 1;
    const long until = written;
    pthread_mutex_unlock(&log_lock);
    fdatasync(log_file);
    pthread_mutex_lock(&log_lock);
    is_syncing = 0;
    synced = until;
    pthread_cond_broadcast(&was_synced);
  }
  pthread_mutex_unlock(&log_lock);
}

static void* serve_connection(void* argument) {
  const int connection = (int)(long)argument;
  char line[kLineBytes];
  while (recv(connection, line, sizeof line, MSG_WAITALL) == sizeof line) {
    line[kLineBytes - 1] = '\n';
    if (is_group) {
      log_in_group(line);
    } else {
      log_one(line);
    }
    if (send(connection, "y", 1, MSG_NOSIGNAL) != 1) break;
  }
  close(connection);
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  log_file = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (log_file < 0) {
    perror(arguments[2]);
    return 1;
  }
  is_group = strcmp(arguments[3], "group") == 0;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((unsigned short)atoi(arguments[1]))};
  if (bind(listener, (const struct sockaddr*)&address, sizeof address) != 0 ||
      listen(listener, 64) != 0) {
    perror("listen");
    return 1;
  }
  for (;;) {
    const int connection = accept(listener, NULL, NULL);
    if (connection < 0) continue;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    pthread_t thread;
    pthread_create(&thread, NULL, serve_connection, (void*)(long)connection);
    pthread_detach(thread);
  }
}
