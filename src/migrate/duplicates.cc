// SPDX-License-Identifier: Apache-2.0
#include "migrate/duplicates.h"

#include <algorithm>
#include <bit>
#include <list>

#include "base/bytes.h"
#include "base/parallel.h"
#include "migrate/progress.h"

namespace varve::migrate {
namespace {

// Goes through the good cells of one partition, in order of time.
class Cursor {
 public:
  Cursor(const Copying& shared, const DataKey& key, DataType type)
      : shared_(shared),
        row_time_ms_(key.row_time_ms),
        type_(type),
        pages_(shared.source.cells_of(key_with_type(key, type), shared.stopping)) {}

  // To the next; the first call to the first. at_end() says whether there was one.
  Status move() {
    for (;;) {
      if (page_ == nullptr || row_ == page_->count()) {
        row_ = 0;
        VARVE_ASSIGN_OR_RETURN(page_, pages_.next());
        if (page_ == nullptr) return {};
        continue;
      }
      const auto cells = page_->row(row_++);
      const auto time = column_time(shared_.source.spec(), row_time_ms_, cells[0].bytes());
      const auto value = decode_value(type_, cells[0].bytes(), cells[1].bytes(), shared_.strings, room_);
      if (!time || !value || cells[2].bytes().size() != 8) continue;
      time_ = *time;
      value_ = *value;
      written_ = std::bit_cast<std::int64_t>(load_be64(cells[2].bytes().data()));
      return {};
    }
  }
  [[nodiscard]] bool at_end() const { return page_ == nullptr; }
  [[nodiscard]] model::Timestamp time() const { return time_; }
  [[nodiscard]] const model::Value& value() const { return value_; }
  [[nodiscard]] std::int64_t written() const { return written_; }

 private:
  const Copying& shared_;
  const std::int64_t row_time_ms_;
  const DataType type_;
  Pages pages_;
  const driver::Rows* page_ = nullptr;
  std::size_t row_ = 0;
  model::Timestamp time_ = 0;
  model::Value value_;
  std::int64_t written_ = 0;
  std::string room_;
};

Result<bool> has_cells(const Copying& shared, const DataKey& key, DataType type) {
  Pages pages = shared.source.any_of(key_with_type(key, type), shared.stopping);
  for (;;) {
    VARVE_ASSIGN_OR_RETURN(const driver::Rows* const page, pages.next());
    if (page == nullptr || page->count() > 0) return page != nullptr;
  }
}

}  // namespace

Result<Duplicates::Found> Duplicates::resolve(TaskPool& pool, std::size_t threads) {
  {
    const MutexLock lock(mutex_);
    found_.clear();
  }
  VARVE_RETURN_IF_ERROR(in_parallel(pool, threads - 1, kRanges, [&](std::size_t i) { return range(i); }));
  const MutexLock lock(mutex_);
  return found_;
}

Status Duplicates::range(std::size_t number) {
  const Refused refused = [](const Refusal&) {};  // it was told when it was copied
  const auto sink = shared_.target.sink(shared_.stopping, refused);
  Pages pages = shared_.source.keys(number, shared_.stopping);
  for (;;) {
    VARVE_ASSIGN_OR_RETURN(const driver::Rows* const page, pages.next());
    if (page == nullptr) return sink->flush();
    for (std::size_t i = 0; i < page->count(); ++i) VARVE_RETURN_IF_ERROR(partition(page->row(i)[0].bytes(), *sink));
  }
}

// Each series and row time is looked at once: from its partition of the first type.
Status Duplicates::partition(std::string_view stored, Sink& sink) {
  const auto key = parse_key(stored);
  if (!key || key->type == DataType::other) return {};
  const auto metric = metrics_.find(key->metric);
  const auto tags = parse_tags(key->tags);
  if (metric == metrics_.end() || !tags) return {};
  if (key->type == DataType::legacy && !shared_.source.spec().legacy) return {};

  std::vector<DataType> types{key->type};
  for (const auto type : {DataType::legacy, DataType::long_, DataType::double_, DataType::string, DataType::complex,
                          DataType::histogram_v1, DataType::histogram_v2}) {
    if (type == key->type || (metric->second & 1U << static_cast<unsigned>(type)) == 0) continue;
    VARVE_ASSIGN_OR_RETURN(const bool is_there, has_cells(shared_, *key, type));
    if (is_there && type < key->type) return {};
    if (is_there) types.push_back(type);
  }
  if (types.size() == 1 && key->type != DataType::legacy) return {};
  if (!sink.begin({stored, key->metric, *tags})) return {};  // it was bad, and was told then

  std::list<Cursor> cursors;
  for (const auto type : types) VARVE_RETURN_IF_ERROR(cursors.emplace_back(shared_, *key, type).move());
  VARVE_ASSIGN_OR_RETURN(const model::Timestamp kept_from, sink.kept_from());
  std::uint64_t found = 0;
  for (;;) {
    std::erase_if(cursors, [](const Cursor& cursor) { return cursor.at_end(); });
    if (cursors.empty()) break;
    const model::Timestamp time = std::ranges::min_element(cursors, {}, &Cursor::time)->time();
    std::uint64_t copies = 0;
    std::int64_t written = 0;
    model::Value last;
    std::string text;
    for (Cursor& cursor : cursors) {
      for (; !cursor.at_end() && cursor.time() == time; ++copies) {
        if (copies == 0 || cursor.written() >= written) {  // of two at once, the type that is later in the list
          written = cursor.written();
          last = cursor.value();
          text = last.text;
        }
        VARVE_RETURN_IF_ERROR(cursor.move());
      }
    }
    last.text = text;
    if (copies < 2 || time < kept_from || !sink.why_not(last).empty()) continue;
    VARVE_RETURN_IF_ERROR(sink.add(time, last));
    found += time >= from_ ? copies - 1 : 0;
  }
  if (found > 0) {
    const MutexLock lock(mutex_);
    found_[metric->first] += found;
  }
  return {};
}

}  // namespace varve::migrate
