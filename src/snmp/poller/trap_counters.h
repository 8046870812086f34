// SPDX-License-Identifier: Apache-2.0
// Internal to poller/: what came to the address of traps.
#pragma once

#include <optional>

#include "base/metrics.h"
#include "snmp/session/heard.h"

namespace varve::snmp::poller {

struct TrapCounters {
  explicit TrapCounters(Metrics& metrics)
      : cold_start(of(metrics, "coldStart")),
        link_down(of(metrics, "linkDown")),
        link_up(of(metrics, "linkUp")),
        other(of(metrics, "other")),
        discovery(of(metrics, "discovery")),
        untimely(of(metrics, "untimely")),
        unknown(of(metrics, "unknown")),
        bad(of(metrics, "bad")) {}

  static Counter& of(Metrics& metrics, const char* result) {
    return metrics.counter("varve_snmp_traps_total", "Datagrams that came to the address of traps, by what they were.",
                           {{"result", result}});
  }
  Counter& of(session::Trap trap) {
    switch (trap) {
      case session::Trap::cold_start: return cold_start;
      case session::Trap::link_down: return link_down;
      case session::Trap::link_up: return link_up;
      case session::Trap::other: break;
    }
    return other;
  }

  // What was no trap of anybody.
  Counter& of(std::optional<session::Refusal> why) {
    if (why == session::Refusal::unknown_engine) return discovery;
    return why == session::Refusal::not_in_time_window ? untimely : bad;
  }

  Counter &cold_start, &link_down, &link_up, &other, &discovery, &untimely, &unknown, &bad;
};

}  // namespace varve::snmp::poller
