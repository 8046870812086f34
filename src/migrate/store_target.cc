// SPDX-License-Identifier: Apache-2.0
#include "migrate/store_target.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/check.h"
#include "base/wait.h"
#include "index/matcher.h"
#include "migrate/retry.h"
#include "model/kept_group.h"

namespace varve::migrate {
namespace {

constexpr std::size_t kBatchRows = 20'000;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
constexpr std::size_t kSeriesAtOnce = 4096;

// The bytes that name a series inside this process.
std::string name_of(std::string_view metric, const model::Tags& tags) {
  std::string name;
  const auto part = [&](std::string_view text) {
    name.append(std::to_string(text.size())).append(1, ':').append(text);
  };
  part(metric);
  for (const auto& [key, value] : tags) part(key), part(value);
  return name;
}

class StoreSink final : public Sink {
 public:
  StoreSink(write::Writer& writer, storage::SampleStore& samples, const std::string& tenant,
            const std::atomic<bool>& stopping)
      : writer_(writer), samples_(samples), tenant_(tenant), stopping_(stopping) {}

  Status begin(const SourceSeries& series) override {
    group_.reset();
    VARVE_ASSIGN_OR_RETURN(write::Ingest* const open, ingest());
    const std::string name = name_of(series.metric, series.tags);
    const model::KeptGroup* group = open->groups().find(name, "");
    if (group == nullptr) {
      auto views = model::to_views(series.tags);
      VARVE_RETURN_IF_ERROR(model::normalize(views));
      VARVE_ASSIGN_OR_RETURN(group, open->groups().define(name, "", views, std::array{series.metric}));
    }
    group_ = *group;
    return {};
  }

  Result<model::Timestamp> kept_from() override {
    VARVE_ASSIGN_OR_RETURN(write::Ingest* const open, ingest());
    return open->batch().kept_from();
  }

  Status add(model::Timestamp time, const model::Value& value) override {
    check(group_.has_value(), "a sample of a series that was taken");
    VARVE_ASSIGN_OR_RETURN(write::Ingest* const open, ingest());
    open->batch().add(*group_, time, value);
    return open->batch().rows() >= kBatchRows || open->batch().bytes().size() >= kBatchBytes ? flush() : Status();
  }

  Status flush() override {
    if (!ingest_ || ingest_->batch().empty()) return {};
    const Status status = retried(stopping_, [&] { return append(); });
    ingest_.reset();
    return status;
  }

 private:
  Status append() {
    return wait_for([&](const storage::SampleStore::AppendDone& done) { samples_.append(ingest_->batch(), done); });
  }

  Result<write::Ingest*> ingest() {
    if (!ingest_) {
      // Groups are used after the batch in which they were defined has gone, so their numbers must be the store's.
      VARVE_RETURN_IF_ERROR(writer_.make_tenant(tenant_));
      VARVE_ASSIGN_OR_RETURN(ingest_, writer_.open(tenant_, write::Family::kairosdb));
    }
    return ingest_.get();
  }

  write::Writer& writer_;
  storage::SampleStore& samples_;
  const std::string& tenant_;
  const std::atomic<bool>& stopping_;
  std::unique_ptr<write::Ingest> ingest_;
  std::optional<model::KeptGroup> group_;  // nullopt: its series was not taken
};

class Counter final : public storage::PieceSink {
 public:
  bool takes_stats(const storage::ChunkStats&) override { return true; }
  void stats(const storage::ChunkStats& stats) override { count_ += stats.count; }
  Status piece(const storage::Piece& piece) override {
    count_ += piece.size();
    return {};
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace

std::unique_ptr<Sink> StoreTarget::sink(const std::atomic<bool>& stopping, const Refused&) {
  return std::make_unique<StoreSink>(writer_, samples_, tenant_, stopping);
}

Result<std::uint64_t> StoreTarget::held(std::string_view metric, model::TimeRange range,
                                        const std::atomic<bool>& stopping) {
  VARVE_ASSIGN_OR_RETURN(const model::TenantId tenant, series_.tenant(tenant_));
  VARVE_ASSIGN_OR_RETURN(const auto series, series_.select(tenant, metric, index::Matchers()));
  Counter counter;
  storage::ScanOptions options;
  options.range = range;
  options.cancelled = &stopping;
  options.windows = false;
  for (std::size_t i = 0; i < series.size(); i += kSeriesAtOnce) {
    const auto some = std::span(series).subspan(i, std::min(kSeriesAtOnce, series.size() - i));
    VARVE_RETURN_IF_ERROR(samples_.scan(tenant, some, options, counter));
  }
  return counter.count();
}

}  // namespace varve::migrate
