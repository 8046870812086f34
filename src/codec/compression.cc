// SPDX-License-Identifier: Apache-2.0
// libdeflate where the size is known (the fastest), zlib where it is not, zstd and snappy by their own libraries.
// Contexts live as long as their thread: setting one up costs more than a small body.
#include "codec/compression.h"

#include <libdeflate.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/bytes.h"

namespace varve::codec {
namespace {

constexpr int kDeflateLevel = 4;
constexpr int kZstdLevel = 1;
constexpr std::size_t kStepMin = 4096;

template <auto free>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};

std::unexpected<Error> over(std::size_t max) {
  return fail(Code::too_large, "more than " + std::to_string(max) + " bytes after decompression");
}
std::unexpected<Error> broken(std::string_view format) {
  return fail(Code::invalid, "not valid " + std::string(format) + " data");
}

// Makes out `size` bytes long without clearing memory that is about to be written.
void set_size(std::string& out, std::size_t size) {
  if (out.capacity() < size + kDecompressSlack) out.reserve(size + kDecompressSlack);
  out.resize_and_overwrite(size, [](char*, std::size_t n) { return n; });
}

// Space to write after `used` bytes. Grows by doubling, at most to one byte over max: that byte tells "too large".
std::size_t grow(std::string& out, std::size_t used, std::size_t max, std::size_t first) {
  if (used == out.size()) set_size(out, std::min(std::max({used * 2, first, kStepMin}), max + 1));
  return out.size() - used;
}

// An upper bound of deflate's ratio is 1032; a good guess is 4.
std::size_t guess(std::string_view in, std::size_t max) { return std::min(in.size() * 4, max); }

struct Inflater {
  z_stream stream{};
  bool ready = false;
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
};

// One or more members. window_bits: 31 gzip, 15 zlib, −15 raw deflate.
Status inflate_stream(std::string_view in, int window_bits, std::size_t max, std::string_view format,
                      std::string& out) {
  Inflater z;
  if (inflateInit2(&z.stream, window_bits) != Z_OK) return fail(Code::unavailable, "no memory to decompress");
  z.ready = true;
  z.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  std::size_t left = in.size();
  std::size_t used = 0;
  for (;;) {
    const std::size_t space = grow(out, used, max, guess(in, max));
    const auto in_step = static_cast<uInt>(std::min<std::size_t>(left, std::numeric_limits<uInt>::max()));
    const auto out_step = static_cast<uInt>(std::min<std::size_t>(space, std::numeric_limits<uInt>::max()));
    z.stream.avail_in = in_step;
    z.stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    z.stream.avail_out = out_step;
    const int rc = inflate(&z.stream, Z_NO_FLUSH);
    left -= in_step - z.stream.avail_in;
    used += out_step - z.stream.avail_out;
    if (used > max) return over(max);
    if (rc == Z_STREAM_END) {
      if (left == 0) break;
      if (window_bits != 31 || inflateReset(&z.stream) != Z_OK) return broken(format);
      continue;
    }
    if (rc != Z_OK || (left == 0 && z.stream.avail_out != 0)) return broken(format);
  }
  set_size(out, used);
  return {};
}

// A member's last four bytes say its size. It may be a lie, so the claim only decides which way is tried first.
Status gunzip(std::string_view in, std::size_t max, std::string& out) {
  constexpr std::size_t kMemberMin = 18;
  if (in.size() < kMemberMin) return broken("gzip");
  const std::size_t claimed = load_le<std::uint32_t>(in.data() + in.size() - 4);
  if (claimed <= max && claimed <= in.size() * 1032) {
    static thread_local const std::unique_ptr<libdeflate_decompressor, Free<libdeflate_free_decompressor>> inflater(
        libdeflate_alloc_decompressor());
    if (!inflater) return fail(Code::unavailable, "no memory to decompress");
    set_size(out, claimed);
    std::size_t read = 0;
    std::size_t written = 0;
    const auto rc =
        libdeflate_gzip_decompress_ex(inflater.get(), in.data(), in.size(), out.data(), claimed, &read, &written);
    if (rc == LIBDEFLATE_SUCCESS && read == in.size()) {
      set_size(out, written);
      return {};
    }
    if (rc == LIBDEFLATE_BAD_DATA) return broken("gzip");
    out.clear();
  }
  return inflate_stream(in, 31, max, "gzip", out);
}

// HTTP's "deflate" is zlib's format, but some clients send it without the two header bytes.
Status inflate_any(std::string_view in, std::size_t max, std::string& out) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(in[i])); };
  const bool zlib = in.size() >= 2 && (byte(0) & 0x0f) == 8 && (byte(0) << 8 | byte(1)) % 31 == 0;
  return inflate_stream(in, zlib ? 15 : -15, max, "deflate", out);
}

