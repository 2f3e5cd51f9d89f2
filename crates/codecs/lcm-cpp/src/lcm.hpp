// LCM with the classes that lcm-gen writes for C++, as an application uses them: it fills a struct, asks for its encoded size, and
// encodes into a buffer of that size.
#pragma once

#include <memory>

#include <lcm/lcm.h>

#include "wiredyno/plain.hpp"

namespace {

using Root = domain::M0;
using Made = wd::plain::made_of<Root>;

// Counts are big-endian; that of a text includes the NUL at its end.
struct Layout {
  static constexpr bool nul = true;
  static uint32_t count(const char *at) {
    uint32_t count;
    std::memcpy(&count, at, sizeof count);
    return __builtin_bswap32(count);
  }
};

// The first eight bytes, which say what type it is.
constexpr size_t fingerprint = 8;

// lcm-gen's code takes the length of a text from its first NUL.
template <class T> void admit(const T &value) {
  if constexpr (wd::is_message_v<T>) {
    wd::each<T>([&](auto field) { admit(value.*decltype(field)::member); });
  } else if constexpr (wd::is_text_v<T>) {
    if (value.find('\0') != std::string::npos) throw wd::Refused("a text contains U+0000, at which LCM's texts end");
  } else if constexpr (wd::is_optional_v<T>) {
    if (value.has_value()) admit(*value);
  } else if constexpr (wd::is_list_v<T>) {
    if constexpr (wd::is_message_v<typename T::value_type> || wd::is_text_v<typename T::value_type>) {
      for (const auto &one : value) admit(one);
    }
  } else if constexpr (wd::is_map_v<T>) {
    for (const auto &[key, one] : value) {
      admit(key);
      admit(one);
    }
  }
}

inline size_t write(const Made &made, void *to, size_t room) {
  const int length = made.encode(to, 0, static_cast<int>(room));
  if (length < 0) throw wd::Refused("lcm-gen's encode failed");
  return static_cast<size_t>(length);
}

struct LcmGen {
  struct State {
    // Grows to the largest message.
    std::unique_ptr<char[]> out;
    size_t room = 0;
  };
  struct Fresh {
    std::unique_ptr<char[]> bytes;
    size_t length;
  };
  using Object = Made;
  using Decoded = Made;
#define WD_TEXT_OF(number) #number
#define WD_TEXT(number) WD_TEXT_OF(number)
  static constexpr const char *version = WD_TEXT(LCM_MAJOR_VERSION) "." WD_TEXT(LCM_MINOR_VERSION) "." WD_TEXT(LCM_MICRO_VERSION);

  static void check(const Root &value) { admit(value); }
  static Object build(State &, const Root &value) {
    Made made;
    wd::plain::put(value, made);
    return made;
  }
  static std::string_view encode(State &state, const Object &made) {
    const size_t length = static_cast<size_t>(made.getEncodedSize());
    if (length > state.room) {
      state.out.reset(new char[length]);
      state.room = length;
    }
    return {state.out.get(), write(made, state.out.get(), length)};
  }
  static Fresh encode_fresh(State &, const Object &made) {
    const size_t length = static_cast<size_t>(made.getEncodedSize());
    Fresh fresh{std::unique_ptr<char[]>(new char[length]), length};
    write(made, fresh.bytes.get(), length);
    return fresh;
  }
  static std::string_view view(const Fresh &fresh) { return {fresh.bytes.get(), fresh.length}; }
  static Decoded decode(State &, std::string_view body) {
    if constexpr (wd::plain::is_checked<Layout, Root>()) {
      if (body.size() < fingerprint) throw wd::Refused("it ends too early");
      wd::plain::Fits<Layout>(body.substr(fingerprint)).template check<Root>();
    }
    Made made;
    const int read = made.decode(body.data(), 0, static_cast<int>(body.size()));
    if (read < 0) throw wd::Refused("lcm-gen's decode failed: the fingerprint is of another type, or it ends too early");
    if (static_cast<size_t>(read) != body.size()) throw wd::Refused("bytes follow the message");
    return made;
  }
  static uint64_t read(State &, const Decoded &made) {
    wd::Digest digest;
    wd::plain::touch<Root>(made, digest);
    return digest.value();
  }
  static void lift(State &, const Decoded &made, Root &value) { wd::plain::lift(made, value); }
};

}  // namespace
