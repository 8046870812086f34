// SPDX-License-Identifier: Apache-2.0
// Scheduling priority of a thread.
#pragma once

namespace varve {

// For threads with long work that is not latency-critical (parsing large bodies): when processors are scarce, this
// thread gets a tenth of the share of the threads that answer requests, and is preempted as soon as one of them wakes.
// No effect if the system refuses.
void lower_thread_priority();

}  // namespace varve
