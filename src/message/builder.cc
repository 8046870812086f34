// SPDX-License-Identifier: Apache-2.0
#include "message/builder.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "base/check.h"

namespace varve::message {
namespace {

constexpr std::size_t kLengthBytesMax = 5;  // of a varint of what is below 2^32
constexpr std::size_t kBatchBytesMin = 64 << 10;

std::byte* put_bytes(std::byte* to, std::string_view bytes) {
  to = codec::put_varint(to, bytes.size());
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());  // an empty view may lead nowhere
  return to + bytes.size();
}

std::byte* put_column(std::byte* to, Column column) {
  *to = static_cast<std::byte>(column);
  return to + 1;
}

Error too_long(std::string_view what, std::size_t bytes, std::size_t most) {
  return {Code::too_large,
          std::string(what) + " has " + std::to_string(bytes) + " bytes; at most " + std::to_string(most)};
}

}  // namespace

void Batch::expect(std::size_t bytes) {
  if (used_ + bytes > size_) grow(std::max(kBatchBytesMin, used_ + bytes));
}

std::byte* Batch::reserve(std::size_t bytes) {
  if (used_ + bytes > size_) grow(std::max({kBatchBytesMin, used_ + bytes, size_ * 2}));
  return data_.get() + used_;
}

void Batch::grow(std::size_t size) {
  auto grown = std::make_unique_for_overwrite<std::byte[]>(size);
  std::copy_n(data_.get(), used_, grown.get());
  data_ = std::move(grown);
  size_ = size;
}

void Batch::added(std::size_t bytes, std::int64_t time_us) {
  check(used_ + bytes <= size_, "a row lies in the room that was reserved");
  last_ = used_;
  used_ += bytes;
  ++rows_;
  first_us_ = std::min(first_us_, time_us);
  last_us_ = std::max(last_us_, time_us);
}

void Batch::lengthen_last(std::size_t bytes) {
  check(used_ + bytes <= size_, "a row lies in the room that was reserved");
  used_ += bytes;
}

void Builder::start() {
  has_ = 0;
  drop(Column::object);
  drop(Column::field);
}

Status Builder::set(Column column, std::string_view text) {
  check(!is_integer(column) && column <= Column::text && column != Column::object, "a column of texts");
  const std::size_t most = column == Column::text ? kTextBytesMax : kCellBytesMax;
  if (text.size() > most) return fail(too_long(name_of(column).key, text.size(), most));
  has_ |= bit(column);
  texts_[static_cast<std::size_t>(column)] = text;
  return {};
}

void Builder::set(Column column, std::int64_t number) {
  check(is_integer(column) && column != Column::time, "a column of numbers");
  has_ |= bit(column);
  numbers_[static_cast<std::size_t>(column)] = number;
}

void Builder::set_id(const std::array<char, kIdBytes>& id) {
  has_ |= bit(Column::id);
  id_ = id;
}

Status Builder::add_object(std::string_view name) {
  if (name.size() > kCellBytesMax) return fail(too_long("an object's name", name.size(), kCellBytesMax));
  const std::size_t colon = name.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == name.size()) {
    return fail(Code::invalid, "'" + std::string(name.substr(0, 100)) + "' is not an object's name: type:value");
  }
  if (objects_index_.find(objects_, name, std::identity()) < objects_.size()) return {};
  if (objects_.size() == kObjectsMax) return fail(Code::limit, "more than 1024 objects");
  has_ |= bit(Column::object);
  objects_.push_back(name);
  return {};
}

Status Builder::add_field(std::string_view name, FieldForm form, std::string_view text) {
  if (name.empty()) return fail(Code::invalid, "a field has no name");
  if (name.size() > kNameBytesMax) return fail(too_long("a field's name", name.size(), kNameBytesMax));
  if (text.size() > kTextBytesMax) return fail(too_long(name, text.size(), kTextBytesMax));
  const std::size_t known = find_field(name);
  if (known == kFieldsMax) return fail(Code::limit, "more than 1000 fields");
  has_ |= bit(Column::field);
  if (known < fields_.size()) {
    dropped_fields_ -= fields_[known].dropped ? 1 : 0;
    fields_[known] = {name, form, text};
    return {};
  }
  fields_.push_back({name, form, text});
  return {};
}

