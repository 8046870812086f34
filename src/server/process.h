// SPDX-License-Identifier: Apache-2.0
// What the operating system knows of this process.
#pragma once

#include <cstdint>

#include "base/metrics.h"

namespace varve::server {

// The soft limit of open files up to the hard one: every connection and every file of the store is one.
void raise_open_files_limit();

// User and system time of all threads.
std::int64_t cpu_ns();
std::uint64_t resident_bytes();  // memory in RAM

// Registers process_cpu_seconds_total, process_resident_memory_bytes, … as Prometheus clients name them.
void register_process_metrics(Metrics& metrics, std::int64_t started_ms);

}  // namespace varve::server
