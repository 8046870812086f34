// SPDX-License-Identifier: Apache-2.0
// Expected failures are values. `Result<T>` is a std::expected with one small Error type; ignoring one is a compile
// error ([[nodiscard]] on the type).
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace varve {

enum class Code {
  invalid,      // the request is wrong and will be wrong again (HTTP 400)
  not_found,    // what was named does not exist (404)
  too_large,    // over a stated limit of size (413)
  limit,        // over a stated limit of number or cost; may succeed later (429)
  unavailable,  // overload, disk full, stopping: try again later (503)
  timeout,      // took longer than allowed
  cancelled,    // the caller no longer waits for the answer
  unsupported,  // understood, but not supported
  corrupt,      // stored bytes are damaged
  conflict,     // in use by another owner (a lock, a directory)
  io,           // the operating system reported an error
  too_old,      // a sample older than what is kept of its series (400)
};

struct Error {
  Code code = Code::invalid;
  std::string message;  // one line, for people; names the object and the value
};

template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};

using Status = Result<void>;

// `return fail(Code::invalid, "…");` in any function that returns a Result.
inline std::unexpected<Error> fail(Code code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message)});
}
inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }

}  // namespace varve

#define VARVE_CONCAT_INNER(a, b) a##b
#define VARVE_CONCAT(a, b) VARVE_CONCAT_INNER(a, b)
#define VARVE_ASSIGN_OR_RETURN_INNER(tmp, decl, ...)           \
  auto tmp = (__VA_ARGS__);                                    \
  if (!tmp) return std::unexpected<varve::Error>(tmp.error()); \
  decl = std::move(*tmp)

// VARVE_ASSIGN_OR_RETURN(auto x, f());  →  x is f()'s value, or the function returns f()'s error.
#define VARVE_ASSIGN_OR_RETURN(decl, ...) \
  VARVE_ASSIGN_OR_RETURN_INNER(VARVE_CONCAT(varve_try_, __LINE__), decl, __VA_ARGS__)
// VARVE_RETURN_IF_ERROR(f());  →  the function returns f()'s error, if it has one.
#define VARVE_RETURN_IF_ERROR_INNER(status, ...) \
  if (auto status = (__VA_ARGS__); !status) return std::unexpected<varve::Error>(status.error())
#define VARVE_RETURN_IF_ERROR(...) VARVE_RETURN_IF_ERROR_INNER(VARVE_CONCAT(varve_status_, __COUNTER__), __VA_ARGS__)
