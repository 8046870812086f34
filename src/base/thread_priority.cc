// SPDX-License-Identifier: Apache-2.0
#include "base/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

namespace varve {

void lower_thread_priority() {
  constexpr int kStep = 10;                           // each is worth a quarter of what is left
  const auto thread = static_cast<id_t>(::gettid());  // on Linux a niceness is a thread's own
  errno = 0;
  const int now = ::getpriority(PRIO_PROCESS, thread);
  if (errno == 0) static_cast<void>(::setpriority(PRIO_PROCESS, thread, now + kStep));
}

}  // namespace varve
