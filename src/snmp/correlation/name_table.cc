// SPDX-License-Identifier: Apache-2.0
#include "snmp/correlation/name_table.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "snmp/walk/kinds.h"

namespace varve::snmp::correlation {
namespace {

using session::Binding;
using session::Kind;

// A key is: how many bytes it has, how many numbers the index has, these (big endian, so that bytes sort as numbers
// do), and each name with its length before it.
constexpr std::size_t kKeyHead = 8;
constexpr std::uint32_t kMissing = 0xffffffff;

std::string_view key_at(const std::string& bytes, std::uint32_t at) {
  return std::string_view(bytes).substr(at, load_le<std::uint32_t>(bytes.data() + at));
}

// Of the index only.
std::string_view index_of(std::string_view key) {
  return key.substr(kKeyHead, std::size_t{load_le<std::uint32_t>(key.data() + 4)} * 4);
}

void append_number(std::string& to, std::uint32_t number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

std::string_view raw_text(const Binding* cell, std::string& number) {
  if (cell == nullptr || walk::is_missing(cell->kind)) return {};
  switch (cell->kind) {
    case Kind::octets:
    case Kind::address: return cell->octets;
    case Kind::integer: number = std::to_string(static_cast<std::int64_t>(cell->number)); return number;
    case Kind::counter32:
    case Kind::counter64:
    case Kind::gauge32:
    case Kind::ticks: number = std::to_string(cell->number); return number;
    case Kind::object_id:
      number.clear();
      for (const session::Arc arc : cell->oid) number += (number.empty() ? "" : ".") + std::to_string(arc);
      return number;
    default: return {};
  }
}

void NameTable::start() {
  row_ = 0;
  changed_ = false;
}

void NameTable::append_key(session::Name index, std::span<const Binding* const> names) {
  key_.clear();
  append_number(key_, 0);
  append_number(key_, static_cast<std::uint32_t>(index.size()));
  for (const session::Arc arc : index) append_number(key_, __builtin_bswap32(static_cast<std::uint32_t>(arc)));
  std::string number;
  for (const Binding* const cell : names) {
    const std::string_view raw = raw_text(cell, number);
    append_number(key_, cell == nullptr ? kMissing : static_cast<std::uint32_t>(raw.size()));
    key_.append(raw);
  }
  store_le(key_.data(), static_cast<std::uint32_t>(key_.size()));
}

NameTable::Entry& NameTable::of(session::Name index, std::span<const Binding* const> names, bool& is_new) {
  append_key(index, names);
  is_new = false;
  if (!changed_) {
    if (row_ < entries_.size() && key_at(bytes_, entries_[row_].at) == key_) return entries_[row_++];
    // From here on rows are written anew.
    changed_ = true;
    old_ = std::move(entries_);
    old_bytes_ = std::move(bytes_);
    entries_.assign(old_.begin(), old_.begin() + row_);
    const std::size_t kept = row_ == old_.size() ? old_bytes_.size() : old_[row_].at;
    bytes_.assign(old_bytes_, 0, kept);
    old_at_ = row_;
  }
  const auto lower = [&](const Entry& entry) { return index_of(key_at(old_bytes_, entry.at)) < index_of(key_); };
  while (old_at_ < old_.size() && lower(old_[old_at_])) ++old_at_;
  Entry entry;
  is_new = true;
  if (old_at_ < old_.size() && key_at(old_bytes_, old_[old_at_].at) == key_) {
    entry = old_[old_at_++];
    is_new = false;
  }
  entry.at = static_cast<std::uint32_t>(bytes_.size());
  entry.doubled = false;
  bytes_ += key_;
  entries_.push_back(entry);
  ++row_;
  return entries_.back();
}

void NameTable::forget_groups() {
  for (Entry& entry : entries_) entry.group = model::kNoGroup;
}

void NameTable::finish(bool whole) {
  if (whole && !changed_ && row_ < entries_.size()) {  // the last ones are gone
    bytes_.resize(entries_[row_].at);
    entries_.resize(row_);
    changed_ = true;
  }
  if (!changed_) return;
  old_.clear();
  old_.shrink_to_fit();
  old_bytes_.clear();
  old_bytes_.shrink_to_fit();
  entries_.shrink_to_fit();
  bytes_.shrink_to_fit();
  std::vector<Entry*> by_hash;
  for (Entry& entry : entries_) {
    entry.doubled = false;
    if (entry.hash != 0) by_hash.push_back(&entry);
  }
  std::ranges::sort(by_hash, {}, &Entry::hash);
  for (std::size_t i = 1; i < by_hash.size(); ++i) {
    if (by_hash[i]->hash == by_hash[i - 1]->hash) by_hash[i]->doubled = by_hash[i - 1]->doubled = true;
  }
  unnamed_ = static_cast<std::uint32_t>(std::ranges::count(entries_, 0U, &Entry::hash));
  doubled_ = static_cast<std::uint32_t>(std::ranges::count(entries_, true, &Entry::doubled));
}

NameTable::Names NameTable::names_of(const Entry& entry) const {
  Names out;
  std::string_view rest = key_at(bytes_, entry.at);
  const std::string_view index = index_of(rest);
  for (std::size_t i = 0; i < index.size(); i += 4) {
    out.index.push_back(__builtin_bswap32(load_le<std::uint32_t>(index.data() + i)));
  }
  rest.remove_prefix(kKeyHead + index.size());
  while (rest.size() >= sizeof(std::uint32_t)) {
    const auto size = load_le<std::uint32_t>(rest.data());
    rest.remove_prefix(sizeof size);
    const bool is_there = size != kMissing;
    out.texts.push_back(is_there ? std::optional(rest.substr(0, size)) : std::nullopt);
    if (is_there) rest.remove_prefix(out.texts.back()->size());
  }
  return out;
}

std::string NameTable::doubled_name() const {
  const auto found = std::ranges::find(entries_, true, &Entry::doubled);
  if (found == entries_.end()) return {};
  const Names names = names_of(*found);
  return names.texts.empty() ? std::string() : std::string(names.texts[0].value_or(""));
}

void NameTable::clear() {
  entries_.clear();
  bytes_.clear();
  unnamed_ = doubled_ = 0;
}

}  // namespace varve::snmp::correlation
