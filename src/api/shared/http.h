// SPDX-License-Identifier: Apache-2.0
// The words of http/ that every handler uses.
#pragma once

#include "http/answer.h"
#include "http/handler.h"
#include "http/router.h"

namespace varve::api {

using http::Effect;
using http::error_response;
using http::ErrorShape;
using http::Handler;
using http::Method;
using http::Request;
using http::Responder;
using http::Response;
using http::Router;
using http::status_of;
using http::target_text;
using http::with_retry;

}  // namespace varve::api
