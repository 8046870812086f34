// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <utility>

#include "api/admin/handlers.h"
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

}  // namespace

void say_healthy(const HealthParts&, const Request&, const Responder& answer) {
  answer(Response::text(200, "healthy\n"));
}

void say_ready(const HealthParts& parts, const Request&, const Responder& answer) {
  std::string text = parts.gate.open ? "ready\n" : "starting or stopping\n";
  if (const std::string note = parts.gate.note(); !note.empty()) text += note + "\n";
  if (const std::string told = parts.refusing ? parts.refusing() : std::string(); !told.empty()) text += told + "\n";
  answer(parts.gate.open ? Response::text(200, text) : with_retry(Response::text(503, text)));
}

void show_metrics(const HealthParts& parts, const Request&, const Responder& answer) {
  Response response = Response::text(200, parts.metrics.text());
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  answer(std::move(response));
}

Result<Response> settle(const AdminParts& parts, const Request&) {
  const MutexLock lock(parts.one_settle);
  const auto begin = std::chrono::steady_clock::now();
  VARVE_ASSIGN_OR_RETURN(const auto report, parts.samples.settle());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return Response::own_json(200, report_of(report, took.count()));
}

void trust_clock(const AdminParts& parts, const Request&, const Responder& answer) {
  parts.slots.trust_clock();
  answer(Response::text(200, "data expire by the clock as it is\n"));
}

}  // namespace varve::api
