// SPDX-License-Identifier: Apache-2.0
// Loaded in front of a program (LD_PRELOAD): writes down what it does to files and folders below POWER_UNDER, in order,
// into the file POWER_RECORD, so that power/disk.py can build what a power cut would have left.
//
//   entry := kind:u8 result:u8 zero:u16 length:u32 time_ms:u64 inode:u64 a:u64 b:u64  bytes[length]     (40 bytes before them)
//
// The kinds are those of disk.py. A lock is held over each call and its entry, but for syncs, which have an entry
// before and one after.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { kCreate = 1, kWrite, kTruncate, kSyncBegin, kSyncEnd, kRename, kUnlink, kMkdir, kRmdir, kLink };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static char under[512];
static size_t under_length;

__attribute__((constructor)) static void start(void) {
  const char* file = getenv("POWER_RECORD");
  const char* root = getenv("POWER_UNDER");
  if (!file || !root || strlen(root) >= sizeof under) return;
  strcpy(under, root);
  under_length = strlen(under);
  record = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int is_under(const char* path) {
  return record >= 0 && strncmp(path, under, under_length) == 0 && (path[under_length] == '/' || !path[under_length]);
}

static int fd_is_under(int fd) {
  if (record < 0 || fd < 0) return 0;
  char link[64], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  return is_under(path);
}

static uint64_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

static uint64_t inode_of_path(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0 ? status.st_ino : 0;
}

struct Head {
  uint8_t kind, result;
  uint16_t zero;
  uint32_t length;
  uint64_t time_ms, inode, a, b;
};

static void put(int kind, int failed, uint64_t inode, uint64_t a, uint64_t b, const struct iovec* parts, int count,
                size_t length) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct Head head = {(uint8_t)kind, (uint8_t)failed,
                      0,             (uint32_t)length,
                      (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000,
                      inode,         a,
                      b};
  struct iovec all[66] = {{&head, sizeof head}};
  int used = 1;
  for (int i = 0; i < count && length > 0 && used < 66; ++i) {
    const size_t part = parts[i].iov_len < length ? parts[i].iov_len : length;
    all[used].iov_base = parts[i].iov_base;
    all[used++].iov_len = part;
    length -= part;
  }
  syscall(SYS_writev, record, all, used);
}

static void put_names(int kind, uint64_t inode, const char* one, const char* two) {
  char names[2100];
  const int size = snprintf(names, sizeof names, "%s%c%s", one, 0, two ? two : "");
  const struct iovec part = {names, (size_t)size};
  put(kind, 0, inode, 0, 0, &part, 1, (size_t)size);
}

// --- opening and making

static int opened(int fd, const char* path, int existed, int flags) {
  if (fd < 0) return fd;
  if (!existed) put_names(kCreate, inode_of(fd), path, NULL);
  if (existed && (flags & O_TRUNC)) put(kTruncate, 0, inode_of(fd), 0, 0, NULL, 0, 0);
  return fd;
}

static int exists(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0;
}

#define OPEN(name) \
  int name(const char* path, int flags, ...) { \
    REAL(name); \
    va_list arguments; \
    va_start(arguments, flags); \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments); \
    if (!(flags & (O_CREAT | O_TRUNC)) || !is_under(path)) return real(path, flags, mode); \
    pthread_mutex_lock(&lock); \
    const int existed = exists(path); \
    const int fd = opened(real(path, flags, mode), path, existed, flags); \
    pthread_mutex_unlock(&lock); \
    return fd; \
  }
OPEN(open)
OPEN(open64)

#define FOPEN(name) \
  FILE* name(const char* path, const char* mode) { \
    REAL(name); \
    if (mode[0] == 'r' || !is_under(path)) return real(path, mode); \
    pthread_mutex_lock(&lock); \
    const int existed = exists(path); \
    FILE* file = real(path, mode); \
    if (file) opened(fileno(file), path, existed, mode[0] == 'w' ? O_TRUNC : 0); \
    pthread_mutex_unlock(&lock); \
    return file; \
  }
FOPEN(fopen)
FOPEN(fopen64)

// --- writing

static void wrote(int fd, const struct iovec* parts, int count, ssize_t size, off_t offset) {
  if (size > 0) put(kWrite, 0, inode_of(fd), (uint64_t)offset, 0, parts, count, (size_t)size);
}

