// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/v3_keys.h"

#include <array>
#include <cstring>

#include "base/bytes.h"
#include "snmp/session/library.h"

namespace varve::snmp::session {
namespace {

constexpr u_int kDesBlock = 8, kIvBytes = 16;  // DES takes the first half of an IV

const u_char* unsigned_view(std::string_view bytes) { return reinterpret_cast<const u_char*>(bytes.data()); }
u_char* unsigned_view(std::string& bytes) { return reinterpret_cast<u_char*>(bytes.data()); }

bool is_des(const Secret& secret) { return secret.credential.priv == "DES"; }

// A user's key for one engine.
std::optional<Keys::Key> bound_key(const Secret& secret, std::string_view engine, const Keys::Key& key) {
  const auto hash = find_auth(secret.credential.auth);
  if (!hash) return std::nullopt;
  Keys::Key bound;
  bound.size = bound.bytes.size();
  if (generate_kul(hash->name, static_cast<u_int>(hash->length), unsigned_view(engine), engine.size(), key.bytes.data(),
                   key.size, bound.bytes.data(), &bound.size) != SNMPERR_SUCCESS) {
    return std::nullopt;
  }
  return bound;
}

// RFC 3414, section 8.1.1.1 (DES), and RFC 3826, section 3.1.2.1 (AES).
std::array<u_char, kIvBytes> iv_of(const V3Message& message, const Secret& secret, const Keys::Key& key) {
  std::array<u_char, kIvBytes> iv{};
  const u_char* const salt = unsigned_view(message.salt);
  if (is_des(secret)) {
    for (std::size_t i = 0; i < kSaltBytes; ++i) iv[i] = salt[i] ^ key.bytes[kDesBlock + i];
  } else {
    store_be32(iv.data(), message.boots);
    store_be32(iv.data() + 4, message.time);
    std::memcpy(iv.data() + 8, salt, kSaltBytes);
  }
  return iv;
}

struct Cipher {
  Protocol protocol;
  Keys::Key key;
  std::array<u_char, kIvBytes> iv;
  u_int iv_bytes;
};

std::optional<Cipher> cipher_of(const V3Message& message, const Secret& secret) {
  const auto protocol = find_priv(secret.credential.priv);
  const auto key = bound_key(secret, message.engine, secret.keys.priv);
  if (!protocol || !key || message.salt.size() != kSaltBytes) return std::nullopt;
  return Cipher{*protocol, *key, iv_of(message, secret, *key), is_des(secret) ? kDesBlock : kIvBytes};
}

std::size_t place_of(std::string_view datagram, const V3Message& message) {
  return static_cast<std::size_t>(message.signature.data() - datagram.data());
}

}  // namespace

std::size_t signature_bytes(const Secret& secret) {
  const std::string& auth = secret.credential.auth;
  return auth == "SHA-224" ? 16 : auth == "SHA-256" ? 24 : auth == "SHA-384" ? 32 : auth == "SHA-512" ? 48 : 12;
}

// The signature is of the message with zeros in its place.
bool is_signed(std::string_view datagram, const V3Message& message, const Secret& secret) {
  const auto hash = find_auth(secret.credential.auth);
  const auto key = bound_key(secret, message.engine, secret.keys.auth);
  if (!hash || !key) return false;
  std::string blank(datagram);
  std::memset(blank.data() + place_of(datagram, message), 0, message.signature.size());
  return sc_check_keyed_hash(hash->name, hash->length, key->bytes.data(), static_cast<u_int>(key->size),
                             unsigned_view(blank), static_cast<u_int>(blank.size()), unsigned_view(message.signature),
                             static_cast<u_int>(message.signature.size())) == SNMPERR_SUCCESS;
}

bool sign(std::string& datagram, const Secret& secret) {
  const auto message = read_v3_message(datagram);
  const auto hash = find_auth(secret.credential.auth);
  if (!message || !hash || message->signature.size() != signature_bytes(secret)) return false;
  const auto key = bound_key(secret, message->engine, secret.keys.auth);
  if (!key) return false;
  std::array<u_char, kKeyBytesMax> signature{};
  std::size_t size = message->signature.size();
  if (sc_generate_keyed_hash(hash->name, hash->length, key->bytes.data(), static_cast<u_int>(key->size),
                             unsigned_view(datagram), static_cast<u_int>(datagram.size()), signature.data(),
                             &size) != SNMPERR_SUCCESS ||
      size != message->signature.size()) {
    return false;
  }
  std::memcpy(datagram.data() + place_of(datagram, *message), signature.data(), size);
  return true;
}

std::optional<std::string> unhide(const V3Message& message, const Secret& secret) {
  auto cipher = cipher_of(message, secret);
  if (!cipher || message.scoped.empty()) return std::nullopt;
  if (is_des(secret) && message.scoped.size() % kDesBlock != 0) return std::nullopt;
  std::string hidden(message.scoped), plain(hidden.size(), '\0');
  std::size_t size = plain.size();
  const int done = sc_decrypt(cipher->protocol.name, cipher->protocol.length, cipher->key.bytes.data(),
                              static_cast<u_int>(cipher->key.size), cipher->iv.data(), cipher->iv_bytes,
                              unsigned_view(hidden), static_cast<u_int>(hidden.size()), unsigned_view(plain), &size);
  return done == SNMPERR_SUCCESS ? std::optional(std::move(plain)) : std::nullopt;
}

std::optional<std::string> hide(std::string_view plain, const V3Message& message, const Secret& secret) {
  auto cipher = cipher_of(message, secret);
  if (!cipher || plain.empty()) return std::nullopt;
  std::string padded(plain);
  if (is_des(secret)) padded.resize((padded.size() + kDesBlock - 1) / kDesBlock * kDesBlock);
  std::string hidden(padded.size() + kDesBlock, '\0');  // it asks for room for padding, also where there is none
  std::size_t size = hidden.size();
  const int done = sc_encrypt(cipher->protocol.name, cipher->protocol.length, cipher->key.bytes.data(),
                              static_cast<u_int>(cipher->key.size), cipher->iv.data(), cipher->iv_bytes,
                              unsigned_view(padded), static_cast<u_int>(padded.size()), unsigned_view(hidden), &size);
  if (done != SNMPERR_SUCCESS || size != padded.size()) return std::nullopt;
  hidden.resize(size);
  return hidden;
}

}  // namespace varve::snmp::session
