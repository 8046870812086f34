// SPDX-License-Identifier: Apache-2.0
// ContrailNames: the names of objects by the UUID of their message, on disk, in pieces that fit in memory. Contrail's
// first tables have names and messages apart, in orders that have nothing to do with one another; so the names are
// written into files by the token range of the message, once, and each range then finds its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"

namespace varve::migrate {

// The names of some ranges' messages. Immutable.
class NamesOfPiece {
 public:
  static Result<NamesOfPiece> parse(std::string_view bytes);  // error: corrupt
  // Each "type:value", sorted. Valid as long as this.
  [[nodiscard]] std::vector<std::string_view> of(std::string_view id_bytes) const;

 private:
  struct Entry {
    std::string_view id, name;
  };
  std::vector<char> bytes_;     // stays where it is when this is moved
  std::vector<Entry> entries_;  // by id
};

// Thread-safe.
class ContrailNames {
 public:
  // In a directory of its own.
  explicit ContrailNames(std::string path) : path_(std::move(path)), pieces_(kPieces) {}

  // Begins anew, whatever is there.
  Status begin();
  Status add(std::string_view id_bytes, std::string_view type, std::string_view value);
  // Everything added is on the disk, and complete() from now on.
  Status end();

  [[nodiscard]] bool complete() const;
  void remove();

  // What messages in this token range may have; kept in memory for as long as somebody uses it.
  Result<std::shared_ptr<const NamesOfPiece>> of_range(std::size_t range);

 private:
  static constexpr std::size_t kPieces = 256;
  struct Piece {
    Mutex mutex;
    std::string buffer VARVE_GUARDED_BY(mutex);
    std::weak_ptr<const NamesOfPiece> read VARVE_GUARDED_BY(mutex);
  };
  [[nodiscard]] std::string file(std::size_t piece) const;

  const std::string path_;
  std::vector<Piece> pieces_;
};

}  // namespace varve::migrate
