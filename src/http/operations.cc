// SPDX-License-Identifier: Apache-2.0
#include "http/operations.h"

#include <chrono>
#include <memory>
#include <mutex>

#include "http/answer.h"

namespace varve::http {
namespace {

std::string report_of(const storage::SettleReport& report, double seconds) {
  return "{\"slots_sealed\":" + std::to_string(report.slots_sealed) +
         ",\"chunks_written\":" + std::to_string(report.chunks_written) +
         ",\"samples\":" + std::to_string(report.samples) + ",\"bytes\":" + std::to_string(report.bytes) +
         ",\"seconds\":" + std::to_string(seconds) + "}\n";
}

void settle(storage::SampleStore& store, std::mutex& one, const Responder& answer) {
  const std::lock_guard lock(one);
  const auto begin = std::chrono::steady_clock::now();
  const auto report = store.settle();
  if (!report) return answer(error_response(report.error()));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  answer(Response::json(200, report_of(*report, took.count())));
}

}  // namespace

void add_health(Router& router, const Gate& gate, const Metrics& metrics) {
  router.add(
      Method::get, "/-/healthy",
      [](const Request&, const Responder& answer) { answer(Response::text(200, "healthy\n")); }, Effect::administers);
  router.add(
      Method::get, "/-/ready",
      [&gate](const Request&, const Responder& answer) {
        answer(gate.open ? Response::text(200, "ready\n") : with_retry(Response::text(503, "starting or stopping\n")));
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
  const auto one = std::make_shared<std::mutex>();  // the store settles once at a time
  router.add(
      Method::post, "/-/settle",
      [&store, &pool, one](const Request&, const Responder& answer) {
        if (!pool.post([&store, one, answer] { settle(store, *one, answer); })) {
          answer(error_response(503, "too many wait to settle"));
        }
      },
      Effect::administers);
}

}  // namespace varve::http
