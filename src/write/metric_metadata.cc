// SPDX-License-Identifier: Apache-2.0
#include "write/metric_metadata.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "protocol/json/text.h"

namespace varve::write {
namespace {

// The service of each tenant's texts; the service key is the metric, the key its content, so that all is read with the
// names, and replicas that store the same do not disturb each other. The text is the time, in ms, when it was stored.
constexpr const char* kMetadataService = "_metric_metadata";
constexpr std::string_view kTypeLetters = "ucghGsiS";
constexpr char kUnitEnd = '\x1f';
constexpr std::size_t kFingerprintsMax = 50'000;  // of each of the two sets

std::string_view cut_to_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end != 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

// g unit 1f help: what a key can hold.
std::string content_of(const model::MetricMetadata& one) {
  const auto type = static_cast<std::size_t>(one.type);
  std::string out(1, type < kTypeLetters.size() ? kTypeLetters[type] : kTypeLetters[0]);
  const bool is_unit = one.unit.size() <= kUnitBytesMax && one.unit.find('\0') == std::string_view::npos &&
                       one.unit.find(kUnitEnd) == std::string_view::npos && protocol::json::is_utf8(one.unit);
  if (is_unit) out += one.unit;
  out += kUnitEnd;
  if (!protocol::json::is_utf8(one.help)) return out;
  return out.append(cut_to_characters(one.help.substr(0, one.help.find('\0')), kHelpBytesMax));
}

std::optional<KeptMetadata> read_content(std::string_view content) {
  const std::size_t unit_end = content.find(kUnitEnd);
  const std::size_t type = content.empty() ? std::string_view::npos : kTypeLetters.find(content.front());
  if (type == std::string_view::npos || unit_end == std::string_view::npos) return std::nullopt;
  return KeptMetadata{static_cast<model::MetricType>(type), std::string(content.substr(unit_end + 1)),
                      std::string(content.substr(1, unit_end - 1))};
}

bool is_metric_name(std::string_view name) {
  return !name.empty() && name.size() <= storage::kTextNameBytesMax && name.find('\0') == std::string_view::npos &&
         protocol::json::is_utf8(name);
}

}  // namespace

void NewMetadata::take(const model::MetricMetadata& one, const NameOf& name_of, char variant) {
  constexpr char kNul = '\0';
  fingerprinted_.assign(tenant_) += kNul;
  fingerprinted_.append(one.metric) += kNul;
  fingerprinted_.append(one.unit.substr(0, kUnitBytesMax + 1)) += kNul;
  fingerprinted_ += static_cast<char>(one.type);
  fingerprinted_ += variant;
  // As much as is kept: who sends long texts pays no more for each.
  fingerprinted_.append(one.help.substr(0, kHelpBytesMax + 1));
  const codec::Hash128 fingerprint = codec::hash128(fingerprinted_);
  if (store_.knows(fingerprint) || found_.size() >= MetricMetadataStore::kWaitingMax) return;
  std::string metric(one.metric);
  if (name_of) {
    auto name = name_of();
    if (!name) return;  // its samples are refused, which says why
    metric = std::move(*name);
  }
  if (is_metric_name(metric)) found_.push_back({fingerprint, std::move(metric), content_of(one)});
}

bool MetricMetadataStore::knows(const codec::Hash128& fingerprint) const {
  const MutexLock lock(mutex_);
  return newer_.contains(fingerprint) || older_.contains(fingerprint);
}

void MetricMetadataStore::keep(NewMetadata news) {
  const MutexLock lock(mutex_);
  for (auto& found : news.found_) {
    if (waiting_count_ >= kWaitingMax) return;
    if (older_.contains(found.fingerprint)) continue;
    if (newer_.size() >= kFingerprintsMax) older_ = std::exchange(newer_, {});
    if (!newer_.insert(found.fingerprint).second) continue;
    waiting_[news.tenant_].push_back(std::move(found));
    ++waiting_count_;
  }
}

Status MetricMetadataStore::flush(const storage::GoOn& go_on) {
  for (;;) {
    if (go_on) VARVE_RETURN_IF_ERROR(go_on());
    VARVE_ASSIGN_OR_RETURN(const bool stored, store_one(""));
    if (!stored) return {};
  }
}

Result<bool> MetricMetadataStore::store_one(const std::string& of_tenant) {
  const MutexLock turn(flushing_);
  std::string tenant = of_tenant;
  const auto found = next(tenant);
  if (!found) return false;
  const auto stored = store(tenant, *found);
  if (stored && *stored) return true;
  const MutexLock lock(mutex_);
  newer_.erase(found->fingerprint);
  older_.erase(found->fingerprint);
  if (!stored) return fail(stored.error());
  return true;
}

std::optional<NewMetadata::Found> MetricMetadataStore::next(std::string& tenant) {
  const MutexLock lock(mutex_);
  const auto queue = tenant.empty() ? waiting_.begin() : waiting_.find(tenant);
  if (queue == waiting_.end()) return std::nullopt;
  tenant = queue->first;
  Found out = std::move(queue->second.front());
  queue->second.pop_front();
  if (queue->second.empty()) waiting_.erase(queue);
  --waiting_count_;
  return out;
}

// False: the tenant has no samples.
Result<bool> MetricMetadataStore::store(const std::string& tenant, const Found& found) {
  VARVE_ASSIGN_OR_RETURN(const auto known, series_.find_tenant(tenant));
  if (!known) return false;
  VARVE_RETURN_IF_ERROR(put(tenant, found));
  return true;
}

Status MetricMetadataStore::put(const std::string& tenant, const Found& found) {
  VARVE_ASSIGN_OR_RETURN(const auto contents, texts_.text_keys(tenant, kMetadataService, found.metric, ""));
  if (std::ranges::find(contents, found.content) != contents.end()) return {};
  VARVE_ASSIGN_OR_RETURN(std::size_t* const metrics, metrics_of(tenant));
  if (contents.empty() && *metrics >= kMetadataMetricsMax) return {};
  if (contents.size() >= kMetadataOfMetricMax) VARVE_RETURN_IF_ERROR(drop_oldest(tenant, found, contents));
  VARVE_RETURN_IF_ERROR(
      texts_.put_text({tenant, kMetadataService, found.metric, found.content}, std::to_string(clock_.now_ms())));
  if (contents.empty()) ++*metrics;
  return {};
}

// Counted once, and not what other replicas add: the bound is one of each process.
Result<std::size_t*> MetricMetadataStore::metrics_of(const std::string& tenant) {
  const auto known = metrics_.find(tenant);
  if (known != metrics_.end()) return &known->second;
  VARVE_ASSIGN_OR_RETURN(const auto names, texts_.text_names(tenant, kMetadataService));
  std::size_t count = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == 0 || names[i].service_key != names[i - 1].service_key) ++count;
  }
  return &metrics_.emplace(tenant, count).first->second;
}

