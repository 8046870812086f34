// SPDX-License-Identifier: Apache-2.0
// Writes texts: templates, and frames of what is between their words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "message/block/gather.h"
#include "message/block/packed.h"
#include "message/block/parts.h"
#include "message/block/word_column.h"
#include "message/block/word_filter.h"

namespace varve::message::block {

// Encodes one frame. Reusable.
class FrameWriter {
 public:
  [[nodiscard]] bool empty() const { return kinds_.empty(); }
  void add_plain(std::span<const std::string_view> texts);
  // All values of one variable. Returns their letters (letters_of).
  std::uint32_t add_column(const WordColumn& values);
  void finish(Packer& packer, Bytes& out);

 private:
  void add_numbers(const WordColumn& values);
  void add_hex(const WordColumn& values);

  Bytes kinds_, hex_, texts_;
  std::vector<std::vector<std::int64_t>> numbers_;
  std::size_t sequences_ = 0;
};

// The ids of facet template for each row, and the parts of texts. Returns how many templates there are.
std::size_t write_texts(Gathered& gathered, Packer& packer, PartWriter& parts);

}  // namespace varve::message::block
