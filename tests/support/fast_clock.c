// SPDX-License-Identifier: Apache-2.0
// Preloaded into a process: all its clocks but those of processors go faster, and what waits for a time waits less.
// $FAST_CLOCK is a file that several processes may share: how many times faster they go, since when, and how far they
// were ahead then. support/preload.py writes it while they run; who waits already waits as long as he meant to.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define BILLION 1000000000LL

// As in support/preload.py.
struct control {
  _Atomic int64_t version;  // odd while the others are written
  _Atomic int64_t times;
  _Atomic int64_t since_ns;  // of the real monotonic clock
  _Atomic int64_t ahead_ns;
};

static struct control still = {.times = 1};
static struct control* control = &still;

__attribute__((constructor)) static void map_control(void) {
  const char* path = getenv("FAST_CLOCK");
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* at = mmap(NULL, sizeof(struct control), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (at != MAP_FAILED) control = at;
}

static int64_t ns_of(const struct timespec* t) { return t->tv_sec * BILLION + t->tv_nsec; }

static struct timespec time_of(int64_t ns) {
  struct timespec t = {ns / BILLION, ns % BILLION};
  if (t.tv_nsec < 0) t.tv_sec -= 1, t.tv_nsec += BILLION;
  return t;
}

static int64_t real_ns(clockid_t clock) {
  struct timespec t;
  syscall(SYS_clock_gettime, clock, &t);
  return ns_of(&t);
}

static int goes_fast(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME: return 1;
    default: return 0;
  }
}

// How far the fast clocks are ahead, and how many times faster they go.
static int64_t ahead(int64_t* times) {
  for (;;) {
    const int64_t version = atomic_load(&control->version);
    *times = atomic_load(&control->times);
    const int64_t since = atomic_load(&control->since_ns), before = atomic_load(&control->ahead_ns);
    const int64_t now = real_ns(CLOCK_MONOTONIC);
    if (version % 2 == 0 && version == atomic_load(&control->version)) return before + (now - since) * (*times - 1);
  }
}

// A span of the fast clocks in real time, at least one step of `step_ns` if it is one at all.
static int64_t really(int64_t ns, int64_t step_ns) {
  int64_t times;
  ahead(&times);
  return ns <= 0 ? ns : ns / times > step_ns ? ns / times : step_ns;
}

// A time of a fast clock as that of the real one.
static struct timespec real_time_of(clockid_t clock, const struct timespec* t) {
  int64_t times;
  const int64_t now = real_ns(clock), left = ns_of(t) - now - ahead(&times);
  return time_of(now + left / times);
}

#define REAL(name)               \
  static __typeof__(name)* real; \
  if (!real) real = (__typeof__(name)*)dlsym(RTLD_NEXT, #name)

int clock_gettime(clockid_t clock, struct timespec* t) {
  const int done = (int)syscall(SYS_clock_gettime, clock, t);
  int64_t times;
  if (done == 0 && goes_fast(clock)) *t = time_of(ns_of(t) + ahead(&times));
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

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  REAL(pthread_cond_clockwait);
  const struct timespec t = real_time_of(clock, until);
  return real(condition, mutex, clock, &t);
}

// Of the default clock: nobody here sets another one.
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const struct timespec* until) {
  static __typeof__(pthread_cond_timedwait)* real;
  if (!real) real = (__typeof__(real))dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  const struct timespec t = real_time_of(CLOCK_REALTIME, until);
  return real(condition, mutex, &t);
}

// What is left of an interrupted one is too little: whoever goes on waiting looks at the clock.
int clock_nanosleep(clockid_t clock, int flags, const struct timespec* span, struct timespec* left) {
  REAL(clock_nanosleep);
  const struct timespec t = flags & TIMER_ABSTIME ? real_time_of(clock, span) : time_of(really(ns_of(span), 1));
  return real(clock, flags, &t, left);
}

int nanosleep(const struct timespec* span, struct timespec* left) {
  const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, span, left);
  if (error) errno = error;
  return error ? -1 : 0;
}

int usleep(useconds_t us) {
  const struct timespec span = time_of(us * 1000LL);
  return nanosleep(&span, NULL);
}

static int really_ms(int ms) { return (int)(really(ms * 1000000LL, 1000000) / 1000000); }

int epoll_wait(int epoll, struct epoll_event* events, int most, int wait_ms) {
  REAL(epoll_wait);
  return real(epoll, events, most, wait_ms < 0 ? wait_ms : really_ms(wait_ms));
}

int poll(struct pollfd* files, nfds_t count, int wait_ms) {
  REAL(poll);
  return real(files, count, wait_ms < 0 ? wait_ms : really_ms(wait_ms));
}

int timerfd_settime(int file, int flags, const struct itimerspec* next, struct itimerspec* before) {
  REAL(timerfd_settime);
  struct itimerspec t = {time_of(really(ns_of(&next->it_interval), 1)), time_of(really(ns_of(&next->it_value), 1))};
  if (flags & TFD_TIMER_ABSTIME) t.it_value = real_time_of(CLOCK_MONOTONIC, &next->it_value);
  return real(file, flags, &t, before);
}

int sigtimedwait(const sigset_t* signals, siginfo_t* info, const struct timespec* span) {
  REAL(sigtimedwait);
  const struct timespec t = span ? time_of(really(ns_of(span), 1)) : (struct timespec){0, 0};
  return real(signals, info, span ? &t : NULL);
}
