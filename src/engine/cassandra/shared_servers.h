// SPDX-License-Identifier: Apache-2.0
// Shared servers: what all replicas of a cluster use together.
#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "engine/cassandra/hot/shared_trackers.h"
#include "engine/cassandra/tables/row_store.h"
#include "tracker/redis/member_names.h"
#include "tracker/redis/versions.h"

namespace varve::engine::cassandra {

// All but the trackers must outlive who is made of it.
struct SharedServers {
  const Tables& tables;
  RowStore& rows;
  RowStore& lease_rows;  // the same rows, by a way of their own: the lease must not wait behind what waits for it
  tracker::redis::Versions& versions;
  std::function<std::unique_ptr<SharedTrackers>(tracker::redis::MemberNames&)> make_trackers;
  const Clock& clock;  // the one that all replicas share
};

}  // namespace varve::engine::cassandra
