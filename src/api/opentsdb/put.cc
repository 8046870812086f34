// SPDX-License-Identifier: Apache-2.0
// OpenTSDB's put: good points are kept, bad ones are named. Always synchronous, so `sync` changes nothing.
#include "protocol/opentsdb/put.h"
#include "api/opentsdb/handlers.h"
#include "api/shared/writing.h"
#include "write/tenant_targets.h"

namespace varve::api {
namespace {

namespace opentsdb = protocol::opentsdb;

Response put_response(const opentsdb::PutOutcome& outcome, bool summary, bool details) {
  if (outcome.failed == 0 && !summary && !details) return Response::empty(204);
  const int status = outcome.failed == 0 ? 200 : status_of(outcome.code);
  if (summary || details) return with_retry(Response::json(status, opentsdb::render_put(outcome, details)));
  const std::string first = outcome.errors.empty() ? std::string() : outcome.errors.front().reason;
  return with_retry(Response::json(
      status, opentsdb::render_put_error(status, "One or more data points had errors",
                                         std::to_string(outcome.failed) + " of " +
                                             std::to_string(outcome.failed + outcome.success) +
                                             " refused, the first: " + first + "; ask with ?details for all of them")));
}

}  // namespace

void put_opentsdb(const OpentsdbParts& parts, const Request& request, const Responder& answer) {
  write::TenantTargets targets(parts.writer, write::Family::opentsdb, request.tenant);
  const auto tag = !parts.tenant_tag      ? opentsdb::TenantTag::plain
                   : request.tenant_named ? opentsdb::TenantTag::ignored
                                          : opentsdb::TenantTag::names;
  const auto outcome = opentsdb::parse_put(request.body, targets, tag);
  if (!outcome.malformed.empty()) {
    parts.writer.count_rejected(Code::invalid, 1);
    return answer(request.error(400, outcome.malformed));
  }
  parts.writer.count_rejected(Code::too_old, outcome.too_old);
  parts.writer.count_rejected(outcome.code, outcome.failed - outcome.too_old);
  Response response = put_response(outcome, request.param("summary").has_value(), request.param("details").has_value());
  targets.commit(when_stored(request, answer, std::move(response)));
}

}  // namespace varve::api
