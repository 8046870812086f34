// SPDX-License-Identifier: Apache-2.0
// MetricMetadataStore: what senders say of metrics, kept per tenant in the store of texts. What has been taken before
// costs a hash and a look into a set. Losing some is no harm: senders repeat all of it.
//
//   write::NewMetadata news(store, tenant);
//   parse(body, …, [&](const model::MetricMetadata& one) { news.take(one); });
//   writer.commit(…, [&store, news = std::move(news)](…) mutable { store.keep(std::move(news)); });
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "codec/hash.h"
#include "model/metric_metadata.h"
#include "storage/go_on.h"
#include "storage/series_store.h"
#include "storage/text_store.h"

namespace varve::write {

inline constexpr std::size_t kMetadataMetricsMax = 10'000;  // of a tenant; of further metrics nothing is kept
inline constexpr std::size_t kMetadataOfMetricMax = 4;      // that differ; a further one replaces the oldest
inline constexpr std::size_t kHelpBytesMax = 400;           // a longer text is cut
inline constexpr std::size_t kUnitBytesMax = 63;            // a longer one is left out

struct KeptMetadata {
  model::MetricType type = model::MetricType::unknown;
  std::string help, unit;
  bool operator==(const KeptMetadata&) const = default;
};
// By metric; of several of one metric the newest comes first.
using MetadataOfMetrics = std::map<std::string, std::vector<KeptMetadata>, std::less<>>;

class MetricMetadataStore;

// What one request says that is not known yet.
class NewMetadata {
 public:
  NewMetadata(const MetricMetadataStore& store, std::string_view tenant) : store_(store), tenant_(tenant) {}

  // `name_of`: the name that the metric is stored under, where that is not the one that is said; asked if this is new.
  // `variant` tells apart those of one name for which it answers differently.
  using NameOf = std::function<Result<std::string>()>;
  void take(const model::MetricMetadata& one, const NameOf& name_of = nullptr, char variant = 0);
  [[nodiscard]] bool empty() const { return found_.empty(); }

 private:
  friend class MetricMetadataStore;
  struct Found {
    codec::Hash128 fingerprint;
    std::string metric, content;
  };

  const MetricMetadataStore& store_;
  std::string tenant_;
  std::string fingerprinted_;
  std::vector<Found> found_;
};

// Thread-safe.
class MetricMetadataStore {
 public:
  MetricMetadataStore(storage::TextStore& texts, const storage::SeriesStore& series, const Clock& clock)
      : texts_(texts), series_(series), clock_(clock) {}

  // To be stored by the next flush(). Does not block. More than `kWaitingMax` that wait are left out.
  static constexpr std::size_t kWaitingMax = 20'000;
  void keep(NewMetadata news);
  // Stores what waits, of tenants that have samples: of others it is forgotten, and comes again. Blocking. Error: the
  // first one of the store, or of `go_on`, which is asked before each; then the rest waits on.
  Status flush(const storage::GoOn& go_on = {});

  // With all that was kept of the tenant before. `metric` "": of all. Blocking. Errors: as above.
  Result<MetadataOfMetrics> of(const std::string& tenant, const std::string& metric, const storage::GoOn& go_on = {});

 private:
  friend class NewMetadata;
  using Found = NewMetadata::Found;
  struct HashOf {
    std::size_t operator()(const codec::Hash128& hash) const { return hash.low; }
  };
  using Fingerprints = std::unordered_set<codec::Hash128, HashOf>;

  [[nodiscard]] bool knows(const codec::Hash128& fingerprint) const;
  // False: nothing waits, of this tenant or, where it is "", of any.
  Result<bool> store_one(const std::string& of_tenant) VARVE_EXCLUDES(flushing_, mutex_);
  std::optional<Found> next(std::string& tenant) VARVE_EXCLUDES(mutex_);
  Result<bool> store(const std::string& tenant, const Found& found) VARVE_REQUIRES(flushing_);
  Status put(const std::string& tenant, const Found& found) VARVE_REQUIRES(flushing_);
  Result<std::size_t*> metrics_of(const std::string& tenant) VARVE_REQUIRES(flushing_);
  Status drop_oldest(const std::string& tenant, const Found& found, const std::vector<std::string>& contents);
  [[nodiscard]] Result<std::int64_t> stored_ms(const storage::TextName& name) const;

  storage::TextStore& texts_;
  const storage::SeriesStore& series_;
  const Clock& clock_;

  Mutex flushing_;                                                          // held while one is stored
  std::map<std::string, std::size_t> metrics_ VARVE_GUARDED_BY(flushing_);  // how many a tenant has

  mutable Mutex mutex_;
  std::map<std::string, std::deque<Found>> waiting_ VARVE_GUARDED_BY(mutex_);  // by tenant; none is empty
  std::size_t waiting_count_ VARVE_GUARDED_BY(mutex_) = 0;
  // Of what has been taken; the older half goes when there are too many.
  Fingerprints newer_ VARVE_GUARDED_BY(mutex_);
  Fingerprints older_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::write
