// SPDX-License-Identifier: Apache-2.0
// Preloaded into a process: its wall clock is $CLOCK_AHEAD_S seconds ahead (behind, if negative), or as many as the file
// $CLOCK_AHEAD says at the moment; monotonic clocks stay.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic long fixed_s;
static _Atomic long* ahead_s = &fixed_s;

__attribute__((constructor)) static void read_ahead(void) {
  const char* text = getenv("CLOCK_AHEAD_S");
  if (text) fixed_s = atol(text);
  const char* path = getenv("CLOCK_AHEAD");
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* at = mmap(NULL, sizeof *ahead_s, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (at != MAP_FAILED) ahead_s = at;
}

int clock_gettime(clockid_t clock, struct timespec* t) {
  const int done = (int)syscall(SYS_clock_gettime, clock, t);
  if (done == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) t->tv_sec += *ahead_s;
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
