// SPDX-License-Identifier: Apache-2.0
// SeriesIndex: tenants, series, their tags and line groups, in memory; finds series by matchers.
//
// It is rebuilt at start from *definition records* (docs/formats/definitions.md): each mutating call appends to the
// caller's string what it created, and replay() creates it again. The caller owns durability: it writes the records, in
// the order they were given, in front of the first row that uses them. What was appended must not be dropped, also not
// when a write failed: later records refer to it by number.
//
// Threads: const methods run in parallel with one another; mutating ones alone. The caller locks.
// Ids are dense, in order of first sight, over all tenants. A series may be dropped (forget()): it is then neither
// counted nor listed, until it is revived or defined again. Nothing is ever removed or moved: the string views and
// spans returned here stay readable without the lock, until the caller exchanges the index for one without what is
// gone (dump_what_is_left()); who wants them for longer keeps pin(). Ids are the same in both. Precondition: ids given
// to a method are this index's own (less than the matching count). What has been left out has no names, no groups and
// no tenant (model::kNoTenant), and passes for forgotten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/counted_from.h"
#include "index/group_names.h"
#include "index/matcher.h"
#include "index/name_page.h"
#include "index/skipped_series.h"
#include "index/tag_count.h"
#include "index/tag_set_spans.h"
#include "index/turns.h"
#include "model/ids.h"
#include "model/tags.h"

namespace varve::index {

// One occurrence of a series: column `column` of the rows of `group`.
struct Place {
  model::GroupId group;
  std::uint16_t column;
  std::uint32_t ttl_s = 0;  // of the group
  bool operator==(const Place&) const = default;
};

class SeriesIndex {
 public:
  SeriesIndex();
  explicit SeriesIndex(const CountedFrom& counted_from);  // for tests: answers are the same
  ~SeriesIndex();
  SeriesIndex(SeriesIndex&&) noexcept;
  SeriesIndex& operator=(SeriesIndex&&) noexcept;

