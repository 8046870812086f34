// SPDX-License-Identifier: Apache-2.0
// Pace: bounds for how long a call holds the lock of the index, by counting what it does. One thread.
#pragma once

#include <cstddef>
#include <utility>

#include "base/result.h"
#include "index/turns.h"

namespace varve::index {

class Pace {
 public:
  // Of work: something that takes as long as to look at a tag set, about. A turn takes some ten microseconds.
  static constexpr std::size_t kTurn = 1024;

  // Without turns nobody waits.
  explicit Pace(Turns* turns) : turns_(turns) {}

  // To be called for each thing that is looked at. False: the call ends, with status().
  bool worked(std::size_t work) {
    worked_ += work;
    return worked_ < kTurn ? status_.has_value() : turn();
  }
  // What takes long and needs no lock.
  template <class F>
  auto aside(F&& f) {
    if (turns_ == nullptr) return f();
    struct Aside {
      explicit Aside(Turns& turns) : turns_(turns) { turns_.leave(); }
      ~Aside() { turns_.enter(); }
      Turns& turns_;
    };
    worked_ = 0;
    const Aside aside(*turns_);
    return f();
  }
  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] Status go_on() const { return turns_ == nullptr ? Status() : turns_->go_on(); }

 private:
  bool turn() {
    if (status_) status_ = aside([this] { return go_on(); });
    worked_ = 0;
    return status_.has_value();
  }

  Turns* const turns_;
  std::size_t worked_ = 0;  // since the last turn
  Status status_;
};

}  // namespace varve::index
