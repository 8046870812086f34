// SPDX-License-Identifier: Apache-2.0
// OTLP metrics. Good points are kept beside bad ones, which partial_success counts: a client sends none of them again.
#include <memory>
#include <string>
#include <utility>

#include "api/otlp/form.h"
#include "api/otlp/metrics_routes.h"
#include "api/otlp/told_targets.h"
#include "api/shared/routes.h"
#include "api/shared/writing.h"
#include "protocol/otlp/metrics.h"

namespace varve::api {
namespace {

namespace otlp = protocol::otlp;

struct OtlpMetricsParts {
  explicit OtlpMetricsParts(const Context& context)
      : writer(context.writer),
        exemplars(context.metrics.counter("varve_exemplars_skipped_total", "Exemplars of OTLP's points, left out.")),
        naming(context.otlp_naming),
        metadata(context.metadata),
        targets(std::make_shared<ToldTargets>()) {}

  write::Writer& writer;
  Counter& exemplars;  // that were left out
  OtlpNaming naming;
  std::shared_ptr<write::MetricMetadataStore> metadata;
  std::shared_ptr<ToldTargets> targets;
};

Response answer_of(const Request& request, OtlpForm form, const otlp::MetricOutcome& outcome) {
  // A request of which something is kept must not come again, but where the store is out of order.
  if (const int status = outcome.points.rejected == 0 ? 200 : status_of_refused(outcome.points); status > 400) {
    return request.error(status, refused_rows(outcome.points, "point"));
  }
  return otlp_response(
      200, form,
      form == OtlpForm::json ? otlp::metrics_response_json(outcome) : otlp::metrics_response_protobuf(outcome));
}

void put_metrics(const OtlpMetricsParts& parts, const Request& request, const Responder& answer) {
  const OtlpForm form = otlp_form_of(request);
  if (form == OtlpForm::other) return answer(request.error(415, kOtlpForms));
  auto ingest = parts.writer.open(request.tenant, write::Family::otlp);
  if (!ingest) return answer(request.error(ingest.error()));
  const otlp::TargetTime target_time = [&](const codec::Hash128& resource) {
    return parts.targets->span(request.tenant, resource);
  };
  write::NewMetadata news(*parts.metadata, request.tenant);
  const otlp::DescribedSink described = [&](const otlp::Metric& metric) {
    news.take(
        otlp::metadata_of(metric), [&] { return otlp::described_name(metric, parts.naming.translation); },
        static_cast<char>(metric.kind));
  };
  const auto parse = form == OtlpForm::json ? otlp::parse_metrics_json : otlp::parse_metrics_protobuf;
  auto outcome = parse(request.body, parts.naming, target_time, (*ingest)->groups(), (*ingest)->batch(), described);
  if (!outcome) {
    parts.writer.count_rejected(outcome.error().code, 1);
    return answer(request.error(outcome.error()));
  }
  parts.exemplars.add(outcome->exemplars);
  count_refused(parts.writer, outcome->points);
  auto stored = when_stored(request, answer, answer_of(request, form, *outcome));
  parts.writer.commit(
      std::move(*ingest),
      [targets = parts.targets, tenant = request.tenant, written = std::move(outcome->targets),
       metadata = parts.metadata, news = std::move(news), stored = std::move(stored)](const Status& status) mutable {
        if (!news.empty()) metadata->keep(std::move(news));
        if (status) {
          for (const auto& [resource, span] : written) targets->note(tenant, resource, span);
        }
        stored(status);
      });
}

constexpr Route<OtlpMetricsParts> kOtlpMetricsRoutes[] = {
    {Method::post, "/v1/metrics", Itself{put_metrics}, Effect::writes},
    {Method::post, "/api/v1/otlp/v1/metrics", Itself{put_metrics}, Effect::writes},
};

}  // namespace

void add_otlp_metrics_routes(Router& router, const Context& context) {
  add_routes(router, std::make_shared<const OtlpMetricsParts>(context), kOtlpMetricsRoutes, otlp_error);
}

}  // namespace varve::api
