#include "base/random.h"

#include <openssl/evp.h>
#include <sys/random.h>
#include <sys/types.h>

#include <array>

namespace baton::base {

// The cipher's output for a text of zeros, a piece at a time.
class Random::KeyStream {
 public:
  KeyStream() : cipher_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {
    std::array<unsigned char, 32> key{};
    std::array<unsigned char, 16> nonce{};
    system_random(key.data(), key.size());
    system_random(nonce.data(), nonce.size());
    BATON_ASSERT(cipher_ != nullptr);
    BATON_ASSERT(
        EVP_EncryptInit_ex(cipher_.get(), EVP_chacha20(), nullptr, key.data(), nonce.data()) == 1);
  }

  std::uint64_t next() {
    if (used_ == numbers_.size()) refill();
    return numbers_[used_++];
  }

 private:
  void refill() {
    static constexpr std::array<unsigned char, sizeof(std::uint64_t) * 64> kZeros{};
    int written = 0;
    BATON_ASSERT(EVP_EncryptUpdate(cipher_.get(), reinterpret_cast<unsigned char*>(numbers_.data()),
                                   &written, kZeros.data(), kZeros.size()) == 1);
    BATON_ASSERT(written == static_cast<int>(kZeros.size()));
    used_ = 0;
  }

  std::unique_ptr<EVP_CIPHER_CTX, void (*)(EVP_CIPHER_CTX*)> cipher_;
  std::array<std::uint64_t, 64> numbers_{};
  std::size_t used_ = 64;
};

Random Random::unpredictable() {
  Random random(0);
  random.stream_ = std::make_shared<KeyStream>();
  return random;
}

std::uint64_t Random::next_of_stream() { return stream_->next(); }

void system_random(void* bytes, std::size_t size) {
  auto* out = static_cast<unsigned char*>(bytes);
  while (size > 0) {
    const ssize_t got = getrandom(out, size, 0);
    BATON_ASSERT(got > 0);
    out += got;
    size -= static_cast<std::size_t>(got);
  }
}

}  // namespace baton::base
