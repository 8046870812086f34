// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/keys.h"

#include <utility>

namespace varve::api {
namespace {

// Takes as long whatever the first byte is that differs.
bool is_same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differs = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differs |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differs == 0;
}

}  // namespace

void EsmondKeys::set(std::shared_ptr<const EsmondUsers> users) {
  const MutexLock lock(mutex_);
  users_ = std::move(users);
}

EsmondAsker EsmondKeys::asker(std::string_view authorization) const {
  constexpr std::string_view kApiKey = "ApiKey ", kToken = "Token ";
  std::shared_ptr<const EsmondUsers> users;
  {
    const MutexLock lock(mutex_);
    users = users_;
  }
  if (users == nullptr) return EsmondAsker::known;
  if (authorization.empty()) return EsmondAsker::anonymous;
  bool is_known = false;
  for (const auto& [user, key] : *users) {
    if (authorization.starts_with(kToken)) is_known |= is_same_secret(authorization.substr(kToken.size()), key);
    if (authorization.starts_with(kApiKey)) {
      is_known |= is_same_secret(authorization.substr(kApiKey.size()), user + ":" + key);
    }
  }
  return is_known ? EsmondAsker::known : EsmondAsker::refused;
}

}  // namespace varve::api
