// Values on their way between the runner and C++: Protobuf bytes, outside every clock.
//
// The runner has already checked what it hands over, and checks what it gets. Still nothing is read beyond the end of the bytes.
#pragma once

#include <cstring>

#include "shape.hpp"

namespace wd::bridge {

class Reader {
  const uint8_t *at;
  const uint8_t *end;

public:
  Reader(const uint8_t *at, size_t length) : at(at), end(at + length) {}

  bool is_empty() const { return at == end; }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at == end) break;
      const uint8_t byte = *at++;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw Refused("a value handed over is not Protobuf");
  }

  template <class T> T fixed() {
    T value;
    if (static_cast<size_t>(end - at) < sizeof value) throw Refused("a value handed over is not Protobuf");
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }

  Reader block() {
    const uint64_t length = varint();
    if (length > static_cast<uint64_t>(end - at)) throw Refused("a value handed over is not Protobuf");
    const uint8_t *from = at;
    at += length;
    return Reader(from, length);
  }

  void skip(uint32_t type) {
    switch (type) {
    case 0: varint(); break;
    case 1: fixed<uint64_t>(); break;
    case 2: block(); break;
    case 5: fixed<uint32_t>(); break;
    default: throw Refused("a value handed over is not Protobuf");
    }
  }

  std::string text() const { return std::string(reinterpret_cast<const char *>(at), end - at); }
};

template <class M> void read(Reader in, M &message);

template <class T, Wire W> inline void read_scalar(Reader &in, T &value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    value = in.fixed<T>();
  } else if constexpr (W == Wire::fixed32) {
    value = static_cast<T>(in.fixed<int32_t>());
  } else if constexpr (W == Wire::fixed64) {
    value = static_cast<T>(in.fixed<uint64_t>());
  } else if constexpr (W == Wire::zigzag) {
    const uint64_t bits = in.varint();
    value = static_cast<T>(static_cast<int64_t>((bits >> 1) ^ (~(bits & 1) + 1)));
  } else if constexpr (std::is_same_v<T, bool>) {
    value = in.varint() != 0;
  } else {
    value = static_cast<T>(in.varint());
  }
}

template <class T, Wire W> inline void read_one(Reader &in, T &value) {
  if constexpr (is_text_v<T>) {
    value = in.block().text();
  } else if constexpr (is_bytes_v<T>) {
    value.data = in.block().text();
  } else if constexpr (is_message_v<T>) {
    read(in.block(), value);
  } else {
    read_scalar<T, W>(in, value);
  }
}

template <class F> inline void read_field(Reader &in, uint32_t type, member_t<F> &value) {
  using T = member_t<F>;
  if constexpr (is_optional_v<T>) {
    read_one<typename T::value_type, F::wire>(in, value.emplace());
  } else if constexpr (is_list_v<T>) {
    using E = typename T::value_type;
    if constexpr (F::wire != Wire::none) {
      if (type == 2) {
        for (Reader packed = in.block(); !packed.is_empty();) {
          E one{};
          read_scalar<E, F::wire>(packed, one);
          value.push_back(one);
        }
        return;
      }
    }
    E one{};
    read_one<E, F::wire>(in, one);
    value.push_back(std::move(one));
  } else if constexpr (is_map_v<T>) {
    typename T::key_type key{};
    typename T::mapped_type mapped{};
    for (Reader entry = in.block(); !entry.is_empty();) {
      const uint64_t tag = entry.varint();
      if (tag >> 3 == 1) {
        read_one<typename T::key_type, F::key_wire>(entry, key);
      } else if (tag >> 3 == 2) {
        read_one<typename T::mapped_type, F::wire>(entry, mapped);
      } else {
        entry.skip(tag & 7);
      }
    }
    value.insert_or_assign(std::move(key), std::move(mapped));
  } else {
    read_one<T, F::wire>(in, value);
  }
}

// Fills a message.
template <class M> void read(Reader in, M &message) {
  while (!in.is_empty()) {
    const uint64_t tag = in.varint();
    const bool known = first<M>([&](auto field) {
      using F = decltype(field);
      if (tag >> 3 != F::number) return false;
      read_field<F>(in, tag & 7, message.*F::member);
      return true;
    });
    if (!known) in.skip(tag & 7);
  }
}

inline void put_varint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

template <class T> inline void put_fixed(std::string &out, T value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

template <class M> void write(std::string &out, const M &message);

template <class T, Wire W> constexpr uint32_t wire_type() {
  if constexpr (is_text_v<T> || is_bytes_v<T> || is_message_v<T>) return 2;
  if constexpr (std::is_same_v<T, float> || W == Wire::fixed32) return 5;
  if constexpr (std::is_same_v<T, double> || W == Wire::fixed64) return 1;
  return 0;
}

template <class T, Wire W> inline void write_one(std::string &out, uint32_t number, const T &value) {
  put_varint(out, static_cast<uint64_t>(number) << 3 | wire_type<T, W>());
  if constexpr (is_text_v<T>) {
    put_varint(out, value.size());
    out.append(value);
  } else if constexpr (is_bytes_v<T>) {
    put_varint(out, value.data.size());
    out.append(value.data);
  } else if constexpr (is_message_v<T>) {
    std::string inner;
    write(inner, value);
    put_varint(out, inner.size());
    out.append(inner);
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    put_fixed(out, value);
  } else if constexpr (W == Wire::fixed32) {
    put_fixed(out, static_cast<uint32_t>(value));
  } else if constexpr (W == Wire::fixed64) {
    put_fixed(out, static_cast<uint64_t>(value));
  } else if constexpr (W == Wire::zigzag) {
    const int64_t number_of = static_cast<int64_t>(value);
    put_varint(out, static_cast<uint64_t>(number_of) << 1 ^ static_cast<uint64_t>(number_of >> 63));
  } else if constexpr (std::is_unsigned_v<T>) {
    put_varint(out, value);
  } else {
    put_varint(out, static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
}

// Appends a message, with all fields that have a value, defaults included.
template <class M> void write(std::string &out, const M &message) {
  each<M>([&](auto field) {
    using F = decltype(field);
    using T = member_t<F>;
    const T &value = message.*F::member;
    if constexpr (is_optional_v<T>) {
      if (value.has_value()) write_one<typename T::value_type, F::wire>(out, F::number, *value);
    } else if constexpr (is_list_v<T>) {
      using E = typename T::value_type;
      for (size_t at = 0; at < value.size(); at++) {
        if constexpr (std::is_same_v<E, bool>) {
          write_one<bool, F::wire>(out, F::number, static_cast<bool>(value[at]));
        } else {
          write_one<E, F::wire>(out, F::number, value[at]);
        }
      }
    } else if constexpr (is_map_v<T>) {
      for (const auto &entry : value) {
        std::string inner;
        write_one<typename T::key_type, F::key_wire>(inner, 1, entry.first);
        write_one<typename T::mapped_type, F::wire>(inner, 2, entry.second);
        put_varint(out, static_cast<uint64_t>(F::number) << 3 | 2);
        put_varint(out, inner.size());
        out.append(inner);
      }
    } else {
      write_one<T, F::wire>(out, F::number, value);
    }
  });
}

}  // namespace wd::bridge
