// SPDX-License-Identifier: Apache-2.0
// KairosDB's put: all or nothing.
#include "api/kairosdb/handlers.h"
#include "api/shared/writing.h"
#include "protocol/kairosdb/datapoints.h"

namespace varve::api {
namespace {

namespace kairosdb = protocol::kairosdb;

Response errors(Code code, std::span<const std::string> list) {
  return with_retry(kairosdb_response(status_of(code), kairosdb::render_errors(list)));
}

}  // namespace

void put_datapoints(const KairosdbParts& parts, const Request& request, const Responder& answer) {
  auto ingest = parts.writer.open(request.tenant, write::Family::kairosdb);
  if (!ingest) return answer(request.error(ingest.error()));
  const auto rejection = kairosdb::parse_datapoints(request.body, (*ingest)->groups(), (*ingest)->batch());
  if (!rejection.none()) {
    parts.writer.count_rejected(Code::too_old, rejection.too_old);
    parts.writer.count_rejected(rejection.code, rejection.errors.size() - rejection.too_old);
    return answer(errors(rejection.code, rejection.errors));
  }
  parts.writer.commit(std::move(*ingest), when_stored(request, answer, kairosdb_response(204)));
}

}  // namespace varve::api