std::size_t Builder::find_field(std::string_view name) {
  return fields_index_.find(fields_, name, [](const Field& field) { return field.name; });
}

void Builder::drop(Column column) {
  has_ &= ~bit(column);
  if (column == Column::object) {
    objects_.clear();
    objects_index_.clear();
  } else if (column == Column::field) {
    fields_.clear();
    fields_index_.clear();
    dropped_fields_ = 0;
  }
}

void Builder::drop_field(std::string_view name) {
  const std::size_t known = find_field(name);
  if (known == fields_.size() || fields_[known].dropped) return;
  fields_[known].dropped = true;
  if (++dropped_fields_ == fields_.size()) has_ &= ~bit(Column::field);
}

std::optional<std::string_view> Builder::text_of_field(std::string_view name) {
  const std::size_t known = find_field(name);
  if (known == fields_.size() || fields_[known].dropped || fields_[known].form != FieldForm::text) return std::nullopt;
  return fields_[known].text;
}

std::size_t Builder::bytes_max() const {
  std::size_t bytes = kRowHeadBytes + 5 * (1 + codec::kVarintBytesMax) + kIdBytes;
  for (std::uint32_t left = has_; left != 0; left &= left - 1) {
    const auto column = static_cast<std::size_t>(std::countr_zero(left));
    if (column <= static_cast<std::size_t>(Column::text)) bytes += 1 + kLengthBytesMax + texts_[column].size();
  }
  for (const auto name : objects_) bytes += 1 + kLengthBytesMax + name.size();
  for (const Field& field : fields_) bytes += 2 + 2 * kLengthBytesMax + field.name.size() + field.text.size();
  return bytes;
}

std::byte* Builder::put_cells(std::byte* to) const {
  for (std::uint32_t left = has_; left != 0; left &= left - 1) {
    const auto column = static_cast<Column>(std::countr_zero(left));
    const auto i = static_cast<std::size_t>(column);
    if (column == Column::object) {
      for (const auto name : objects_) to = put_bytes(put_column(to, column), name);
    } else if (column == Column::field) {
      for (const Field& field : fields_) {
        if (field.dropped) continue;
        to = put_bytes(put_column(to, column), field.name);
        *to++ = static_cast<std::byte>(field.form);
        to = put_bytes(to, field.text);
      }
    } else if (column == Column::id) {
      to = std::copy_n(reinterpret_cast<const std::byte*>(id_.data()), kIdBytes, put_column(to, column));
    } else if (is_integer(column)) {
      to = codec::put_varint(put_column(to, column), codec::zigzag(numbers_[i]));
    } else {
      to = put_bytes(put_column(to, column), texts_[i]);
    }
  }
  return to;
}

void Builder::finish(std::int64_t time_us, unsigned nanos) { put_row(time_us, nanos, std::nullopt); }

void Builder::finish_with_computed_id(std::int64_t time_us, unsigned nanos) {
  check(!has(Column::id), "no id was given");
  put_row(time_us, nanos, 0);
}

void Builder::put_row(std::int64_t time_us, unsigned nanos, std::optional<std::uint32_t> repeat) {
  check(nanos < 1000, "nanoseconds behind a microsecond");
  std::byte* const row = batch_.reserve(bytes_max());
  const auto bytes = static_cast<std::size_t>(put_cells(row + kRowHeadBytes) - row);
  const std::size_t fields = fields_.size() - dropped_fields_;
  const auto repeated = (objects_.empty() ? 0 : objects_.size() - 1) + (fields == 0 ? 0 : fields - 1);
  store_le(row, static_cast<std::uint32_t>(bytes));
  store_le(row + 4, static_cast<std::uint16_t>(static_cast<std::size_t>(std::popcount(has_)) + repeated));
  set_nanos(row, nanos, repeat);
  store_le(row + 8, time_us);
  set_arrival(row, 0);
  batch_.added(bytes, time_us);
}

}  // namespace varve::message
