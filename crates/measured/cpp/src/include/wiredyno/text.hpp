// What codecs of text formats share: base64 (RFC 4648, section 4, with padding) and the keys of maps as text.
#pragma once

#include <charconv>

#include "shape.hpp"

namespace wd {

inline std::string to_base64(std::string_view bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  char *to = out.data();
  size_t at = 0;
  const auto byte = [&](size_t place) { return static_cast<uint32_t>(static_cast<unsigned char>(bytes[place])); };
  for (; at + 3 <= bytes.size(); at += 3) {
    const uint32_t word = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    *to++ = letters[word >> 18];
    *to++ = letters[word >> 12 & 63];
    *to++ = letters[word >> 6 & 63];
    *to++ = letters[word & 63];
  }
  if (const size_t left = bytes.size() - at; left > 0) {
    const uint32_t word = byte(at) << 16 | (left == 2 ? byte(at + 1) << 8 : 0);
    *to++ = letters[word >> 18];
    *to++ = letters[word >> 12 & 63];
    if (left == 2) *to = letters[word >> 6 & 63];
  }
  return out;
}

// The six bits of each letter; 64 for what is none.
inline constexpr std::array<uint8_t, 256> base64_bits = [] {
  std::array<uint8_t, 256> bits{};
  for (uint8_t &one : bits) one = 64;
  for (uint8_t at = 0; at < 26; at++) {
    bits['A' + at] = at;
    bits['a' + at] = static_cast<uint8_t>(26 + at);
  }
  for (uint8_t at = 0; at < 10; at++) bits['0' + at] = static_cast<uint8_t>(52 + at);
  bits['+'] = 62;
  bits['/'] = 63;
  return bits;
}();

inline std::string from_base64(std::string_view text) {
  const auto refuse = [] { throw Refused("a text is not base64"); };
  if (text.size() % 4 != 0) refuse();
  const size_t padding = text.empty() || text.back() != '=' ? 0 : text[text.size() - 2] == '=' ? 2 : 1;
  std::string out(text.size() / 4 * 3 - padding, '\0');
  char *to = out.data();
  const auto bits = [&](size_t at) { return static_cast<uint32_t>(base64_bits[static_cast<unsigned char>(text[at])]); };
  const size_t whole = padding == 0 ? text.size() : text.size() - 4;
  size_t at = 0;
  for (; at < whole; at += 4) {
    const uint32_t one = bits(at), two = bits(at + 1), three = bits(at + 2), four = bits(at + 3);
    if (((one | two | three | four) & 64) != 0) refuse();
    const uint32_t word = one << 18 | two << 12 | three << 6 | four;
    *to++ = static_cast<char>(word >> 16);
    *to++ = static_cast<char>(word >> 8);
    *to++ = static_cast<char>(word);
  }
  if (padding > 0) {
    const uint32_t one = bits(at), two = bits(at + 1), three = padding == 1 ? bits(at + 2) : 0;
    if (((one | two | three) & 64) != 0) refuse();
    const uint32_t word = one << 18 | two << 12 | three << 6;
    // The bits that padding leaves over are zero.
    if ((word & (padding == 1 ? 0xff : 0xffff)) != 0) refuse();
    *to++ = static_cast<char>(word >> 16);
    if (padding == 1) *to = static_cast<char>(word >> 8);
  }
  return out;
}

// Refuses a body with a NUL: libraries take it as the end, and leave out what follows.
inline void check_no_nul(std::string_view body) {
  if (body.find('\0') != std::string_view::npos) throw Refused("it contains a NUL");
}

// A map's key as the name of a member.
template <class K> inline std::string to_key(const K &key) {
  if constexpr (is_text_v<K>) {
    return key;
  } else if constexpr (std::is_same_v<K, bool>) {
    return key ? "true" : "false";
  } else {
    return std::to_string(key);
  }
}

template <class K> inline K from_key(std::string_view text) {
  if constexpr (is_text_v<K>) {
    return std::string(text);
  } else if constexpr (std::is_same_v<K, bool>) {
    if (text == "true" || text == "false") return text == "true";
  } else {
    K key{};
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), key);
    if (fault == std::errc() && end == text.data() + text.size()) return key;
  }
  throw Refused("a map has the key \"" + std::string(text) + "\", which is not of its type");
}

// The deepest nesting of messages that a reader follows: libraries that parse without recursion have no limit of their own.
constexpr int max_depth = 100;

inline void check_depth(int depth) {
  if (depth > max_depth) throw Refused("it nests deeper than 100 messages");
}

// An integer of the field's type from one that a text has, signed or unsigned.
template <class T, class N> inline T in_range(N number) {
  const T value = static_cast<T>(number);
  if (static_cast<N>(value) != number || (value < T{}) != (number < N{})) throw Refused("a number is out of range");
  return value;
}

}  // namespace wd
