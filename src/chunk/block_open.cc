// SPDX-License-Identifier: Apache-2.0
#include "chunk/block_state.h"
#include "chunk/entropy.h"
#include "codec/crc32c.h"

namespace varve::chunk {
namespace {

constexpr std::size_t kSlack = 8;

std::unexpected<Error> corrupt(const char* what) { return fail(Code::corrupt, std::string("block: ") + what); }

bool plausible(const Stored& s, std::size_t block_bytes) {
  if (s.bytes() > block_bytes) return false;
  return s.coded == 0 || s.size <= kInflatedFree || s.size / kInflatedRatioMax <= s.coded;
}

}  // namespace

std::span<const std::byte> Lazy::bytes() const {
  if (!coded_) return stored_;
  std::call_once(once_, [this] {
    auto data = std::make_unique_for_overwrite<std::byte[]>(size_ + kSlack);
    std::fill_n(data.get() + size_, kSlack, std::byte{0});
    if (!decompress(stored_, {data.get(), size_})) return;
    data_ = std::move(data);
    memory_bytes_.store(size_ + kSlack, std::memory_order_relaxed);
  });
  return data_ == nullptr ? std::span<const std::byte>{} : std::span<const std::byte>{data_.get(), size_};
}

Status Block::State::read_head(std::uint64_t& group_count) {
  const std::span<const std::byte> bytes(stored.get(), stored_bytes);
  Cursor head(bytes.subspan(kCheckedFrom + 1));
  group_count = head.varint();
  std::array<Stored, kSections> section{};
  for (unsigned i = 0; i < kSections; ++i) {
    section[i].size = head.varint();
    if (section[i].size != 0 && i != kLow) section[i].coded = head.varint();
    if (!head.ok() || !plausible(section[i], stored_bytes)) return corrupt("a section's size is impossible");
  }
  const bool splits = static_cast<unsigned>(bytes[kCheckedFrom]) >= kVersionWithSplits;
  std::vector<Stored> frame_sizes;
  if (!read_frames(head, splits, frame_sizes)) return corrupt("a frame's size is impossible");
  for (unsigned i = 0; i < kSections; ++i) {
    sections[i].set(head.take(section[i].bytes()), section[i].size, section[i].coded != 0);
  }
  for (const Stored& frame : frame_sizes) {
    frames.push_back(std::make_unique<Lazy>());
    frames.back()->set(head.take(frame.bytes()), frame.size, frame.coded != 0);
  }
  if (!head.ok() || head.left() != 0) return corrupt("its sections do not fill it");
  return {};
}

bool Block::State::read_frames(Cursor& head, bool splits, std::vector<Stored>& sizes) {
  const std::uint64_t present = head.varint();
  if (present >> kClasses != 0) return false;
  Stored frame;  // as far as it was read
  for (unsigned c = 0; c < kClasses; ++c) {
    std::size_t first = 0;
    for (bool goes_on = (present >> c & 1) != 0; goes_on;) {
      std::uint64_t size = head.varint();
      const bool more = (size & 1) != 0 && present >> (c + 1) != 0;
      goes_on = splits && (size & 2) != 0;
      size >>= splits ? 2 : 1;
      if (!head.ok() || size >> 39 != 0 || (goes_on && (more || size == 0))) return false;
      classes[c].push_back({first, static_cast<std::size_t>(size), sizes.size(), frame.size});
      first += static_cast<std::size_t>(size);
      frame.size += static_cast<std::size_t>(size);
      if (more) continue;
      frame.coded = head.varint();
      if (!head.ok() || !plausible(frame, stored_bytes)) return false;
      sizes.push_back(frame);
      frame = {};
    }
  }
  return true;
}

Status Block::State::read_directory(std::uint64_t group_count) {
  Places places;
  places.heads = Cursor(sections[kHeads].bytes());
  places.params = Cursor(sections[kParams].bytes());
  places.may_be_marked = static_cast<unsigned>(stored[kCheckedFrom]) >= kVersionWithMarkers;
  if (places.heads.left() != sections[kHeads].size() || places.params.left() != sections[kParams].size()) {
    return corrupt("the directory cannot be decoded");
  }
  parts.reserve(places.heads.left() / 2);
  columns.reserve(places.heads.left() / 2);
  std::uint64_t id = 0;
  for (std::uint64_t i = 0; i < group_count; ++i) {
    const std::uint64_t over = places.params.varint();
    const std::uint64_t column_count = places.params.varint();
    if ((over == 0 && i != 0) || over > 0xffffffff - id) return corrupt("groups do not ascend");
    id += over;
    Group group;
    group.id = model::GroupId{static_cast<std::uint32_t>(id)};
    group.first_column = columns.size();
    group.columns = static_cast<std::size_t>(column_count);
    if (!read_times(places, groups.empty() ? nullptr : &groups.back().times, group.times)) {
      return corrupt("a time column is malformed");
    }
    if (column_count == 0) return corrupt("a group without columns");
    for (std::uint64_t c = 0; c < column_count; ++c) {
      columns.push_back(parts.size());
      if (!read_column(places, group.times.rows, parts)) return corrupt("a column is malformed");
    }
    groups.push_back(group);
  }
  const bool whole = places.heads.left() == 0 && places.params.left() == 0 && places.side == sections[kSide].size() &&
                     places.low == sections[kLow].size() && places.texts == sections[kTexts].size();
  bool symbols_whole = true;
  for (unsigned c = 0; c < kClasses; ++c) {
    const auto& segments = classes[c];
    const std::size_t size = segments.empty() ? 0 : segments.back().first + segments.back().size;
    symbols_whole = symbols_whole && places.symbols[c] == size;
  }
  if (!whole || !symbols_whole) return corrupt("the directory does not fit the sections");
  return {};
}

Result<std::shared_ptr<const Block>> Block::open(std::span<const std::byte> bytes) {
  if (bytes.size() <= kCheckedFrom || load_le<std::uint32_t>(bytes.data()) != kMagic) return corrupt("no block");
  const auto expected = load_le<std::uint32_t>(bytes.data() + 4);
  if (codec::crc32c(bytes.subspan(kCheckedFrom)) != expected) return corrupt("checksum mismatch");
  if (const auto version = static_cast<unsigned>(bytes[kCheckedFrom]);
      version < kVersionFirst || version > kVersionLast) {
    return fail(Code::unsupported, "block: version " + std::to_string(version) + " is not known");
  }
  auto state = std::make_unique<State>();
  state->stored_bytes = bytes.size();
  state->stored = std::make_unique_for_overwrite<std::byte[]>(bytes.size() + kSlack);
  std::copy(bytes.begin(), bytes.end(), state->stored.get());
  std::fill_n(state->stored.get() + bytes.size(), kSlack, std::byte{0});
  std::uint64_t group_count = 0;
  VARVE_RETURN_IF_ERROR(state->read_head(group_count));
  VARVE_RETURN_IF_ERROR(state->read_directory(group_count));
  return std::shared_ptr<const Block>(new Block(std::move(state)));
}

}  // namespace varve::chunk
