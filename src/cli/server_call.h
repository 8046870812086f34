// SPDX-License-Identifier: Apache-2.0
// Requests of `varve migrate --to` over HTTP.
#pragma once

#include <string>

#include "migrate/server_call.h"

namespace varve::cli {

// `address` as `varve device --server` takes it; `ca`: what its certificate is checked with, a PEM file ("": the
// system's). Error: invalid (the address).
Result<migrate::ServerCall> server_call(const std::string& address, const std::string& ca, const std::string& tenant);

// The address as it may be shown and kept: without user and password.
std::string shown_address(const std::string& address);

}  // namespace varve::cli
