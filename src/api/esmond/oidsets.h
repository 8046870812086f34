// SPDX-License-Identifier: Apache-2.0
// Oidsets: their names, and which object an alias of theirs stands for.
#pragma once

#include "api/esmond/call.h"

namespace varve::api::esmond {

// GET oidset/: ["ALUErrors",…]
Result<Response> list_oidsets(const Call& call);
// GET oidsetmap/: {"FastPollHC":{"in":"ifHCInOctets",…},…}
Result<Response> map_oidsets(const Call& call);

}  // namespace varve::api::esmond
