// SPDX-License-Identifier: Apache-2.0
// Preloaded into a server: calls that change or read files below Control.under fail as the file $FAILING_CALLS, which is mapped,
// says; they are counted over all threads. support/failing_calls.py has the other side, and the same struct.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { kOpen = 1, kWrite = 2, kSync = 4, kSize = 8, kName = 16, kUnlink = 32, kRead = 64 };

struct Control {
  long long kinds;      // which calls are looked at
  long long calls;      // so many of them there were
  long long first;      // the first that fails; 0: none does
  long long count;      // so many fail, or
  long long window_ms;  // if this is not 0, all fail that come in this time after the first
  long long error;      // errno
  long long part;       // 1: a write that is to fail writes half first and says so; the next one fails
  long long kill;       // 1: the process is killed in place of the first failure
  long long failed;     // so many failed
  long long failed_kinds;
  long long until_ms;   // end of the window, once it has begun
  long long of_kind[7]; // all calls of each kind, since the file was made
  char under[256];
  char last[256];       // what failed last
};
static struct Control* control;

__attribute__((constructor)) static void map_control(void) {
  const char* path = getenv("FAILING_CALLS");
  if (!path) return;
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) return;
  void* at = mmap(NULL, sizeof(struct Control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  syscall(SYS_close, fd);
  if (at != MAP_FAILED) control = at;
}

static long long now_ms(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

// The errno with which this call is to fail, or 0.
static int verdict(int kind, const char* name, const char* path) {
  struct Control* c = control;
  if (!c || strncmp(path, c->under, strlen(c->under)) != 0) return 0;
  __sync_add_and_fetch(&c->of_kind[__builtin_ctz((unsigned)kind)], 1);
  if (!(c->kinds & kind)) return 0;
  const long long number = __sync_add_and_fetch(&c->calls, 1);
  const long long first = c->first;
  if (first == 0 || number < first) return 0;
  if (c->window_ms) {
    __sync_val_compare_and_swap(&c->until_ms, 0, now_ms() + c->window_ms);
    if (now_ms() >= c->until_ms) return 0;
  } else if (number >= first + c->count) {
    return 0;
  }
  __sync_add_and_fetch(&c->failed, 1);
  __sync_or_and_fetch(&c->failed_kinds, kind);
  snprintf(c->last, sizeof c->last, "%s %s", name, path + strlen(c->under));
  if (c->kill) {
    kill(getpid(), SIGKILL);
    pause();
  }
  return (int)c->error;
}

static int verdict_of_fd(int kind, const char* name, int fd) {
  if (!control) return 0;
  char link[64], path[512];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  return verdict(kind, name, path);
}

// A write of `size` bytes: how many of them to write before it stops; -1: it fails, with errno set.
static ssize_t admitted(const char* name, int fd, size_t size) {
  const int error = verdict_of_fd(kWrite, name, fd);
  if (!error) return (ssize_t)size;
  if (size > 1 && __sync_bool_compare_and_swap(&control->part, 1, 2)) return (ssize_t)(size / 2);
  errno = error;
  return -1;
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL_IF(verdict_) \
  do { \
    const int error_ = (verdict_); \
    if (error_) { \
      errno = error_; \
      return -1; \
    } \
  } while (0)

static int changes(int flags) { return (flags & (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC)) != 0; }

#define OPEN(name) \
  int name(const char* path, int flags, ...) { \
    REAL(name); \
    va_list arguments; \
    va_start(arguments, flags); \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments); \
    if (changes(flags)) FAIL_IF(verdict(kOpen, #name, path)); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int at, const char* path, int flags, ...) { \
    REAL(name); \
    va_list arguments; \
    va_start(arguments, flags); \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments); \
    if (changes(flags)) FAIL_IF(verdict(kOpen, #name, path)); \
    return real(at, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int fd, const void* data, size_t size) {
  REAL(write);
  const ssize_t some = admitted("write", fd, size);
  return some < 0 ? -1 : real(fd, data, (size_t)some);
}
#define PWRITE(name, offset_type) \
  ssize_t name(int fd, const void* data, size_t size, offset_type offset) { \
    REAL(name); \
    const ssize_t some = admitted(#name, fd, size); \
    return some < 0 ? -1 : real(fd, data, (size_t)some, offset); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec* pieces, int count) {
  REAL(writev);
  size_t size = 0;
  for (int i = 0; i < count; ++i) size += pieces[i].iov_len;
  const ssize_t some = admitted("writev", fd, size);
  if (some < 0) return -1;
  if ((size_t)some == size) return real(fd, pieces, count);
  size_t done = 0;
  for (int i = 0; i < count && done < (size_t)some; ++i) {
    const size_t left = (size_t)some - done;
    const size_t part = pieces[i].iov_len < left ? pieces[i].iov_len : left;
    if (part) done += (size_t)syscall(SYS_write, fd, pieces[i].iov_base, part);
  }
  return (ssize_t)done;
}

#define READ(name, parameters, arguments) \
  ssize_t name parameters { \
    REAL(name); \
    FAIL_IF(verdict_of_fd(kRead, #name, fd)); \
    return real arguments; \
  }
READ(read, (int fd, void* data, size_t size), (fd, data, size))
READ(readv, (int fd, const struct iovec* pieces, int count), (fd, pieces, count))
READ(pread, (int fd, void* data, size_t size, off_t offset), (fd, data, size, offset))
READ(pread64, (int fd, void* data, size_t size, off64_t offset), (fd, data, size, offset))

#define MMAP(name, offset_type) \
  void* name(void* at, size_t size, int protection, int flags, int fd, offset_type offset) { \
    REAL(name); \
    const int error = fd < 0 ? 0 : verdict_of_fd(kRead, #name, fd); \
    if (!error) return real(at, size, protection, flags, fd, offset); \
    errno = error; \
    return MAP_FAILED; \
  }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

#define OF_FD(kind, name, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    FAIL_IF(verdict_of_fd(kind, #name, fd)); \
    return real arguments; \
  }
OF_FD(kSync, fsync, (int fd), (fd))
OF_FD(kSync, fdatasync, (int fd), (fd))
OF_FD(kSize, ftruncate, (int fd, off_t size), (fd, size))
OF_FD(kSize, ftruncate64, (int fd, off64_t size), (fd, size))
OF_FD(kSize, fallocate, (int fd, int mode, off_t begin, off_t size), (fd, mode, begin, size))
OF_FD(kSize, fallocate64, (int fd, int mode, off64_t begin, off64_t size), (fd, mode, begin, size))

int sync_file_range(int fd, off64_t begin, off64_t size, unsigned flags) {  // without flags it does nothing and cannot fail
  REAL(sync_file_range);
  if (flags) FAIL_IF(verdict_of_fd(kSync, "sync_file_range", fd));
  return real(fd, begin, size, flags);
}

int posix_fallocate(int fd, off_t begin, off_t size) {  // returns its error
  REAL(posix_fallocate);
  const int error = verdict_of_fd(kSize, "posix_fallocate", fd);
  return error ? error : real(fd, begin, size);
}

#define OF_PATH(kind, name, path, parameters, arguments) \
  int name parameters { \
    REAL(name); \
    FAIL_IF(verdict(kind, #name, path)); \
    return real arguments; \
  }
OF_PATH(kName, rename, to, (const char* from, const char* to), (from, to))
OF_PATH(kName, renameat, to, (int at, const char* from, int to_at, const char* to), (at, from, to_at, to))
OF_PATH(kName, link, to, (const char* from, const char* to), (from, to))
OF_PATH(kName, mkdir, path, (const char* path, mode_t mode), (path, mode))
OF_PATH(kUnlink, unlink, path, (const char* path), (path))
OF_PATH(kUnlink, unlinkat, path, (int at, const char* path, int flags), (at, path, flags))
OF_PATH(kUnlink, rmdir, path, (const char* path), (path))
OF_PATH(kUnlink, remove, path, (const char* path), (path))
