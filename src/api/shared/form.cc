// SPDX-License-Identifier: Apache-2.0
#include "api/shared/form.h"

#include "http/media_type.h"

namespace varve::api {

Result<http::Parameters> form_of(const Request& request) {
  http::Parameters out;
  if (request.body.empty()) return out;
  if (!http::is_media_type(request.header("content-type"), "application/x-www-form-urlencoded")) {
    return fail(Code::invalid, "a body is a form: Content-Type application/x-www-form-urlencoded");
  }
  VARVE_RETURN_IF_ERROR(http::parse_query(request.body, out));
  return out;
}

}  // namespace varve::api
