// SPDX-License-Identifier: Apache-2.0
// A keyspace of before version 8 does not say what lengths the hash prefixes of its hot rows have
// (tables/prefix_lengths.h): any. So each slot that has hot rows gets the rows of all lengths.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "driver/cassandra.h"
#include "engine/cassandra/tables/schema.h"

namespace varve::engine::cassandra {

// Once the tables stand, and nobody writes hot rows without saying so any more. Again is the same. Errors: those of the
// driver.
Status list_prefix_lengths(const driver::Session& session, const SchemaOptions& options, const Clock& clock);

}  // namespace varve::engine::cassandra
