// SPDX-License-Identifier: Apache-2.0
#include "syslog/service.h"

#include "base/log.h"

namespace varve::syslog {
namespace {

Counter& rejected(Metrics& metrics, std::string_view reason) {
  return metrics.counter("varve_messages_rejected_total", "Log messages refused, by protocol and reason.",
                         {{"protocol", "syslog"}, {"reason", reason}});
}

}  // namespace

Service::Service(ListenerOptions o, Sink s, const Clock& c, Metrics& metrics)
    : options(std::move(o)),
      sink(std::move(s)),
      clock(c),
      accepted(metrics.counter("varve_messages_accepted_total", "Log messages stored, by protocol.",
                               {{"protocol", "syslog"}})),
      not_stored(rejected(metrics, "store")),
      connections(metrics.counter("varve_syslog_connections_total", "Syslog connections accepted.")),
      refused(metrics.counter("varve_syslog_connections_refused_total", "Syslog connections over the limit.")),
      dropped(metrics.counter("varve_syslog_datagrams_dropped_total",
                              "Datagrams that the kernel dropped, as they came faster than they were stored.")) {
  for (const auto reason : protocol::syslog::kRefusalNames) rejected_.push_back(&rejected(metrics, reason));
  for (const auto reason : net::kTlsFailureNames) {
    handshakes_failed_.push_back(&metrics.counter("varve_syslog_handshakes_failed_total",
                                                  "Connections to the TLS address that came to nothing, by reason.",
                                                  {{"reason", reason}}));
  }
}

protocol::syslog::Context Service::context(std::string_view sender) const {
  return {.now_us = clock.now_ms() * 1000,
          .zone = options.zone,
          .sender = sender,
          .ahead_us_max = std::chrono::microseconds(options.future).count()};
}

void Service::count(protocol::syslog::Refusals& refusals) {
  for (std::size_t i = 0; i < rejected_.size(); ++i) {
    const std::uint64_t of = refusals.of(static_cast<protocol::syslog::Refusal>(i));
    if (of != 0) rejected_[i]->add(of);
  }
  refusals = {};
}

void Service::handshake_failed(net::TlsFailure why) { handshakes_failed_[static_cast<std::size_t>(why)]->add(); }

void Service::lost(std::size_t rows, const Error& error) {
  not_stored.add(rows);
  log::warn("syslog messages were lost", {{"messages", rows}, {"error", error.message}});
}

}  // namespace varve::syslog
