// SPDX-License-Identifier: Apache-2.0
// The two forms of OTLP over HTTP, protobuf and JSON: an answer has that of its request.
#pragma once

#include <string>
#include <string_view>

#include "api/shared/http.h"

namespace varve::api {

enum class OtlpForm { json, protobuf, other };

// By its Content-Type.
OtlpForm otlp_form_of(const Request& request);

inline constexpr std::string_view kOtlpForms =
    "OTLP is application/x-protobuf or application/json, as its Content-Type says";

Response otlp_response(int status, OtlpForm form, std::string body);

// google.rpc.Status in the request's form; in JSON where it has another one.
Response otlp_error(int status, std::string_view message, const Request& request);

}  // namespace varve::api