static off_t place(int fd) {
  if (fcntl(fd, F_GETFL) & O_APPEND) {
    struct stat status;
    return fstat(fd, &status) == 0 ? status.st_size : 0;
  }
  return lseek(fd, 0, SEEK_CUR);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  REAL(write);
  if (!fd_is_under(fd)) return real(fd, bytes, size);
  pthread_mutex_lock(&lock);
  const off_t offset = place(fd);
  const ssize_t written = real(fd, bytes, size);
  const struct iovec part = {(void*)bytes, size};
  wrote(fd, &part, 1, written, offset);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  REAL(writev);
  if (!fd_is_under(fd)) return real(fd, parts, count);
  pthread_mutex_lock(&lock);
  const off_t offset = place(fd);
  const ssize_t written = real(fd, parts, count);
  wrote(fd, parts, count, written, offset);
  pthread_mutex_unlock(&lock);
  return written;
}

#define PWRITE(name, type) \
  ssize_t name(int fd, const void* bytes, size_t size, type offset) { \
    REAL(name); \
    if (!fd_is_under(fd)) return real(fd, bytes, size, offset); \
    pthread_mutex_lock(&lock); \
    const ssize_t written = real(fd, bytes, size, offset); \
    const struct iovec part = {(void*)bytes, size}; \
    wrote(fd, &part, 1, written, offset); \
    pthread_mutex_unlock(&lock); \
    return written; \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define FTRUNCATE(name, type) \
  int name(int fd, type size) { \
    REAL(name); \
    if (!fd_is_under(fd)) return real(fd, size); \
    pthread_mutex_lock(&lock); \
    const int result = real(fd, size); \
    if (result == 0) put(kTruncate, 0, inode_of(fd), (uint64_t)size, 0, NULL, 0, 0); \
    pthread_mutex_unlock(&lock); \
    return result; \
  }
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

#define TRUNCATE(name, type) \
  int name(const char* path, type size) { \
    REAL(name); \
    if (!is_under(path)) return real(path, size); \
    pthread_mutex_lock(&lock); \
    const int result = real(path, size); \
    if (result == 0) put(kTruncate, 0, inode_of_path(path), (uint64_t)size, 0, NULL, 0, 0); \
    pthread_mutex_unlock(&lock); \
    return result; \
  }
TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)

// --- syncing

static int synced(int fd, int (*real)(int)) {
  if (!fd_is_under(fd)) return real(fd);
  const uint64_t inode = inode_of(fd);
  static uint64_t numbers;
  const uint64_t number = __sync_add_and_fetch(&numbers, 1);
  pthread_mutex_lock(&lock);
  put(kSyncBegin, 0, inode, number, 0, NULL, 0, 0);
  pthread_mutex_unlock(&lock);
  const int result = real(fd);
  pthread_mutex_lock(&lock);
  put(kSyncEnd, result != 0, inode, number, 0, NULL, 0, 0);
  pthread_mutex_unlock(&lock);
  return result;
}
int fsync(int fd) { REAL(fsync); return synced(fd, real); }
int fdatasync(int fd) { REAL(fdatasync); return synced(fd, real); }

// --- names

int rename(const char* from, const char* to) {
  REAL(rename);
  if (!is_under(to)) return real(from, to);
  pthread_mutex_lock(&lock);
  const uint64_t inode = inode_of_path(from);
  const int result = real(from, to);
  if (result == 0) put_names(kRename, inode, from, to);
  pthread_mutex_unlock(&lock);
  return result;
}

int link(const char* from, const char* to) {
  REAL(link);
  if (!is_under(to)) return real(from, to);
  pthread_mutex_lock(&lock);
  const int result = real(from, to);
  if (result == 0) put_names(kLink, inode_of_path(to), from, to);
  pthread_mutex_unlock(&lock);
  return result;
}

#define NAME(name, kind, declared, passed) \
  int name declared { \
    REAL(name); \
    if (!is_under(path)) return real passed; \
    pthread_mutex_lock(&lock); \
    const uint64_t before = inode_of_path(path); \
    const int result = real passed; \
    if (result == 0) put_names(kind, before ? before : inode_of_path(path), path, NULL); \
    pthread_mutex_unlock(&lock); \
    return result; \
  }
NAME(unlink, kUnlink, (const char* path), (path))
NAME(remove, kUnlink, (const char* path), (path))
NAME(mkdir, kMkdir, (const char* path, mode_t mode), (path, mode))
NAME(rmdir, kRmdir, (const char* path), (path))
