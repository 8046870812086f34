// SPDX-License-Identifier: Apache-2.0
// What must happen at once in Redis, in Lua. Numbers go through Lua as doubles: exact below 2^53, and written as
// %.0f, since Lua itself would write 1.6e+15.
#pragma once

#include "driver/redis.h"

namespace varve::tracker::redis {

// The tracker's. Touches come in groups of one partition, tenant and slot.
const driver::Script& touch_script();     // KEYS generation (pending|p slots|tenant)…   ARGV (slot ready count entry…)…
const driver::Script& complete_script();  // KEYS pending|p slots|tenant failed   ARGV entry generation slot field
const driver::Script& fail_script();      // KEYS pending|p failed generation [slots|tenant]
                                          // ARGV entry field now backoff backoff_max [failures slot]

// The job board's; the first arguments are always now and the length of a lease, both in ms; now is '' for the server's
// time.
const driver::Script& look_script();     // KEYS replicas job…         ARGV . . replica or ''
const driver::Script& take_script();     // KEYS job tokens            ARGV . . replica token next
const driver::Script& renew_script();    // KEYS replicas job job…     ARGV . . token
const driver::Script& held_script();     // KEYS job                   ARGV . . token
const driver::Script& move_script();     // KEYS job                   ARGV . . token from to
const driver::Script& release_script();  // KEYS job                   ARGV . . token

}  // namespace varve::tracker::redis
