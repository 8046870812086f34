// SPDX-License-Identifier: Apache-2.0
// The inside of this folder: from C++ to the C border and back.
#pragma once

#include <varve_drivers.h>
#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

#include "driver/request.h"

namespace varve::driver {

inline drv_slice slice(std::string_view bytes) {
  static constexpr std::uint8_t kEmpty = 0;  // an empty value is not an absent one
  return {bytes.empty() ? &kEmpty : reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
inline drv_slice option(std::string_view text) { return text.empty() ? drv_slice{} : slice(text); }
inline std::string_view view(drv_slice bytes) { return {reinterpret_cast<const char*>(bytes.data), bytes.size}; }

inline drv_tls tls(const Tls& options) {
  return {options.enabled, option(options.ca_file), option(options.certificate_file), option(options.key_file)};
}

Error error_of(const drv_error& error);

// A callback on its way through the border. Rust's atomics order what happens before and after; a thread sanitizer
// cannot see them, so the closure has a pair of its own.
template <class T, class Raw>
class Pending {
 public:
  // make: Raw* → T, for a result that may be null.
  static Pending* create(Done<T> done) {
    auto* pending = new Pending(std::move(done));
    pending->filled_.store(true, std::memory_order_release);
    return pending;
  }

  static void call(void* context, const drv_error* error, Raw* result) {
    std::unique_ptr<Pending> pending(static_cast<Pending*>(context));
    pending->filled_.load(std::memory_order_acquire);
    if (error != nullptr)
      pending->done_(fail(error_of(*error)));
    else if constexpr (std::is_void_v<T>)
      pending->done_({});
    else
      pending->done_(T(result));
  }

 private:
  explicit Pending(Done<T> done) : done_(std::move(done)) {}
  Done<T> done_;
  std::atomic<bool> filled_ = false;
};

}  // namespace varve::driver
