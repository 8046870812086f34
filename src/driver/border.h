// SPDX-License-Identifier: Apache-2.0
// Internal to this folder: from C++ to the C interface and back.
#pragma once

#include <varve_drivers.h>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/guarded.h"
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

// A callback passed through the C interface: the closure on the heap is the context. T is constructed from a Raw*, or
// void.
template <class T, class Raw>
struct Pending {
  static void* create(Done<T> done) { return new Done<T>(std::move(done)); }

  static void call(void* context, const drv_error* error, Raw* result) {
    const std::unique_ptr<Done<T>> done(static_cast<Done<T>*>(context));
    // No exception crosses the C interface.
    const Status told = guarded([&] {
      if (error != nullptr)
        (*done)(fail(error_of(*error)));
      else if constexpr (std::is_void_v<T>)
        (*done)({});
      else
        (*done)(T(result));
    });
    log_failure("the answer of a server was lost", told);
  }
};

}  // namespace varve::driver
