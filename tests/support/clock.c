// SPDX-License-Identifier: Apache-2.0
// Preloaded into a process: its wall clock is $CLOCK_AHEAD_S seconds ahead (behind, if negative); monotonic clocks stay.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long ahead_s;

__attribute__((constructor)) static void read_ahead(void) {
  const char* text = getenv("CLOCK_AHEAD_S");
  if (text) ahead_s = atol(text);
}

int clock_gettime(clockid_t clock, struct timespec* t) {
  const int done = (int)syscall(SYS_clock_gettime, clock, t);
  if (done == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) t->tv_sec += ahead_s;
  return done;
}

int gettimeofday(struct timeval* t, void* zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
