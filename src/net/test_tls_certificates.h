// SPDX-License-Identifier: Apache-2.0
// For tests: certificates, made when they are needed, in a directory that goes with this.
#pragma once

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "base/check.h"

namespace varve::net {

class TestCertificates {
 public:
  TestCertificates() {
    std::string name = std::filesystem::temp_directory_path() / "varve-tls-XXXXXX";
    check(::mkdtemp(name.data()) != nullptr, "a temporary directory can be made");
    directory_ = name;
  }
  ~TestCertificates() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  TestCertificates(const TestCertificates&) = delete;
  TestCertificates& operator=(const TestCertificates&) = delete;

  [[nodiscard]] std::string path(const std::string& file) const { return directory_ + "/" + file; }

  // NAME.crt and NAME.key, signed by the authority of that name, or by itself and then an authority. It is valid until
  // this many seconds from now.
  void make(const std::string& name, const std::string& authority = "", long valid_s = 3600) {
    const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"), EVP_PKEY_free);
    const Certificate made(X509_new(), X509_free);
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -7200);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), valid_s);
    X509_set_pubkey(made.get(), key.get());
    X509_NAME* const subject = X509_get_subject_name(made.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                               -1, 0);
    if (authority.empty()) {
      extend(made.get(), NID_basic_constraints, "critical,CA:TRUE");
      X509_set_issuer_name(made.get(), subject);
      X509_sign(made.get(), key.get(), EVP_sha256());
    } else {
      const Certificate above = read_certificate(authority);
      const Key above_key = read_key(authority);
      X509_set_issuer_name(made.get(), X509_get_subject_name(above.get()));
      X509_sign(made.get(), above_key.get(), EVP_sha256());
    }
    const File crt = open(name + ".crt", "w");
    check(PEM_write_X509(crt.get(), made.get()) == 1, "a certificate can be written");
    const File pem = open(name + ".key", "w");
    check(PEM_write_PrivateKey(pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1, "so can a key");
  }

  // NAME.key becomes one that wants a password.
  void lock(const std::string& name) {
    const Key key = read_key(name);
    const File pem = open(name + ".key", "w");
    char password[] = "password";
    check(PEM_write_PrivateKey(pem.get(), key.get(), EVP_aes_128_cbc(), nullptr, 0, nullptr, password) == 1, "locked");
  }

 private:
  using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
  using Certificate = std::unique_ptr<X509, void (*)(X509*)>;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  [[nodiscard]] File open(const std::string& name, const char* how) const {
    File file(std::fopen(path(name).c_str(), how));
    check(file != nullptr, "the file can be opened");
    return file;
  }
  [[nodiscard]] Certificate read_certificate(const std::string& name) const {
    return {PEM_read_X509(open(name + ".crt", "r").get(), nullptr, nullptr, nullptr), X509_free};
  }
  [[nodiscard]] Key read_key(const std::string& name) const {
    return {PEM_read_PrivateKey(open(name + ".key", "r").get(), nullptr, nullptr, nullptr), EVP_PKEY_free};
  }
  static void extend(X509* to, int what, const char* value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value);
    X509_add_ext(to, extension, -1);
    X509_EXTENSION_free(extension);
  }

  std::string directory_;
  long serial_ = 0;
};

}  // namespace varve::net
