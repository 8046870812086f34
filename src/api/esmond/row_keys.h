// SPDX-License-Identifier: Apache-2.0
// Row keys: what is stored, as esmond names rows of its Cassandra:
// snmp:rtr:FastPollHC:ifHCInOctets:xe-0/2/0:30000:2012.
#pragma once

#include "api/esmond/call.h"

namespace varve::api::esmond {

// GET inventory/: one for each series and year of which there are samples, in order
Result<Response> list_row_keys(const Call& call);

}  // namespace varve::api::esmond
