// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/check.h"
#include "chunk/block.h"
#include "chunk/entropy.h"
#include "chunk/part.h"
#include "chunk/rice.h"
#include "chunk/times.h"
#include "codec/crc32c.h"

namespace varve::chunk {
namespace {

// A table of codes costs some dozens of bytes: classes with fewer symbols are coded with their neighbour.
constexpr std::size_t kFrameBytesMin = 1024;

// Symbols of long columns, those of a stratum, are coded by so many bytes, so that who wants one column need not
// decompress them all. A split costs a table of codes: 0.8 % of small integers, 0.1 to 0.4 % of others.
constexpr std::size_t kSplitBytes = 8192;
constexpr std::size_t kLongColumnBytes = 2048;

// A run of classes that are coded as one, as a mask.
struct Frame {
  std::uint32_t classes = 0;
  std::size_t bytes = 0;
};

}  // namespace

struct BlockBuilder::State {
  Sections sections;
  SequenceWriter sequences;
  TimesWriter times;
  ColumnWriter columns;
  Compressor compressor;
  std::uint64_t groups = 0;
  std::uint32_t last_group = 0;
  std::uint8_t version = kVersionFirst;
  Bytes body;    // sections and frames as stored
  Bytes joined;  // what is coded as one
  Bytes block;

  // Of each class: how many symbols had been written before the last column, and where it may be split.
  std::array<std::size_t, kClasses> before{};
  std::array<std::vector<std::size_t>, kClasses> splits;

  std::vector<Frame> frames() const;
  void note_splits();
  bool drop_short_splits();
  void put_section(unsigned section);
  void put_frame(const Frame& frame);
  void clear();

  // Stores bytes in the body; writes the stored size to the block, or 0 if they stand as they are.
  void put_body(Coder coder, std::span<const std::byte> bytes) {
    const std::size_t coded = compressor.compress(coder, bytes, body);
    check(coded < bytes.size(), "coded bytes are fewer");
    block.varint(coded);
    if (coded == 0) body.add(bytes);
    if (is_rice(body.view().last(coded))) version = std::max(version, kVersionWithRice);
  }
};

std::vector<Frame> BlockBuilder::State::frames() const {
  std::vector<Frame> result;
  for (const bool nibbles : {true, false}) {
    const std::size_t family = result.size();
    for (unsigned c = 0; c < kClasses; ++c) {
      if (is_nibble(c) != nibbles || sections.symbols[c].empty()) continue;
      if (result.size() == family || result.back().bytes >= kFrameBytesMin) result.emplace_back();
      result.back().classes |= 1U << c;
      result.back().bytes += sections.symbols[c].size();
    }
    if (result.size() > family + 1 && result.back().bytes < kFrameBytesMin) {
      const Frame small = result.back();
      result.pop_back();
      result.back().classes |= small.classes;
      result.back().bytes += small.bytes;
    }
  }
  return result;
}

void BlockBuilder::State::put_section(unsigned section) {
  const auto bytes = sections.section[section].view();
  block.varint(bytes.size());
  if (bytes.empty()) return;
  if (section == kLow) {
    body.add(bytes);  // noise
  } else {
    put_body(section == kTexts ? Coder::matches : Coder::literals, bytes);
  }
}

// Between two columns, if the last was long and there is enough.
void BlockBuilder::State::note_splits() {
  for (unsigned c = 0; c < kClasses; ++c) {
    const std::size_t size = sections.symbols[c].size();
    const std::size_t last = splits[c].empty() ? 0 : splits[c].back();
    if (size - before[c] >= kLongColumnBytes && size - last >= kSplitBytes) splits[c].push_back(size);
    before[c] = size;
  }
}

// What is behind the last split of a class may be too little. Are there any left?
bool BlockBuilder::State::drop_short_splits() {
  bool any = false;
  for (unsigned c = 0; c < kClasses; ++c) {
    if (!splits[c].empty() && sections.symbols[c].size() - splits[c].back() < kSplitBytes / 2) splits[c].pop_back();
    any = any || !splits[c].empty();
  }
  return any;
}

void BlockBuilder::State::put_frame(const Frame& frame) {
  joined.clear();
  const unsigned flags = version >= kVersionWithSplits ? 2 : 1;
  for (unsigned c = 0; c < kClasses; ++c) {
    if ((frame.classes >> c & 1) == 0) continue;
    const auto symbols = sections.symbols[c].view();
    std::size_t from = 0;
    for (const std::size_t split : splits[c]) {
      block.varint((split - from) << flags | 2);
      joined.add(symbols.subspan(from, split - from));
      put_body(Coder::symbols, joined.view());
      joined.clear();
      from = split;
    }
    const bool last = frame.classes >> (c + 1) == 0;
    block.varint((symbols.size() - from) << flags | (last ? 0 : 1));
    joined.add(symbols.subspan(from));
  }
  put_body(Coder::symbols, joined.view());
}

void BlockBuilder::State::clear() {
  for (Bytes& section : sections.section) section.clear();
  for (Bytes& symbols : sections.symbols) symbols.clear();
  for (auto& list : splits) list.clear();
  before = {};
  times.clear();
  columns.clear();
  groups = 0;
  last_group = 0;
  version = kVersionFirst;
}

BlockBuilder::BlockBuilder() : state_(std::make_unique<State>()) {}
BlockBuilder::~BlockBuilder() = default;

void BlockBuilder::add(const Fragment& fragment) {
  State& s = *state_;
  check(!fragment.times.empty() && fragment.times.size() <= kRowsMax && !fragment.columns.empty(),
        "a fragment has rows and columns, and not too many");
  const std::uint32_t group = model::to_int(fragment.group);
  check(s.groups == 0 || group > s.last_group, "groups come in ascending order");
  Bytes& params = s.sections.params();
  params.varint(group - s.last_group);
  params.varint(fragment.columns.size());
  s.times.write(fragment.times, s.sequences, s.sections);
  for (const Column& column : fragment.columns) {
    if (s.columns.write(column, fragment.times.size(), s.sequences, s.sections)) s.version = kVersionWithMarkers;
    s.note_splits();
  }
  s.last_group = group;
  ++s.groups;
}

bool BlockBuilder::empty() const { return state_->groups == 0; }

std::size_t BlockBuilder::raw_bytes() const {
  std::size_t bytes = 0;
  for (const Bytes& section : state_->sections.section) bytes += section.size();
  for (const Bytes& symbols : state_->sections.symbols) bytes += symbols.size();
  return bytes;
}

std::span<const std::byte> BlockBuilder::finish() {
  State& s = *state_;
  s.block.clear();
  s.body.clear();
  s.block.fixed(kMagic);
  s.block.fixed(std::uint32_t{0});
  s.block.byte(kVersionFirst);  // as far as is known
  s.block.varint(s.groups);
  if (s.drop_short_splits()) s.version = std::max(s.version, kVersionWithSplits);
  for (unsigned section = 0; section < kSections; ++section) s.put_section(section);
  const std::vector<Frame> frames = s.frames();
  std::uint32_t present = 0;
  for (const Frame& frame : frames) {
    check(frame.classes != 0 && (present & frame.classes) == 0, "a class of symbols is in one frame");
    present |= frame.classes;
  }
  s.block.varint(present);
  for (const Frame& frame : frames) s.put_frame(frame);
  s.block.add(s.body.view());
  s.block.data()[kCheckedFrom] = std::byte{s.version};
  store_le(s.block.data() + 4, codec::crc32c(s.block.view().subspan(kCheckedFrom)));
  s.clear();
  return s.block.view();
}

}  // namespace varve::chunk
