// SPDX-License-Identifier: Apache-2.0
// Tells systemd what a unit of Type=notify wants to know: a datagram to the socket that $NOTIFY_SOCKET names.
#pragma once

#include <string_view>

namespace varve::server {

// "READY=1", "STOPPING=1". Nothing where there is no such socket; failures are logged.
void notify_service_manager(std::string_view state);

}  // namespace varve::server
