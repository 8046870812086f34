// SPDX-License-Identifier: Apache-2.0
#include "api/loki/error.h"

#include <string>

namespace varve::api {

Response loki_error(int status, std::string_view message, const Request&) {
  return with_retry(Response::text(status, std::string(message) + "\n"));
}

}  // namespace varve::api
