// SPDX-License-Identifier: Apache-2.0
#include "api/admin/operations.h"

#include <chrono>
#include <memory>
#include <utility>

#include "api/shared/endpoint.h"
#include "api/shared/http.h"
#include "base/mutex.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

std::string report_of(const storage::SettleReport& report, double seconds) {
  std::string out;
  protocol::json::Writer json(out);
  json.begin_object().member("slots_sealed", report.slots_sealed).member("chunks_written", report.chunks_written);
  json.member("samples", report.samples).member("messages", report.messages).member("bytes", report.bytes);
  json.key("seconds").raw(std::to_string(seconds)).end_object();  // in microseconds, however short it was
  return out;
}

Result<Response> settle(storage::SampleStore& store, Mutex& one) {
  const MutexLock lock(one);
  const auto begin = std::chrono::steady_clock::now();
  VARVE_ASSIGN_OR_RETURN(const auto report, store.settle());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return Response::own_json(200, report_of(report, took.count()));
}

}  // namespace

void add_health(Router& router, const http::Gate& gate, const Metrics& metrics, std::function<std::string()> refusing) {
  router.add(
      Method::get, "/-/healthy",
      [](const Request&, const Responder& answer) { answer(Response::text(200, "healthy\n")); }, Effect::administers);
  router.add(
      Method::get, "/-/ready",
      [&gate, refusing = std::move(refusing)](const Request&, const Responder& answer) {
        std::string text = gate.open ? "ready\n" : "starting or stopping\n";
        if (const std::string note = gate.note(); !note.empty()) text += note + "\n";
        if (const std::string told = refusing ? refusing() : std::string(); !told.empty()) text += told + "\n";
        answer(gate.open ? Response::text(200, text) : with_retry(Response::text(503, text)));
      },
      Effect::administers);
  router.add(
      Method::get, "/metrics",
      [&metrics](const Request&, const Responder& answer) {
        Response response = Response::text(200, metrics.text());
        response.content_type = "text/plain; version=0.0.4; charset=utf-8";
        answer(std::move(response));
      },
      Effect::administers);
}

void add_settle(Router& router, storage::SampleStore& store, TaskPool& pool) {
  const auto one = std::make_shared<Mutex>();  // the store settles once at a time
  const Endpoint endpoint(pool, {.status_of = status_of, .needs_tenant = false});
  router.add(Method::post, "/-/settle", endpoint.on_pool([&store, one](const Request&) { return settle(store, *one); }),
             Effect::administers);
}

void add_trust_clock(Router& router, storage::SlotStore& slots) {
  router.add(
      Method::post, "/-/trust-clock",
      [&slots](const Request&, const Responder& answer) {
        slots.trust_clock();
        answer(Response::text(200, "data expire by the clock as it is\n"));
      },
      Effect::administers);
}

}  // namespace varve::api
