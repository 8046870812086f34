// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/leave_out.h"

#include <string>
#include <utility>

#include "base/log.h"
#include "engine/rocksdb/log/log_aside.h"

namespace varve::engine::rocksdb {
namespace {

// What a power cut set aside names groups by their ids: with storage.repair it may still come back.
bool is_due(const Options& options, const Directory& directory, const Catalog& catalog) {
  if (!aside_files(directory.wal()).empty()) return false;
  const ReaderLock lock(catalog.mutex);
  const std::size_t gone = catalog.index.forgotten_count();
  return gone >= options.gone_series_min && gone >= catalog.index.series_count();
}

}  // namespace

Status leave_out_what_is_gone(const Env& env, const Directory& directory, Catalog& catalog, Ingest& ingest,
                              Flush& flush, Tables& tables) {
  if (!is_due(env.options, directory, catalog)) return {};
  // The log names metrics and tags by their ids of before: it has to be empty.
  Status flushed = ingest.rotate(Ingest::When::now);
  if (flushed) flushed = flush.all();
  if (!flushed) {
    log::warn("series of which nothing is left stay in memory", {{"error", flushed.error().message}});
    return {};
  }
  std::string left;
  std::size_t gone = 0;
  {
    const ReaderLock lock(catalog.mutex);
    gone = catalog.index.forgotten_count();
    catalog.index.dump_what_is_left(left);
  }
  index::SeriesIndex other;
  VARVE_RETURN_IF_ERROR(other.replay(std::as_bytes(std::span(left))));
  VARVE_ASSIGN_OR_RETURN(const bool done, tables.database().replace_definitions(ingest.sequence(), left));
  if (!done) return {};
  gone -= other.forgotten_count();
  catalog.replace_index(std::move(other));
  log::info("series of which nothing is left have left the index", {{"series", gone}});
  return {};
}

}  // namespace varve::engine::rocksdb