Status unzstd(std::string_view in, std::size_t max, std::string& out) {
  static thread_local const std::unique_ptr<ZSTD_DCtx, Free<ZSTD_freeDCtx>> context(ZSTD_createDCtx());
  if (!context) return fail(Code::unavailable, "no memory to decompress");
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);
  const unsigned long long claimed = ZSTD_getFrameContentSize(in.data(), in.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR) return broken("zstd");
  if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed > max) return over(max);
  const std::size_t first = claimed == ZSTD_CONTENTSIZE_UNKNOWN ? guess(in, max) : static_cast<std::size_t>(claimed);

  ZSTD_inBuffer from{in.data(), in.size(), 0};
  std::size_t used = 0;
  std::size_t rest = 1;  // what zstd says is missing; 0: a frame has ended
  while (from.pos < from.size || rest != 0) {
    const std::size_t space = grow(out, used, max, first);
    ZSTD_outBuffer to{out.data() + used, space, 0};
    const std::size_t before = from.pos;
    rest = ZSTD_decompressStream(context.get(), &to, &from);
    if (ZSTD_isError(rest) != 0) return broken("zstd");
    used += to.pos;
    if (used > max) return over(max);
    if (from.pos == before && to.pos == 0 && rest != 0) return broken("zstd");  // cut short
  }
  set_size(out, used);
  return {};
}

Status unsnappy(std::string_view in, std::size_t max, std::string& out) {
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(in.data(), in.size(), &size)) return broken("snappy");
  if (size > max) return over(max);
  // A copy of 64 bytes takes 3: a larger claim is a lie that would cost memory before it is found out.
  if (size > in.size() * 22 + 64) return broken("snappy");
  set_size(out, size);
  if (!snappy::RawUncompress(in.data(), in.size(), out.data())) return broken("snappy");
  return {};
}

Status deflate_whole(Coding coding, std::string_view in, std::string& out) {
  static thread_local const std::unique_ptr<libdeflate_compressor, Free<libdeflate_free_compressor>> deflater(
      libdeflate_alloc_compressor(kDeflateLevel));
  if (!deflater) return fail(Code::unavailable, "no memory to compress");
  const bool gzip = coding == Coding::gzip;
  set_size(out, gzip ? libdeflate_gzip_compress_bound(deflater.get(), in.size())
                     : libdeflate_zlib_compress_bound(deflater.get(), in.size()));
  const std::size_t size = gzip
                               ? libdeflate_gzip_compress(deflater.get(), in.data(), in.size(), out.data(), out.size())
                               : libdeflate_zlib_compress(deflater.get(), in.data(), in.size(), out.data(), out.size());
  if (size == 0) return fail(Code::unavailable, "cannot compress");
  out.resize(size);
  return {};
}

Status zstd_whole(std::string_view in, std::string& out) {
  static thread_local const std::unique_ptr<ZSTD_CCtx, Free<ZSTD_freeCCtx>> context(ZSTD_createCCtx());
  if (!context) return fail(Code::unavailable, "no memory to compress");
  set_size(out, ZSTD_compressBound(in.size()));
  const std::size_t size = ZSTD_compressCCtx(context.get(), out.data(), out.size(), in.data(), in.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) return fail(Code::unavailable, ZSTD_getErrorName(size));
  out.resize(size);
  return {};
}

}  // namespace

