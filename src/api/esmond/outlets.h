// SPDX-License-Identifier: Apache-2.0
// Power distribution units: devices that have an oidset with a history of outlets, their outlets, and the load of one.
#pragma once

#include "api/esmond/call.h"

namespace varve::api::esmond {

// GET pdu/
Result<Response> list_pdus(const Call& call);
// GET pdu/P/, pdu/P/outlet/, pdu/P/outlet/O, pdu/P/outlet/O/load
Result<Response> below_pdus(const Call& call);
// GET outlet/
Result<Response> list_outlets(const Call& call);

}  // namespace varve::api::esmond
