// SPDX-License-Identifier: Apache-2.0
// Parts of a block that is written, cut into sections with their checksums; and the directory that finds them again.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "message/block/format.h"
#include "message/block/packed.h"

namespace varve::message::block {

class PartWriter {
 public:
  // Where the part is to be written; stays until finish().
  Bytes& add(PartKind kind, std::size_t number = 0);
  // `head` gets the directory, and is section 0.
  std::vector<std::string> finish(Bytes& head);

 private:
  struct Part {
    PartKind kind;
    std::size_t number;
    Bytes bytes;
  };
  std::deque<Part> parts_;
};

// Sections of one block, wherever they are stored.
class Sections {
 public:
  virtual ~Sections() = default;
  using Section = std::shared_ptr<const std::string>;
  // With its checksum, as encode_block made it.
  [[nodiscard]] virtual Result<Section> read(std::uint32_t section) const = 0;
  // Likewise, and the checksum is right. Called for what many questions read (all but texts), so a store may keep them.
  [[nodiscard]] virtual Result<Section> read_checked(std::uint32_t section) const;

  // Does each reading wait for another server? Then fetch() is told ahead what is read next, so that all of it comes at
  // once. It gives no error: reading does.
  [[nodiscard]] virtual bool is_far() const { return false; }
  virtual void fetch(std::span<const std::uint32_t> /*sections: ascending*/, bool /*is_text*/) const {}

  // A store may keep what was decoded (decoded.h) for later questions; `what` names it within the block.
  [[nodiscard]] virtual bool keeps_decoded() const { return false; }
  [[nodiscard]] virtual std::shared_ptr<const void> decoded(std::uint32_t /*what*/) const { return nullptr; }
  virtual void keep_decoded(std::uint32_t /*what*/, std::shared_ptr<const void> /*value*/,
                            std::size_t /*bytes*/) const {}
};

// Error: corrupt, if the checksum is wrong.
Status check_section(const std::string& bytes, std::uint32_t section);

// The bytes of a part: of one section, or put together.
struct PartBytes {
  std::shared_ptr<const std::string> held;
  std::span<const std::byte> bytes;
  [[nodiscard]] Cursor cursor() const { return Cursor(bytes); }
};

// A section without its checksum, which is right. `is_text`: few questions read it.
Result<PartBytes> read_section(const Sections& sections, std::uint32_t section, bool is_text = false);

class Directory {
 public:
  // Reads from the head, which must stay. False: malformed.
  bool read(Cursor& head);
  [[nodiscard]] bool has(PartKind kind, std::size_t number = 0) const { return find(kind, number) != nullptr; }
  // Parts of the kind; their numbers are 0, 1, …
  [[nodiscard]] std::size_t count(PartKind kind) const;
  // Appends the sections that the part is in; none, if there is no such part.
  void add_sections(PartKind kind, std::size_t number, std::vector<std::uint32_t>& out) const;
  [[nodiscard]] std::size_t bytes() const { return entries_.capacity() * sizeof(Entry); }  // in memory
  // Error: corrupt, if there is no such part; what reading gives.
  [[nodiscard]] Result<PartBytes> part(const Sections& sections, PartKind kind, std::size_t number = 0) const;

 private:
  struct Entry {
    PartKind kind;
    std::uint32_t number;
    std::uint32_t first;     // section
    std::uint32_t sections;  // 0: inline
    std::span<const std::byte> bytes;
  };
  [[nodiscard]] const Entry* find(PartKind kind, std::size_t number) const;
  std::vector<Entry> entries_;  // sorted
};

}  // namespace varve::message::block