Status decompress(Coding coding, std::string_view in, std::size_t max, std::string& out) {
  out.clear();
  switch (coding) {
    case Coding::gzip: return gunzip(in, max, out);
    case Coding::deflate: return inflate_any(in, max, out);
    case Coding::zstd: return unzstd(in, max, out);
    case Coding::snappy: return unsnappy(in, max, out);
    case Coding::identity: break;
  }
  if (in.size() > max) return over(max);
  set_size(out, in.size());
  std::copy(in.begin(), in.end(), out.begin());
  return {};
}

Status compress(Coding coding, std::string_view in, std::string& out) {
  switch (coding) {
    case Coding::gzip:
    case Coding::deflate: return deflate_whole(coding, in, out);
    case Coding::zstd: return zstd_whole(in, out);
    case Coding::snappy: snappy::Compress(in.data(), in.size(), &out); return {};
    case Coding::identity: break;
  }
  out.assign(in);
  return {};
}

struct Compressor::State {
  Coding coding = Coding::identity;
  z_stream deflater{};
  bool deflating = false;
  std::unique_ptr<ZSTD_CCtx, Free<ZSTD_freeCCtx>> zstd;

  ~State() {
    if (deflating) deflateEnd(&deflater);
  }

  Status deflate(std::string_view in, bool last, std::string& out) {
    deflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    deflater.avail_in = static_cast<uInt>(in.size());
    do {
      const std::size_t used = out.size();
      out.resize(used + std::max(kStepMin, in.size() / 4));
      deflater.next_out = reinterpret_cast<Bytef*>(out.data() + used);
      deflater.avail_out = static_cast<uInt>(out.size() - used);
      const int rc = ::deflate(&deflater, last ? Z_FINISH : Z_SYNC_FLUSH);
      out.resize(out.size() - deflater.avail_out);
      if (rc == Z_STREAM_END) return {};
      if (rc != Z_OK && rc != Z_BUF_ERROR) return fail(Code::unavailable, "cannot compress");
    } while (deflater.avail_out == 0 || last);
    return {};
  }

  Status zstd_add(std::string_view in, bool last, std::string& out) {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    for (std::size_t rest = 1; rest != 0;) {
      const std::size_t used = out.size();
      out.resize(used + std::max(kStepMin, in.size() / 4));
      ZSTD_outBuffer to{out.data(), out.size(), used};
      rest = ZSTD_compressStream2(zstd.get(), &to, &from, last ? ZSTD_e_end : ZSTD_e_flush);
      out.resize(to.pos);
      if (ZSTD_isError(rest) != 0) return fail(Code::unavailable, ZSTD_getErrorName(rest));
    }
    return {};
  }
};

Compressor::Compressor(Coding coding) : state_(std::make_unique<State>()) {
  State& s = *state_;
  if (coding == Coding::gzip || coding == Coding::deflate) {
    s.deflating = deflateInit2(&s.deflater, kDeflateLevel, Z_DEFLATED, coding == Coding::gzip ? 31 : 15, 8,
                               Z_DEFAULT_STRATEGY) == Z_OK;
  } else if (coding == Coding::zstd) {
    s.zstd.reset(ZSTD_createCCtx());
    if (s.zstd) ZSTD_CCtx_setParameter(s.zstd.get(), ZSTD_c_compressionLevel, kZstdLevel);
  }
  s.coding = coding;
}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

Status Compressor::add(std::string_view in, bool last, std::string& out) {
  State& s = *state_;
  switch (s.coding) {
    case Coding::gzip:
    case Coding::deflate:
      if (!s.deflating) return fail(Code::unavailable, "no memory to compress");
      return s.deflate(in, last, out);
    case Coding::zstd:
      if (!s.zstd) return fail(Code::unavailable, "no memory to compress");
      return s.zstd_add(in, last, out);
    default: out += in; return {};
  }
}

Result<Coding> coding_of(std::string_view name) {
  if (name == "gzip" || name == "x-gzip") return Coding::gzip;
  if (name == "deflate") return Coding::deflate;
  if (name == "zstd") return Coding::zstd;
  if (name == "snappy") return Coding::snappy;
  if (name.empty() || name == "identity") return Coding::identity;
  return fail(Code::invalid, "unknown content coding '" + std::string(name) + "'");
}

}  // namespace varve::codec
