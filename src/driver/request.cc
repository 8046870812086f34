// SPDX-License-Identifier: Apache-2.0
#include "driver/request.h"

#include <cstdlib>

#include "base/check.h"
#include "driver/border.h"

namespace varve::driver {

namespace {

Code code_of(drv_code code) {
  switch (code) {
    case DRV_INVALID:
    case DRV_AUTH: return Code::invalid;
    case DRV_SCHEMA: return Code::conflict;
    case DRV_UNAVAILABLE: return Code::unavailable;
    case DRV_OVERLOADED: return Code::limit;
    case DRV_TIMEOUT: return Code::timeout;
    case DRV_IO: return Code::io;
    case DRV_CANCELLED: return Code::cancelled;
    case DRV_INTERNAL: break;
  }
  return Code::corrupt;
}

}  // namespace

Error error_of(const drv_error& error) { return {code_of(error.code), std::string(view(error.message))}; }

void free_request(drv_request* request) { drv_request_free(request); }

void free_runtime(drv_runtime* runtime) {
  check(drv_runtime_free(runtime), "a runtime of drivers does not end in one of its own callbacks");
}

void Request::cancel() const { drv_request_cancel(handle_.get()); }

Result<Runtime> Runtime::start(unsigned threads) {
  auto* handle = drv_runtime_new(threads);
  if (handle == nullptr) return fail(Code::io, "the threads of the drivers cannot be started");
  return Runtime(handle);
}

}  // namespace varve::driver
