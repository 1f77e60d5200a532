#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/assert.h"

namespace baton::base {

Sha256 sha256(std::string_view bytes) {
  Sha256 digest{};
  unsigned int length = 0;
  const int ok =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
  BATON_ASSERT(ok == 1 && length == digest.size());
  return digest;
}

}  // namespace baton::base
