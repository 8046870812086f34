// SPDX-License-Identifier: Apache-2.0
// Data of many interfaces or series in one answer, which is 201, as the client wants it.
#pragma once

#include "api/esmond/call.h"

namespace varve::api::esmond {

// POST bulk/interface/: {"interfaces":[{"device","iface"}],"endpoint":["in"],"cf","agg","begin","end"}
Result<Response> bulk_interfaces(const Call& call);
// POST bulk/timeseries/: {"type":"BaseRate","paths":[["snmp",…,30000]],"cf","begin","end"}
Result<Response> bulk_series(const Call& call);

}  // namespace varve::api::esmond
