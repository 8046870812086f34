// SPDX-License-Identifier: Apache-2.0
// How a thread shares the processors with the others.
#pragma once

namespace varve {

// For threads with long work that nobody waits for to the millisecond (parsing large bodies): when there are
// fewer processors than there is to do, this thread gets a tenth of what the threads that answer get, and is put aside
// as soon as one of them wakes. Does nothing where the system refuses.
void lower_thread_priority();

}  // namespace varve
