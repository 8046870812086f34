// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/errors.h"

#include "api/shared/query_answer.h"

namespace varve::api {

int analytics_status_of(Code code) {
  switch (code) {
    case Code::invalid: return 400;
    case Code::unsupported: return 404;
    case Code::not_found: return 410;
    case Code::limit: return 403;
    default: return query_status_of(code);
  }
}

}  // namespace varve::api
