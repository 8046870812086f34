// SPDX-License-Identifier: Apache-2.0
#include "message/block/texts.h"

#include <algorithm>
#include <numeric>

namespace varve::message::block {

Result<const Texts::Templates*> Texts::templates() {
  if (templates_ == nullptr) {
    auto read = std::make_unique<Templates>();
    if (const std::size_t count = columns_.head().templates; count != 0) {
      VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, columns_.part(PartKind::templates));
      Cursor from = bytes.cursor();
      Bytes letters;
      if (!read->patterns.read_all(from, count) || !read_packed(from, letters) ||
          letters.size() != count * sizeof(std::uint32_t)) {
        return fail(corrupt_part(PartKind::templates));
      }
      read->letters.resize(count);
      std::memcpy(read->letters.data(), letters.data(), letters.size());
    }
    templates_ = std::move(read);
  }
  return templates_.get();
}

std::size_t Texts::Order::frame_of(std::uint32_t place) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(firsts, place) - firsts.begin()) - 1;
}

Result<const Texts::Order*> Texts::order() {
  if (order_ != nullptr) return order_.get();
  VARVE_ASSIGN_OR_RETURN(const FacetColumn ids, columns_.facet(kFacetTemplate));
  const std::size_t rows = columns_.rows(), texts = columns_.head().texts;
  std::vector<std::uint32_t> starts(columns_.head().limits()[kFacetTemplate] + 1);
  for (std::size_t row = 0; row < rows; ++row) ++starts[ids[row] + 1];
  const std::size_t without = starts[1];
  starts[1] = 0;
  if (rows - without != texts) return fail(corrupt_part(PartKind::entries));
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  auto made = std::make_unique<Order>();
  made->rows.resize(texts);
  made->places.resize(rows);
  made->ids.resize(texts);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t id = ids[row];
    if (id == kNoText) continue;
    const std::uint32_t place = starts[id]++;
    made->rows[place] = row;
    made->places[row] = place;
    made->ids[place] = id;
  }
  const std::size_t frames = columns_.head().directory.count(PartKind::text_frame);
  std::vector<std::int64_t> firsts;
  if (texts != 0) {
    VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, columns_.part(PartKind::text_index));
    Cursor from = bytes.cursor();
    if (frames == 0 || !read_numbers(from, frames, firsts) || firsts[0] != 0) {
      return fail(corrupt_part(PartKind::text_index));
    }
  }
  for (std::size_t f = 0; f < firsts.size(); ++f) {
    const auto next = f + 1 < firsts.size() ? firsts[f + 1] : static_cast<std::int64_t>(texts);
    if (firsts[f] < 0 || firsts[f] >= next) return fail(corrupt_part(PartKind::text_index));
    made->firsts.push_back(static_cast<std::uint32_t>(firsts[f]));
  }
  made->firsts.push_back(static_cast<std::uint32_t>(texts));
  order_ = std::move(made);
  return order_.get();
}

Result<const Frame*> Texts::frame(std::size_t number) {
  if (frame_ != nullptr && frame_number_ == number) return frame_.get();
  VARVE_ASSIGN_OR_RETURN(const Order* const order, this->order());
  VARVE_ASSIGN_OR_RETURN(const Templates* const templates, this->templates());
  std::vector<FrameRun> runs;
  for (std::uint32_t place = order->firsts[number]; place < order->firsts[number + 1]; ++place) {
    const std::uint32_t id = order->ids[place];
    if (runs.empty() || runs.back().id != id) {
      runs.push_back({id, 0, id == kPlainText ? std::string_view() : templates->patterns[id - kFirstTemplate]});
    }
    ++runs.back().texts;
  }
  VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, columns_.part(PartKind::text_frame, number));
  auto read = std::make_unique<Frame>();
  if (!read->read(bytes.cursor(), runs)) return fail(corrupt_part(PartKind::text_frame));
  frame_ = std::move(read);
  frame_number_ = number;
  return frame_.get();
}

Result<const WordFilter*> Texts::filter(std::uint64_t word_hash) {
  const std::size_t filters = columns_.head().directory.count(PartKind::word_filter);
  if (filters == 0) return nullptr;
  const std::size_t number = word_hash % filters;
  auto known = filters_.find(number);
  if (known == filters_.end()) {
    HeldFilter read;
    VARVE_ASSIGN_OR_RETURN(read.bytes, columns_.part(PartKind::word_filter, number));
    if (!read.filter.read(read.bytes.cursor())) return fail(corrupt_part(PartKind::word_filter));
    known = filters_.emplace(number, std::move(read)).first;
  }
  return &known->second.filter;
}

}  // namespace varve::message::block
