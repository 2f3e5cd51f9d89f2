// What the code that is generated from a message definition says about its types, and how codecs walk them.
//
// The application's values are plain structs, `domain::M0` (the root), `domain::M1` ...: std::string, std::vector, std::map,
// std::optional, numbers. `wd::Shape<M>` lists the fields of a message as types. A member of a oneof is an optional of its own,
// of which at most one is present. Walks are folds over the list, so a compiler sees straight-line code for each message, as if it
// had been written by hand for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "digest.hpp"

namespace wd {

// Bytes or a value that a codec refuses. Like every other exception it ends at the C interface, which gives its text.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A byte string, as opposed to a text.
struct Bytes {
  std::string data;
  bool operator==(const Bytes &other) const { return data == other.data; }
};

// An optional message that contains itself: what std::optional is for the others.
template <class T> class Box {
  std::unique_ptr<T> inner;

public:
  using value_type = T;
  Box() = default;
  Box(Box &&) = default;
  Box &operator=(Box &&) = default;
  Box(const Box &other) : inner(other.inner ? std::make_unique<T>(*other.inner) : nullptr) {}
  Box &operator=(const Box &other) {
    inner = other.inner ? std::make_unique<T>(*other.inner) : nullptr;
    return *this;
  }
  bool has_value() const { return inner != nullptr; }
  const T &operator*() const { return *inner; }
  T &operator*() { return *inner; }
  T &emplace() {
    inner = std::make_unique<T>();
    return *inner;
  }
};

// How Protobuf writes an integer or a real.
enum class Wire { none, varint, zigzag, fixed32, fixed64 };

template <class... F> struct Fields {
  static constexpr size_t count = sizeof...(F);
};

// Specialised for each message: `name`, `index`, `Fields`, `oneofs`.
template <class M> struct Shape;

// Specialised for each enum: `values`.
template <class E> struct Enumeration;

struct EnumValue {
  int32_t number;
  std::string_view name;
};

struct Oneof {
  std::string_view name;
  bool required;
};

template <class T, class = void> struct is_message : std::false_type {};
template <class T> struct is_message<T, std::void_t<typename Shape<T>::Fields>> : std::true_type {};
template <class T> inline constexpr bool is_message_v = is_message<T>::value;

template <class T> struct is_optional : std::false_type {};
template <class T> struct is_optional<std::optional<T>> : std::true_type {};
template <class T> struct is_optional<Box<T>> : std::true_type {};
template <class T> inline constexpr bool is_optional_v = is_optional<T>::value;

template <class T> struct is_list : std::false_type {};
template <class T> struct is_list<std::vector<T>> : std::true_type {};
template <class T> inline constexpr bool is_list_v = is_list<T>::value;

template <class T> struct is_map : std::false_type {};
template <class K, class V> struct is_map<std::map<K, V>> : std::true_type {};
template <class T> inline constexpr bool is_map_v = is_map<T>::value;

template <class T> inline constexpr bool is_text_v = std::is_same_v<T, std::string>;
template <class T> inline constexpr bool is_bytes_v = std::is_same_v<T, Bytes>;

// The type of a field's member.
template <class F> using member_t = std::decay_t<decltype(std::declval<typename F::Owner>().*F::member)>;

template <class Visit, class... F> inline void each_of(Visit &&visit, Fields<F...>) {
  (visit(F{}), ...);
}

// Calls `visit` with each field of a message, in the definition's order.
template <class M, class Visit> inline void each(Visit &&visit) {
  each_of(std::forward<Visit>(visit), typename Shape<M>::Fields{});
}

template <class Visit, class... F> inline bool first_of(Visit &&visit, Fields<F...>) {
  return (visit(F{}) || ...);
}

// The same until one of the calls returns true; whether one did.
template <class M, class Visit> inline bool first(Visit &&visit) {
  return first_of(std::forward<Visit>(visit), typename Shape<M>::Fields{});
}

// The name of an enum's value.
template <class E> inline std::string_view name_of(E value) {
  for (const EnumValue &known : Enumeration<E>::values) {
    if (known.number == static_cast<int32_t>(value)) return known.name;
  }
  throw Refused("an enum has no value " + std::to_string(static_cast<int32_t>(value)));
}

// The enum's value with this number.
template <class E> inline E number_in(int64_t number) {
  for (const EnumValue &known : Enumeration<E>::values) {
    if (known.number == number) return static_cast<E>(known.number);
  }
  throw Refused("an enum has no value " + std::to_string(number));
}

// The enum's value with this name.
template <class E> inline E named_in(std::string_view name) {
  for (const EnumValue &known : Enumeration<E>::values) {
    if (known.name == name) return static_cast<E>(known.number);
  }
  throw Refused("an enum has no value \"" + std::string(name) + "\"");
}

// A number as another type, if it fits. One of 64 bits keeps them, signed or not.
template <class To, class From> To fitted(From value) {
  if constexpr (std::is_same_v<To, From> || std::is_floating_point_v<From>) {
    return static_cast<To>(value);
  } else {
    const To made = static_cast<To>(value);
    constexpr bool keeps_bits = sizeof(To) == 8 && sizeof(From) == 8;
    if (static_cast<From>(made) != value || (!keeps_bits && (made < To{}) != (value < From{}))) {
      throw Refused("a number is out of range");
    }
    return made;
  }
}

[[noreturn]] [[gnu::cold]] inline void missing(std::string_view field) {
  throw Refused("the field `" + std::string(field) + "` is missing");
}

template <class M> void check(const M &message);

template <class T> inline void check_value(const T &value) {
  if constexpr (is_message_v<T>) {
    check(value);
  } else if constexpr (is_optional_v<T>) {
    if (value.has_value()) check_value(*value);
  } else if constexpr (is_list_v<T>) {
    if constexpr (is_message_v<typename T::value_type>) {
      for (const auto &one : value) check(one);
    }
  } else if constexpr (is_map_v<T>) {
    if constexpr (is_message_v<typename T::mapped_type>) {
      for (const auto &entry : value) check(entry.second);
    }
  }
}

// Refuses a value with several members of a oneof, or with none where one is required.
template <class M> void check(const M &message) {
  std::array<size_t, Shape<M>::oneofs.size() + 1> present{};
  each<M>([&](auto field) {
    using F = decltype(field);
    const auto &value = message.*F::member;
    check_value(value);
    if constexpr (F::oneof >= 0) present[F::oneof] += value.has_value() ? 1 : 0;
  });
  for (size_t at = 0; at < Shape<M>::oneofs.size(); at++) {
    const Oneof &oneof = Shape<M>::oneofs[at];
    if (present[at] > 1) throw Refused("several members of the oneof `" + std::string(oneof.name) + "` are present");
    if (present[at] == 0 && oneof.required) missing(oneof.name);
  }
}

}  // namespace wd