  // --- tenants; names are model::is_tenant_name
  // Finds or creates; appends the record of a new one to `definitions`.
  model::TenantId tenant(std::string_view name, std::string& definitions);
  [[nodiscard]] std::optional<model::TenantId> find_tenant(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> tenants() const;  // sorted
  [[nodiscard]] std::size_t tenant_count() const;
  [[nodiscard]] std::string_view tenant_name(model::TenantId tenant) const;

  // --- definition
  // The group of the series (metrics[i], tags), in this order; finds or creates series and group, and appends records
  // of new ones to `definitions`. `tags` must be normalized. Groups are equal if their lists of series and their TTLs
  // are (in seconds from the samples' timestamps; 0: none). A metric that is listed twice has two columns of one
  // series. A dropped series is revived; it counts as new towards the limit. Errors, after which nothing was created:
  // limit (the tenant would have more than `series_max` series, see set_quiet(), or the index is full), invalid (no
  // metrics or more than 16384, an empty metric, a name or value over 65535 bytes).
  Result<model::GroupId> define_group(model::TenantId tenant, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::size_t series_max,
                                      std::string& definitions, std::uint32_t ttl_s = 0);

  // Applies records; those applied before are compared and skipped, so overlapping logs may be replayed one after the
  // other. Foreign bytes are safe. Errors: corrupt, unsupported (a newer version), naming the offset in `definitions`;
  // all records in front of that offset have been applied.
  Status replay(std::span<const std::byte> definitions);

  // Appends records of the whole index; replayed into an empty index they give an equal one.
  void dump(std::string& out) const;
  // The same without forgotten series, but for those in a group that has a TTL or another series that is not, and
  // without the names that only those have: of them no more is known than that their ids were used. `left_out`:
  // records that leave the same out of an index that has it. With `turns` others may change the index in between: see
  // catch_up(). Error: what the turns said.
  Status dump_what_is_left(std::string& out, std::string& left_out, Turns* turns = nullptr) const;
  // The same of groups that the caller wants to keep, by their number, with the series in them; later ones are not in
  // it.
  Status dump_groups(const std::vector<bool>& kept, std::string& out, Turns* turns = nullptr) const;
  // For an index made of one of these: applies all records since the dump began. Error: also where something
  // that was left out is needed again; then this index is of no use.
  Status catch_up(std::span<const std::byte> definitions);
  // Exchanges all but what belongs to one process.
  void exchange(SeriesIndex& other);
  // Keeps what views and spans point to.
  [[nodiscard]] std::shared_ptr<const void> pin() const { return tables_; }

  // --- forgetting; both append records of what they changed to `definitions`
  void forget(std::span<const model::SeriesId> series, std::string& definitions);
  void revive(model::GroupId group, std::string& definitions);  // all series of the group
  // Error: limit (the tenant has no room for the dropped series of the group).
  [[nodiscard]] Status may_revive(model::GroupId group, std::size_t series_max) const;
  [[nodiscard]] bool is_forgotten(model::SeriesId series) const;
  // Of which more is known than that their ids were used (dump_what_is_left()).
  [[nodiscard]] std::size_t forgotten_count() const;
  // Those that a dump_what_is_left() would free the memory of: forgotten ones, and those that replayed records have
  // left out of an index that had them.
  [[nodiscard]] std::size_t gone_count() const;

  // --- limits
  // So many series of the tenant got no sample for long: the limit of a tenant counts the others. But it may have ten
  // times as many in all, so that what nobody writes any more cannot fill the memory.
  void set_quiet(model::TenantId tenant, std::size_t series);

  // --- groups
  [[nodiscard]] std::size_t group_count() const;
  [[nodiscard]] std::span<const model::SeriesId> group_series(model::GroupId group) const;  // one a column
  [[nodiscard]] model::TenantId group_tenant(model::GroupId group) const;
  [[nodiscard]] std::uint32_t group_ttl_s(model::GroupId group) const;  // 0: none
  // The arguments of define_group().
  [[nodiscard]] GroupNames group_names(model::GroupId group) const;
  [[nodiscard]] bool has_mortal_groups() const;
  // Groups that have a TTL, ascending: how many there are, and the n-th.
  [[nodiscard]] std::size_t mortal_group_count() const;
  [[nodiscard]] model::GroupId mortal_group(std::size_t n) const;
  // The groups that contain the series, ascending, into `out` (cleared first).
  void groups(model::SeriesId series, std::vector<model::GroupId>& out) const;
  // Every occurrence of the series, into `out` (cleared first), latest group first.
  void places(model::SeriesId series, std::vector<Place>& out) const;

  // --- series
  [[nodiscard]] std::size_t series_count() const;  // over all tenants
  [[nodiscard]] std::size_t series_end() const;    // ids are 0 … series_end() − 1, forgotten ones among them
  [[nodiscard]] std::size_t series_count(model::TenantId tenant) const;
  [[nodiscard]] model::TenantId series_tenant(model::SeriesId series) const;
  [[nodiscard]] std::string_view metric(model::SeriesId series) const;
  [[nodiscard]] model::Tags tags(model::SeriesId series) const;   // sorted by key
  void tags(model::SeriesId series, model::TagViews& out) const;  // the same without copies; cleared first

  // --- metrics, which have dense numbers over all tenants
  [[nodiscard]] std::size_t metric_end() const;  // numbers are 0 … metric_end() − 1
  [[nodiscard]] std::optional<std::uint32_t> find_metric(model::TenantId tenant, std::string_view name) const;
  [[nodiscard]] std::uint32_t metric_number(model::SeriesId series) const;
  [[nodiscard]] std::size_t metric_series_count(std::uint32_t metric) const;  // without forgotten ones

  // --- tags, which have numbers over all tenants
  [[nodiscard]] std::optional<std::uint32_t> find_tag(model::TenantId tenant, std::string_view key,
                                                      std::string_view value) const;
  void tag_numbers(model::SeriesId series, std::vector<std::uint32_t>& out) const;  // cleared first; in order of keys
  // Where the two spans do not overlap, none of the page's series, or of the groups' series, has the tag. Of a tag by
  // its number; of the page's ids from page · TagSetSpans::kOfPage on.
  [[nodiscard]] TagSetSpan span_of_tag(std::uint32_t tag) const;
  [[nodiscard]] TagSetSpan span_of_series(std::uint32_t page) const;
  [[nodiscard]] TagSetSpan span_of_groups(std::uint32_t page) const;

  // --- queries
  // Series of the metric that match all matchers, ascending, without the skipped ones where there are many. Unknown
  // metric: empty. With `turns` others come to the index in between, and `skipped` is called without the lock. Errors:
  // invalid (a bad regex, or an empty list of values in a matcher of kind prefix, regex, not_regex), limit (a value is
  // too long for the size of a regex), what the turns said.
  [[nodiscard]] Result<std::vector<model::SeriesId>> select(model::TenantId tenant, std::string_view metric,
                                                            const Matchers& matchers,
                                                            const FindSkipped& skipped = nullptr,
                                                            Turns* turns = nullptr) const;
  // Sorted; a page costs as the names in it, not as all of them.
  [[nodiscard]] std::vector<std::string> metric_names(model::TenantId tenant, const NamePage& page) const;
  // Likewise, over all series of the metric; empty metric: of the tenant.
  [[nodiscard]] std::vector<std::string> tag_keys(model::TenantId tenant, std::string_view metric,
                                                  const NamePage& page) const;
  [[nodiscard]] std::vector<std::string> tag_values(model::TenantId tenant, std::string_view metric,
                                                    std::string_view key, const NamePage& page) const;

  // How many series of the metric have each of its tags, by key and value; empty metric: of the tenant.
  [[nodiscard]] std::vector<TagCount> tag_counts(model::TenantId tenant, std::string_view metric,
                                                 const TagPage& page) const;
  // The same tags, with the series of the metric.
  [[nodiscard]] std::vector<TaggedSeries> tagged_series(model::TenantId tenant, std::string_view metric,
                                                        const TagPage& page) const;

  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Tables;
  static void create_series(Tables& t, std::uint32_t tenant, std::uint32_t tag_set, std::string& definitions);

  static Status replay_into(Tables& tables, std::span<const std::byte> definitions, bool revives_all);

  std::shared_ptr<Tables> tables_;
};

}  // namespace varve::index
