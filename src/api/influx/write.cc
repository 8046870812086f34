// SPDX-License-Identifier: Apache-2.0
// Influx line protocol, v1 and v2. Good lines are kept, bad ones named by number and reason.
// `db`, `rp`, `org`, `bucket`, `consistency` and credentials are taken and mean nothing: the tenant says where to.
#include <string>
#include <utility>

#include "api/influx/handlers.h"
#include "api/shared/writing.h"
#include "protocol/influx/line.h"

namespace varve::api {
namespace influx = protocol::influx;

void write_lines(const InfluxParts& parts, const Request& request, const Responder& answer) {
  static_assert(http::kBodyPadding >= influx::kBodyPadding);
  const auto precision = influx::precision_of(request.param("precision").value_or(""));
  if (!precision) return answer(request.error(400, precision.error().message));
  auto ingest = parts.writer.open(request.tenant, write::Family::influx);
  if (!ingest) return answer(request.error(ingest.error()));

  const auto outcome =
      influx::parse_lines(request.body, *precision, parts.clock.now_ms(), (*ingest)->groups(), (*ingest)->batch());
  Response response = Response::empty(204);
  if (outcome.rejected != 0) {
    count_refused(parts.writer, outcome);
    const std::string_view what = outcome.accepted != 0 ? "partial write: " : "unable to parse: ";
    response = request.error(status_of_refused(outcome), std::string(what) + refused_rows(outcome, "line") +
                                                             " dropped=" + std::to_string(outcome.rejected));
  }
  parts.writer.commit(std::move(*ingest), when_stored(request, answer, std::move(response)));
}

}  // namespace varve::api
