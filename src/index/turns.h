// SPDX-License-Identifier: Apache-2.0
// Turns: how a long call on an index lets others at it. The caller holds the lock of the index as a reader; the call
// gives it up now and then. Nothing that it read moves meanwhile, but there may be more.
#pragma once

#include "base/result.h"

namespace varve::index {

class Turns {
 public:
  virtual ~Turns() = default;
  // Without the lock, until enter().
  virtual void leave() = 0;
  virtual void enter() = 0;
  // Is the answer still wanted? Called without the lock, or with it; does not wait. Error: the call ends with it.
  [[nodiscard]] virtual Status go_on() = 0;
};

}  // namespace varve::index
