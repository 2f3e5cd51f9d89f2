// What codecs of text formats share: base64 (RFC 4648, section 4, with padding) and the keys of maps as text.
#pragma once

#include <charconv>

#include "shape.hpp"

namespace wd {

inline std::string to_base64(std::string_view bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  size_t at = 0;
  const auto byte = [&](size_t place) { return static_cast<uint32_t>(static_cast<unsigned char>(bytes[place])); };
  for (; at + 3 <= bytes.size(); at += 3) {
    const uint32_t word = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    for (int shift = 18; shift >= 0; shift -= 6) out.push_back(letters[word >> shift & 63]);
  }
  if (const size_t left = bytes.size() - at; left > 0) {
    const uint32_t word = byte(at) << 16 | (left == 2 ? byte(at + 1) << 8 : 0);
    out.push_back(letters[word >> 18]);
    out.push_back(letters[word >> 12 & 63]);
    out.push_back(left == 2 ? letters[word >> 6 & 63] : '=');
    out.push_back('=');
  }
  return out;
}

inline uint32_t of_base64(char letter) {
  if (letter >= 'A' && letter <= 'Z') return static_cast<uint32_t>(letter - 'A');
  if (letter >= 'a' && letter <= 'z') return static_cast<uint32_t>(letter - 'a') + 26;
  if (letter >= '0' && letter <= '9') return static_cast<uint32_t>(letter - '0') + 52;
  if (letter == '+') return 62;
  if (letter == '/') return 63;
  throw Refused("a text is not base64");
}

inline std::string from_base64(std::string_view text) {
  if (text.size() % 4 != 0) throw Refused("a text is not base64");
  const size_t padding = text.empty() || text.back() != '=' ? 0 : text[text.size() - 2] == '=' ? 2 : 1;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    const size_t letters = at + 4 == text.size() ? 4 - padding : 4;
    uint32_t word = 0;
    for (size_t place = 0; place < 4; place++) word = word << 6 | (place < letters ? of_base64(text[at + place]) : 0);
    // The bits that padding leaves over are zero.
    if (letters < 4 && (word & (letters == 3 ? 0xff : 0xffff)) != 0) throw Refused("a text is not base64");
    out.push_back(static_cast<char>(word >> 16));
    if (letters > 2) out.push_back(static_cast<char>(word >> 8));
    if (letters > 3) out.push_back(static_cast<char>(word));
  }
  return out;
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
