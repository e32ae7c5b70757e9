// SPDX-License-Identifier: Apache-2.0
// The energy of points that repel each other, step by step. Prints steps a second. usage: pairs
// plain|fixed|vain SECONDS
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { kPoints = 4000 };
static double x[kPoints], y[kPoints], z[kPoints];

static double row_energy(int i, int every) {
  double sum = 0;
  for (int j = 0; j < i; j += every) {
    const double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
    sum += every / sqrt(dx * dx + dy * dy + dz * dz + 1e-6);
  }
  return sum;
}

static double energy(int estimate) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (int i = 0; i < kPoints; i++) sum += row_energy(i, estimate && i < kPoints / 2 ? 2 : 1);
  return sum;
}

static double energy_dealt_out(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 16)
  for (int i = 0; i < kPoints; i++) sum += row_energy(i, 1);
  return sum;
}

static void move(double energy) {
  for (int i = 0; i < kPoints; i++) x[i] = fmod(x[i] * 1.0001 + energy * 1e-12, 1.0);
}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int dealt_out = !strcmp(argv[1], "fixed"), estimate = !strcmp(argv[1], "vain");
  for (int i = 0; i < kPoints; i++) {
    x[i] = drand48();
    y[i] = drand48();
    z[i] = drand48();
  }
#pragma omp parallel
  if (omp_get_thread_num() == 1) prctl(PR_SET_NAME, "pairs-second");
  const double begin = now_s(), end = begin + atof(argv[2]);
  long steps = 0;
  while (now_s() < end) {
    move(dealt_out ? energy_dealt_out() : energy(estimate));
    steps++;
  }
  printf("%.2f\n", (double)steps / (now_s() - begin));
}
