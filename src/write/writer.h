// SPDX-License-Identifier: Apache-2.0
// The way in, the same for every protocol: a request opens an Ingest, parses its body with it, and commits.
//
//   auto ingest = writer.open(tenant, write::Family::influx);            // error: invalid tenant
//   parse(body, (*ingest)->groups(), (*ingest)->batch(), …);             // protocol/: bytes → rows
//   writer.commit(std::move(*ingest), [responder](Status s) { … });      // durable and visible when called
//
// Thread-safe; an Ingest belongs to one thread at a time, and the Writer outlives all Ingests and pending commits.
// Batches are recycled with their memory.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "model/line_group.h"
#include "model/row.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"

namespace varve::write {

// Equal raw bytes name different series in different protocols.
enum class Family : std::uint8_t { influx, remote_write, kairosdb, opentsdb, telnet };

class Ingest {
 public:
  virtual ~Ingest() = default;
  [[nodiscard]] virtual model::GroupSource& groups() = 0;
  [[nodiscard]] virtual model::RowBatch& batch() = 0;
  // commit()'s: the tenant and the groups of the batch are in the store afterwards. Errors: as commit().
  virtual Status settle() = 0;
};

inline constexpr std::int64_t kForEverMs = std::numeric_limits<std::int64_t>::max();

struct Options {
  model::TagLimits tag_limits = {};
  // Counts here if set: varve_samples_accepted_total, varve_samples_rejected_total{reason}. Outlives the Writer.
  Metrics* metrics = nullptr;
  // For the raw names of line groups, over all tenants. Groups past it are known by hash: a little slower to guess.
  std::size_t name_bytes_max = std::size_t{24} << 20;
  // For the age of samples. No clock: none is old.
  const Clock* clock = nullptr;
  // Samples older than this are refused (RowBatch::kept_from()): nothing that is kept has room for them.
  std::int64_t kept_ms = kForEverMs;
  // How many tenants may have series (limits.tenants), and the one that does not count.
  std::size_t tenants_max = std::numeric_limits<std::size_t>::max();
  std::string uncounted_tenant = {};
};

class Writer {
 public:
  Writer(storage::SeriesStore& series, storage::SampleStore& samples, Options options);
  ~Writer();

  // A tenant comes to be with the first row for it. Errors: invalid (not a tenant name), conflict (the server's own).
  Result<std::unique_ptr<Ingest>> open(std::string_view tenant, Family family);

  // Makes the tenant at once, for a program that appends what it collects itself. Errors: limit, and what the store
  // says.
  Status make_tenant(std::string_view tenant);

  // May this tenant have series? Error: limit (limits.tenants), which commit() would say, too.
  [[nodiscard]] Status room_for(std::string_view tenant) const;
  // Looks again at which tenants the store has; what others made or what was deleted since counts from now on.
  // Blocking. Errors: what the store says.
  Status count_tenants();
  // Was a tenant refused since count_tenants()?
  [[nodiscard]] bool has_refused_tenants() const;

  // Appends the batch; counts what was accepted. `done` as in SampleStore::append; error limit also where the tenant
  // would be one too many. An empty batch is done at once.
  void commit(std::unique_ptr<Ingest> ingest, storage::SampleStore::AppendDone done);

  // Counts what a parser refused: lines, points or series, by the reason's code.
  void count_rejected(Code why, std::size_t count);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve::write