Status MetricMetadataStore::drop_oldest(const std::string& tenant, const Found& found,
                                        const std::vector<std::string>& contents) {
  storage::TextName oldest;
  std::int64_t oldest_ms = std::numeric_limits<std::int64_t>::max();
  for (const std::string& content : contents) {
    const storage::TextName name{tenant, kMetadataService, found.metric, content};
    VARVE_ASSIGN_OR_RETURN(const std::int64_t ms, stored_ms(name));
    if (ms >= oldest_ms) continue;
    oldest = name;
    oldest_ms = ms;
  }
  return texts_.erase_text(oldest);
}

Result<std::int64_t> MetricMetadataStore::stored_ms(const storage::TextName& name) const {
  VARVE_ASSIGN_OR_RETURN(const auto text, texts_.text(name));
  std::int64_t ms = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), ms);
  return ms;
}

Result<MetadataOfMetrics> MetricMetadataStore::of(const std::string& tenant, const std::string& metric,
                                                  const storage::GoOn& go_on) {
  for (bool stored = true; stored && !tenant.empty();) {
    if (go_on) VARVE_RETURN_IF_ERROR(go_on());
    VARVE_ASSIGN_OR_RETURN(stored, store_one(tenant));
  }
  std::map<std::string, std::vector<std::string>> contents;
  if (metric.empty()) {
    VARVE_ASSIGN_OR_RETURN(const auto names, texts_.text_names(tenant, kMetadataService));
    for (const auto& name : names) contents[name.service_key].push_back(name.key);
  } else if (is_metric_name(metric)) {
    VARVE_ASSIGN_OR_RETURN(contents[metric], texts_.text_keys(tenant, kMetadataService, metric, ""));
  }
  MetadataOfMetrics out;
  for (const auto& [name, keys] : contents) {
    std::vector<std::pair<std::int64_t, KeptMetadata>> found;
    for (const std::string& key : keys) {
      std::int64_t ms = 0;
      if (keys.size() > 1) {
        VARVE_ASSIGN_OR_RETURN(ms, stored_ms({tenant, kMetadataService, name, key}));
      }
      if (auto read = read_content(key)) found.emplace_back(ms, std::move(*read));
    }
    std::ranges::sort(found, std::greater<>(), &std::pair<std::int64_t, KeptMetadata>::first);
    for (auto& [ms, one] : found) out[name].push_back(std::move(one));
  }
  return out;
}

}  // namespace varve::write
