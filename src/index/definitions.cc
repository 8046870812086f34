// SPDX-License-Identifier: Apache-2.0
#include "index/definitions.h"

#include "codec/varint.h"

namespace varve::index {
namespace {

constexpr unsigned kVersion = 1;
constexpr std::int64_t kIdMax = 0xffffffff;

void put_kind(std::string& out, DefinitionKind kind) { out += static_cast<char>(kind); }

void put_text(std::string& out, std::string_view text) {
  codec::append_varint(out, text.size());
  out += text;
}

// Reads the parts of one record. After the first that is cut or out of range everything reads as nothing.
class Fields {
 public:
  Fields(const std::byte* at, const std::byte* end) : at_(at), end_(end) {}

  std::uint32_t number() {
    const std::uint64_t v = varint();
    if (v > static_cast<std::uint64_t>(kIdMax)) at_ = nullptr;
    return static_cast<std::uint32_t>(v);
  }

  std::string_view text() {
    const std::uint32_t bytes = number();
    if (bytes == 0 || bytes > kTextBytesMax || bytes > left()) at_ = nullptr;
    if (at_ == nullptr) return {};
    const std::string_view view(reinterpret_cast<const char*>(at_), bytes);
    at_ += bytes;
    return view;
  }

  void numbers(std::vector<std::uint32_t>& out) {
    const std::uint32_t count = number();
    if (count > left()) at_ = nullptr;  // each takes a byte or more
    for (std::uint32_t i = 0; i < count && at_ != nullptr; ++i) out.push_back(number());
  }

  void steps(std::vector<std::uint32_t>& out) {
    const std::uint32_t count = number();
    if (count > left()) at_ = nullptr;
    std::int64_t value = 0;
    for (std::uint32_t i = 0; i < count && at_ != nullptr; ++i) {
      const std::int64_t step = codec::unzigzag(varint());
      if (step < -kIdMax || step > kIdMax || value + step < 0 || value + step > kIdMax) at_ = nullptr;
      value += at_ == nullptr ? 0 : step;
      out.push_back(static_cast<std::uint32_t>(value));
    }
  }

  // Where the fields end; nullptr: one was bad.
  [[nodiscard]] const std::byte* end() const { return at_; }

 private:
  [[nodiscard]] std::size_t left() const { return at_ == nullptr ? 0 : static_cast<std::size_t>(end_ - at_); }
  std::uint64_t varint() {
    std::uint64_t v = 0;
    if (at_ != nullptr) at_ = codec::get_varint(at_, end_, v);
    return at_ == nullptr ? 0 : v;
  }

  const std::byte* at_;
  const std::byte* end_;
};

}  // namespace

void write_tenant(std::string& out, std::uint32_t id, std::string_view name) {
  put_kind(out, DefinitionKind::tenant);
  codec::append_varint(out, id);
  put_text(out, name);
}

void write_owned(std::string& out, DefinitionKind kind, std::uint32_t id, std::uint32_t owner, std::string_view text) {
  put_kind(out, kind);
  codec::append_varint(out, id);
  codec::append_varint(out, owner);
  put_text(out, text);
}

void write_tag_set(std::string& out, std::uint32_t id, std::span<const std::uint32_t> pairs) {
  put_kind(out, DefinitionKind::tag_set);
  codec::append_varint(out, id);
  codec::append_varint(out, pairs.size());
  for (const std::uint32_t pair : pairs) codec::append_varint(out, pair);
}

void write_series(std::string& out, std::uint32_t first, std::uint32_t tag_set,
                  std::span<const std::uint32_t> metrics) {
  put_kind(out, DefinitionKind::series);
  codec::append_varint(out, first);
  codec::append_varint(out, tag_set);
  codec::append_varint(out, metrics.size());
  for (const std::uint32_t metric : metrics) codec::append_varint(out, metric);
}

void write_group(std::string& out, std::uint32_t id, std::span<const model::SeriesId> series, std::uint32_t ttl_s) {
  put_kind(out, ttl_s == 0 ? DefinitionKind::group : DefinitionKind::mortal_group);
  codec::append_varint(out, id);
  if (ttl_s != 0) codec::append_varint(out, ttl_s);
  codec::append_varint(out, series.size());
  std::int64_t before = 0;
  for (const model::SeriesId one : series) {
    codec::append_varint(out, codec::zigzag(std::int64_t{model::to_int(one)} - before));
    before = model::to_int(one);
  }
}

void write_range(std::string& out, DefinitionKind kind, std::uint32_t first, std::uint32_t count) {
  put_kind(out, kind);
  codec::append_varint(out, first);
  codec::append_varint(out, count);
}

Status DefinitionReader::next(Definition& definition) {
  const auto kind = static_cast<unsigned>(*at_);
  if (kind >> 4 != kVersion) {
    return fail(Code::unsupported, "definition records of version " + std::to_string(kind >> 4));
  }
  definition.kind = static_cast<DefinitionKind>(kind);
  definition.parts.clear();
  Fields fields(at_ + 1, end_);
  definition.id = fields.number();
  switch (definition.kind) {
    case DefinitionKind::tenant: definition.text = fields.text(); break;
    case DefinitionKind::metric:
    case DefinitionKind::key:
    case DefinitionKind::pair:
      definition.owner = fields.number();
      definition.text = fields.text();
      break;
    case DefinitionKind::tag_set: fields.numbers(definition.parts); break;
    case DefinitionKind::series:
      definition.owner = fields.number();
      fields.numbers(definition.parts);
      break;
    case DefinitionKind::group: fields.steps(definition.parts); break;
    case DefinitionKind::mortal_group:
      definition.owner = fields.number();
      fields.steps(definition.parts);
      break;
    case DefinitionKind::forget:
    case DefinitionKind::revive:
    case DefinitionKind::tag_set_gap:
    case DefinitionKind::series_gap:
    case DefinitionKind::group_gap:
    case DefinitionKind::metric_gap:
    case DefinitionKind::key_gap:
    case DefinitionKind::pair_gap: definition.owner = fields.number(); break;
    default: return fail(Code::corrupt, "an unknown kind of definition");
  }
  if (fields.end() == nullptr) return fail(Code::corrupt, "a definition that is cut or has a number out of range");
  at_ = fields.end();
  return {};
}

std::size_t whole_records(std::string_view definitions, std::size_t most) {
  DefinitionReader reader(std::as_bytes(std::span(definitions)));
  Definition definition;
  std::size_t whole = 0;
  while (!reader.done() && reader.next(definition)) {
    if (whole > 0 && reader.offset() > most) break;
    whole = reader.offset();
  }
  return whole > 0 ? whole : definitions.size();
}

}  // namespace varve::index
