// SPDX-License-Identifier: Apache-2.0
// Ingestion, the same for every protocol: a request opens an Ingest, parses its body with it, and commits.
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
#include "write/kept_of.h"

namespace varve::write {

// Equal raw bytes name different series in different protocols.
enum class Family : std::uint8_t {
  influx,
  remote_write,
  kairosdb,
  opentsdb,
  telnet,
  snmp,
  otlp,
  end
};  // end: how many there are

class Ingest {
 public:
  Ingest(std::string_view tenant, Family family) : tenant_(tenant), family_(family) {}
  virtual ~Ingest() = default;
  [[nodiscard]] const std::string& tenant() const { return tenant_; }
  [[nodiscard]] Family family() const { return family_; }
  [[nodiscard]] virtual model::GroupSource& groups() = 0;
  [[nodiscard]] virtual model::RowBatch& batch() = 0;
  // For commit(): afterwards the tenant and the groups of the batch are in the store. Errors: as commit().
  virtual Status settle() = 0;

 private:
  const std::string tenant_;
  const Family family_;
};

inline constexpr std::int64_t kForEverMs = std::numeric_limits<std::int64_t>::max();

class Refusals;
class TenantFigures;

struct Options {
  model::TagLimits tag_limits = {};
  // If set, counts varve_samples_accepted_total, varve_samples_rejected_total{reason} and varve_samples_of_1970_total
  // there. Outlives the Writer.
  Metrics* metrics = nullptr;
  // Memory for the raw names of line groups, over all tenants. Groups beyond it are known by hash only, which is a
  // little slower.
  std::size_t name_bytes_max = std::size_t{24} << 20;
  // Used for the age of samples. Without a clock no sample is too old, or looks like one in seconds.
  const Clock* clock = nullptr;
  // Samples older than this are refused (RowBatch::kept_from()): they are beyond every retention.
  std::int64_t kept_ms = kForEverMs;
  // Line groups of which less is kept: how long, and which of these counts for a group, from 1 on (0: kept_ms).
  struct Shorter {
    std::vector<std::int64_t> kept_ms = {};
    KeptOf of = nullptr;
  } shorter = {};
  // How many tenants may have series or messages (limits.tenants), and the tenant that is not counted.
  std::size_t tenants_max = std::numeric_limits<std::size_t>::max();
  std::string uncounted_tenant = {};
  // Asked of tenants without series; not set: nobody has messages. On error they are taken to have some.
  std::function<bool(std::string_view tenant)> has_messages = nullptr;
  // Told of every batch that is appended, if set. They outlive the Writer.
  Refusals* refusals = nullptr;
  TenantFigures* figures = nullptr;
};

class Writer {
 public:
  Writer(storage::SeriesStore& series, storage::SampleStore& samples, Options options);
  ~Writer();

  // A tenant is created by its first row. Errors: invalid (not a tenant name), conflict (the server's own).
  Result<std::unique_ptr<Ingest>> open(std::string_view tenant, Family family);

  // Creates the tenant at once, for a program that appends its own samples. Errors: limit, and those of the store.
  Status make_tenant(std::string_view tenant);

  // May this tenant have series? Error: limit (limits.tenants), as commit() would return.
  [[nodiscard]] Status room_for(std::string_view tenant) const;
  // Reads the store's tenants again, to count those that others created or that were deleted. Blocking. Errors: those
  // of the store.
  Status count_tenants();
  // Has a tenant been refused since count_tenants()?
  [[nodiscard]] bool has_refused_tenants() const;

  // Appends the batch; counts what was accepted. `done` as in SampleStore::append; the error limit also means that the
  // tenant would exceed limits.tenants. An empty batch completes at once.
  void commit(std::unique_ptr<Ingest> ingest, storage::SampleStore::AppendDone done);

  // Gives back the memory for the names of senders from whom nothing has come for a while: they are looked up in the
  // store when they come again. Needs Options::clock. To be called every few seconds.
  static constexpr std::int64_t kUnusedNs = 40'000'000'000;
  void forget_unused();
  // SeriesStore::group_generation(): who keeps numbers of groups that a request found asks anew when it has changed.
  [[nodiscard]] std::uint64_t group_generation() const;

  // Counts lines, points or series that a parser refused, by error code.
  void count_rejected(Code why, std::size_t count);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve::write
