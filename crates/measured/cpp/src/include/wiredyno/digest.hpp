// The digest of everything that the phase `read` touches: the same steps, and the same result, as in the Rust crate
// `wiredyno-codec` (module `touch`). Equal values give equal digests in every codec.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace wd {

class Digest {
  uint64_t state = 0;

public:
  void number(uint64_t value) {
    state = (((state << 5) | (state >> 59)) ^ value) * UINT64_C(0x517cc1b727220a95);
  }

  void bytes(std::string_view bytes) {
    number(bytes.size());
    const char *at = bytes.data();
    size_t left = bytes.size();
    for (; left >= 8; left -= 8, at += 8) {
      uint64_t word;
      std::memcpy(&word, at, 8);
      number(word);
    }
    if (left > 0) {
      uint64_t word = 0;
      std::memcpy(&word, at, left);
      number(word);
    }
  }

  void scalar(bool value) { number(value ? 1 : 0); }
  // Signed numbers are extended to 64 bits.
  void scalar(int32_t value) { number(static_cast<uint64_t>(static_cast<int64_t>(value))); }
  void scalar(int64_t value) { number(static_cast<uint64_t>(value)); }
  void scalar(uint32_t value) { number(value); }
  void scalar(uint64_t value) { number(value); }

  // The two zeros are equal, and some formats don't distinguish them.
  void scalar(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    number(value == 0.0F ? 0 : bits);
  }

  void scalar(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    number(value == 0.0 ? 0 : bits);
  }

  uint64_t value() const { return state; }
};

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words of bytes are little-endian in the digest");

}  // namespace wd
