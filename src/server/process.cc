// SPDX-License-Identifier: Apache-2.0
#include "server/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace varve::server {
namespace {

// Columns of /proc/self/statm, in pages.
struct Memory {
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
};

double memory_bytes(std::uint64_t Memory::* column) {
  Memory pages;
  std::ifstream in("/proc/self/statm");
  in >> pages.all >> pages.resident;
  return static_cast<double>(pages.*column) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double entries(const char* directory) {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) ++count;
  return count;
}

rlimit open_files_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
}

}  // namespace

std::int64_t cpu_ns() { return static_cast<std::int64_t>(cpu_seconds() * 1e9); }

std::uint64_t resident_bytes() { return static_cast<std::uint64_t>(memory_bytes(&Memory::resident)); }

void raise_open_files_limit() {
  rlimit limit = open_files_limit();
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);  // what cannot be had is done without
}

void register_process_metrics(Metrics& metrics, std::int64_t started_ms) {
  metrics.counter_from("process_cpu_seconds_total", "User and system time of the process.", cpu_seconds);
  metrics.gauge("process_resident_memory_bytes", "Memory of the process in RAM.",
                [] { return memory_bytes(&Memory::resident); });
  metrics.gauge("process_virtual_memory_bytes", "Address space of the process.",
                [] { return memory_bytes(&Memory::all); });
  metrics.gauge("process_open_fds", "Open files and sockets.", [] { return entries("/proc/self/fd"); });
  metrics.gauge("process_max_fds", "Limit of open files and sockets.",
                [] { return static_cast<double>(open_files_limit().rlim_cur); });
  metrics.gauge("process_threads", "Threads of the process.", [] { return entries("/proc/self/task"); });
  metrics.gauge("process_start_time_seconds", "When the process started, since 1970.",
                [started_ms] { return static_cast<double>(started_ms) / 1000; });
}

}  // namespace varve::server
