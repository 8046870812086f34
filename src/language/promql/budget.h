// SPDX-License-Identifier: Apache-2.0
// Budget: how much memory an evaluation may hold. Charge: bytes that are held as long as it lives.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "base/result.h"

namespace varve::language::promql {

class Budget;

class Charge {
 public:
  Charge() = default;
  Charge(Charge&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge();
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

  // The bytes of both are held by this one, which must be of the same budget, or of none.
  void absorb(Charge&& other);

 private:
  friend class Budget;
  Charge(Budget* budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {}

  Budget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

// Of one evaluation; not thread-safe. Must outlive its charges.
class Budget {
 public:
  // `hold`: so many more bytes are held at the same time than ever before; may be null.
  Budget(std::size_t bytes_max, std::function<Status(std::size_t bytes)> hold)
      : bytes_max_(bytes_max), hold_(std::move(hold)) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Error: limit (more than bytes_max in all), or that of `hold`.
  Result<Charge> charge(std::size_t bytes);
  [[nodiscard]] std::size_t held() const { return held_; }
  [[nodiscard]] std::size_t peak() const { return peak_; }

 private:
  friend class Charge;

  const std::size_t bytes_max_;
  const std::function<Status(std::size_t bytes)> hold_;
  std::size_t held_ = 0;
  std::size_t peak_ = 0;      // the most that was held
  std::size_t reported_ = 0;  // of it, to hold_
};

}  // namespace varve::language::promql
