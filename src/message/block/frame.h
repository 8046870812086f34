// SPDX-License-Identifier: Apache-2.0
// Frame: the texts of one piece of a block's text order, decoded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "message/block/packed.h"

namespace varve::message::block {

// Texts of one template (or plain ones), which follow one another.
struct FrameRun {
  std::uint32_t id = 0;  // of facet template
  std::uint32_t texts = 0;
  std::string_view pattern = {};
  bool wanted = true;
};

class Frame {
 public:
  // Decodes what the wanted runs need. False: malformed.
  bool read(Cursor from, std::span<const FrameRun> runs);
  // Has it all of the runs that are wanted there?
  [[nodiscard]] bool has(std::span<const FrameRun> runs) const;
  [[nodiscard]] std::size_t bytes() const;  // in memory
  // The following are of texts of wanted runs.
  // The text at this place of the frame, valid until the next one is asked for; `buffer` is its memory.
  std::string_view text(std::size_t place, std::string& buffer) const;
  // Its bytes, without putting it together.
  [[nodiscard]] std::size_t size(std::size_t place) const;
  // A variable of a text that is not plain, likewise.
  std::string_view variable(std::size_t place, std::size_t number, std::string& buffer) const;

 private:
  struct Column {
    std::uint8_t kind = 0;
    std::size_t at = 0;  // of its first number, hexadecimal digit (two to a byte), or start of a text
  };
  struct Run {
    std::string_view pattern;
    std::size_t first = 0;  // text
    std::size_t texts = 0;
    std::size_t column = 0;  // the first of its columns
    bool plain = false;
    bool wanted = false;
  };
  // Which of its parts are decoded.
  struct Needed {
    std::size_t runs = 0;  // so many of the first
    bool numbers = false, hex = false, texts = false;
  };

  bool place_columns(std::span<const FrameRun> runs, const Bytes& kinds, Needed& needed);
  bool read_column(Numbers& numbers, Column& column, std::size_t texts, const Needed& needed, bool wanted);
  bool read_plain(Numbers& numbers, Column& column, std::size_t texts);
  bool read_texts(std::size_t count, bool wanted);
  [[nodiscard]] const Run& run_of(std::size_t place) const;
  [[nodiscard]] std::size_t value_size(const Column& column, std::size_t i) const;
  void value(const Column& column, std::size_t i, std::string& out) const;

  std::vector<Run> runs_;
  std::vector<Column> columns_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::size_t> starts_;  // of texts; each ends one byte in front of the next
  Bytes hex_, texts_;
  std::size_t hex_used_ = 0;  // bytes
  std::size_t texts_used_ = 0;
};

}  // namespace varve::message::block
