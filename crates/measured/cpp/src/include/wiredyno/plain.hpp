// Between the application's values and plain structs that a format's compiler generates (lcm-gen, gencpp): structs without absent
// members, maps and unions.
//
// Their stand-ins are those of the format's codec in Rust: an optional field, and each alternative of a oneof, is a list of at most one
// element; a map is a list of {key, value}; bytes inside such lists are a struct around a list of bytes; an enum is an integer.
//
// One file because filling and reading mirror each other, shape by shape.
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>

#include "shape.hpp"

// All of it is in an anonymous namespace: two codecs in one program have other structs for the same message.
namespace wd::plain {
namespace {

// The generated struct of a message, as `type`: specialised for each message by WD_MESSAGE.
template <class M> struct MadeOf;

// A field's member of the generated struct: specialised for each field by WD_FIELD, or by WD_LIST where another member has the length
// of its list.
template <class F> struct Access;

template <class M> using made_of = typename MadeOf<M>::type;

// The type of a field's member in the generated struct.
template <class F> using made_t = std::remove_reference_t<decltype(Access<F>::at(std::declval<made_of<typename F::Owner> &>()))>;

// Whether a member is a list of any length; the others have a fixed one.
template <class T, class = void> struct grows : std::false_type {};
template <class T> struct grows<T, std::void_t<decltype(std::declval<T &>().resize(1))>> : std::true_type {};

// Whether a struct around bytes has a member for their length.
template <class T, class = void> struct counts : std::false_type {};
template <class T> struct counts<T, std::void_t<decltype(std::declval<T &>().data_count)>> : std::true_type {};

// Makes a list as long as `length`; a fixed one has to be.
template <class List> void lengthen(List &list, size_t length) {
  if constexpr (grows<List>::value) {
    list.resize(length);
  } else if (std::size(list) != length) {
    throw Refused("a list of " + std::to_string(std::size(list)) + " elements has " + std::to_string(length));
  }
}

template <class M> void put(const M &value, made_of<M> &made);

template <class List> void put_bytes(const Bytes &bytes, List &list) {
  const auto *own = reinterpret_cast<const uint8_t *>(bytes.data.data());
  if constexpr (grows<List>::value) {
    list.assign(own, own + bytes.data.size());
  } else {
    lengthen(list, bytes.data.size());
    std::copy(own, own + bytes.data.size(), std::begin(list));
  }
}

// One element: of a list, a map's value, or a field that is always present.
template <class T, class To> void put_one(const T &value, To &made) {
  if constexpr (is_message_v<T>) {
    put(value, made);
  } else if constexpr (is_text_v<T>) {
    made = value;
  } else if constexpr (is_bytes_v<T>) {
    put_bytes(value, made.data);
    if constexpr (counts<To>::value) made.data_count = fitted<int32_t>(value.data.size());
  } else if constexpr (std::is_enum_v<T>) {
    made = fitted<To>(static_cast<int32_t>(value));
  } else {
    made = fitted<To>(value);
  }
}

// The phase `build`: fills a generated struct, whose lists are empty.
template <class M> void put(const M &value, made_of<M> &made) {
  each<M>([&](auto field) {
    using F = decltype(field);
    using T = member_t<F>;
    const T &own = value.*F::member;
    auto &to = Access<F>::at(made);
    if constexpr (is_list_v<T>) {
      using One = typename T::value_type;
      if constexpr (std::is_same_v<std::decay_t<decltype(to[0])>, One> && !std::is_same_v<One, bool> && grows<made_t<F>>::value) {
        to.assign(own.begin(), own.end());
      } else {
        lengthen(to, own.size());
        for (size_t at = 0; at < own.size(); at++) put_one<One>(own[at], to[at]);
      }
      Access<F>::counted(made, own.size());
    } else if constexpr (is_map_v<T>) {
      lengthen(to, own.size());
      auto entry = std::begin(to);
      for (const auto &[key, one] : own) {
        put_one(key, entry->key);
        put_one(one, entry->value);
        ++entry;
      }
      Access<F>::counted(made, own.size());
    } else if constexpr (is_optional_v<T>) {
      if (own.has_value()) {
        lengthen(to, 1);
        put_one(*own, to[0]);
      }
      Access<F>::counted(made, own.has_value() ? 1 : 0);
    } else if constexpr (is_bytes_v<T>) {
      put_bytes(own, to);
      Access<F>::counted(made, own.data.size());
    } else {
      put_one(own, to);
    }
  });
}

// A list of bytes as they lie in memory.
template <class List> std::string_view chars(const List &list) {
  return {std::size(list) == 0 ? "" : reinterpret_cast<const char *>(&list[0]), std::size(list)};
}

template <class M> void touch(const made_of<M> &made, Digest &digest);

template <class T, class From> void touch_one(const From &made, Digest &digest) {
  if constexpr (is_message_v<T>) {
    touch<T>(made, digest);
  } else if constexpr (is_text_v<T>) {
    digest.bytes(made);
  } else if constexpr (is_bytes_v<T>) {
    digest.bytes(chars(made.data));
  } else if constexpr (std::is_enum_v<T>) {
    digest.scalar(static_cast<int32_t>(made));
  } else {
    digest.scalar(fitted<T>(made));
  }
}

// In the order of keys: other writers may have another one.
template <class K, class V, class List> void touch_map(const List &entries, Digest &digest) {
  digest.number(std::size(entries));
  const auto touch_entry = [&](const auto &entry) {
    touch_one<K>(entry.key, digest);
    touch_one<V>(entry.value, digest);
  };
  // An unsigned key may stand in a signed member.
  const auto key = [](const auto &entry) {
    if constexpr (is_text_v<K>) {
      return std::string_view(entry.key);
    } else {
      return static_cast<K>(entry.key);
    }
  };
  // Each key is greater than the one before.
  const auto is_after = [&](const auto &one, const auto &other) { return !(key(one) < key(other)); };
  if (std::adjacent_find(std::begin(entries), std::end(entries), is_after) == std::end(entries)) {
    for (const auto &entry : entries) touch_entry(entry);
    return;
  }
  std::vector<std::decay_t<decltype(&entries[0])>> sorted;
  sorted.reserve(std::size(entries));
  for (const auto &entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [&](const auto *one, const auto *other) { return key(*one) < key(*other); });
  const auto is_same = [&](const auto *one, const auto *other) { return key(*one) == key(*other); };
  if (std::adjacent_find(sorted.begin(), sorted.end(), is_same) != sorted.end()) throw Refused("a map has a key twice");
  for (const auto *entry : sorted) touch_entry(*entry);
}

// The one element of a list that stands for an optional field; nullptr for none.
template <class List> auto *only(const List &list) {
  if (list.size() > 1) throw Refused("a list that stands for an optional field has several elements");
  return list.empty() ? nullptr : &list[0];
}

// The phase `read`.
template <class M> void touch(const made_of<M> &made, Digest &digest) {
  each<M>([&](auto field) {
    using F = decltype(field);
    using T = member_t<F>;
    const auto &from = Access<F>::at(made);
    if constexpr (is_list_v<T>) {
      digest.number(std::size(from));
      for (const auto &one : from) touch_one<typename T::value_type>(one, digest);
    } else if constexpr (is_map_v<T>) {
      touch_map<typename T::key_type, typename T::mapped_type>(from, digest);
    } else if constexpr (is_optional_v<T>) {
      const auto *one = only(from);
      digest.number(one != nullptr ? 1 : 0);
      if (one != nullptr) touch_one<typename T::value_type>(*one, digest);
    } else if constexpr (is_bytes_v<T>) {
      digest.bytes(chars(from));
    } else {
      touch_one<T>(from, digest);
    }
  });
}

template <class M> void lift(const made_of<M> &made, M &out);

template <class T, class From> void lift_one(const From &made, T &out) {
  if constexpr (is_message_v<T>) {
    lift(made, out);
  } else if constexpr (is_text_v<T>) {
    out = made;
  } else if constexpr (is_bytes_v<T>) {
    out.data = chars(made.data);
  } else if constexpr (std::is_enum_v<T>) {
    out = number_in<T>(made);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (made != 0 && made != 1) throw Refused("a bool is neither 0 nor 1");
    out = made != 0;
  } else {
    out = fitted<T>(made);
  }
}

// The application's value, outside every clock.
template <class M> void lift(const made_of<M> &made, M &out) {
  each<M>([&](auto field) {
    using F = decltype(field);
    using T = member_t<F>;
    T &own = out.*F::member;
    const auto &from = Access<F>::at(made);
    if constexpr (is_list_v<T>) {
      for (const auto &one : from) {
        typename T::value_type lifted{};
        lift_one(one, lifted);
        own.push_back(std::move(lifted));
      }
    } else if constexpr (is_map_v<T>) {
      for (const auto &entry : from) {
        typename T::key_type key{};
        lift_one(entry.key, key);
        typename T::mapped_type lifted{};
        lift_one(entry.value, lifted);
        if (!own.emplace(std::move(key), std::move(lifted)).second) throw Refused("a map has a key twice");
      }
    } else if constexpr (is_optional_v<T>) {
      if (const auto *one = only(from)) lift_one(*one, own.emplace());
    } else if constexpr (is_bytes_v<T>) {
      own.data = chars(from);
    } else {
      lift_one(from, own);
    }
  });
}

// Whether bytes hold as many elements as their lists say. The generated decoders make a list as long as its count says before they look
// at what follows: a damaged count would take all memory. Nothing else is checked.
//
// `Layout::count` is the value of the four bytes before a list or a text; `Layout::nul` says that a text ends with a NUL, which its length
// counts, and that the decoder does not look whether it does.
template <class Layout> class Fits {
  const char *at;
  const char *end;
  int depth = 0;

  size_t left() const { return static_cast<size_t>(end - at); }

  void skip(size_t bytes) {
    if (bytes > left()) throw Refused("it ends too early");
    at += bytes;
  }

  size_t count() {
    const char *own = at;
    skip(4);
    return Layout::count(own);
  }

  // The bytes of a number, or of a struct of nothing but numbers; 0 where that depends on the value.
  template <class T, class Made> static constexpr size_t width() {
    if constexpr (is_message_v<T> || is_text_v<T> || is_bytes_v<T>) {
      return 0;
    } else {
      return sizeof(Made);
    }
  }

  template <class T, class Made> void one() {
    if constexpr (is_message_v<T>) {
      message<T>();
    } else if constexpr (is_text_v<T>) {
      const size_t length = count();
      skip(length);
      if constexpr (Layout::nul) {
        if (length == 0 || at[-1] != '\0') throw Refused("a text does not end with a NUL");
      }
    } else if constexpr (is_bytes_v<T>) {
      skip(length_of<decltype(Made::data)>());
    } else {
      skip(sizeof(Made));
    }
  }

  template <class T, class Made> void many(size_t length) {
    if constexpr (width<T, Made>() > 0) {
      if (length > left() / width<T, Made>()) throw Refused("it ends too early");
      skip(length * width<T, Made>());
    } else {
      const char *before = at;
      for (size_t done = 0; done < length; done++) {
        one<T, Made>();
        // Elements without bytes could be of any number.
        if (at == before && done == max_empty) throw Refused("a list has too many elements without bytes");
      }
    }
  }

  template <class List> size_t length_of() {
    if constexpr (grows<List>::value) {
      return count();
    } else {
      return sizeof(List) / sizeof(std::declval<List &>()[0]);
    }
  }

  template <class F> void field() {
    using T = member_t<F>;
    using Made = made_t<F>;
    if constexpr (is_list_v<T> || is_optional_v<T>) {
      using One = std::decay_t<decltype(std::declval<Made &>()[0])>;
      many<typename T::value_type, One>(length_of<Made>());
    } else if constexpr (is_map_v<T>) {
      using Entry = std::decay_t<decltype(std::declval<Made &>()[0])>;
      for (size_t left_over = length_of<Made>(); left_over > 0; left_over--) {
        one<typename T::key_type, decltype(Entry::key)>();
        one<typename T::mapped_type, decltype(Entry::value)>();
      }
    } else if constexpr (is_bytes_v<T>) {
      skip(length_of<Made>());
    } else {
      one<T, Made>();
    }
  }

  template <class M> void message() {
    if (++depth > max_depth) throw Refused("it nests deeper than 100 messages");
    each<M>([&](auto one_of) { field<decltype(one_of)>(); });
    depth--;
  }

  static constexpr size_t max_empty = 1 << 16;
  static constexpr int max_depth = 100;

public:
  Fits(std::string_view body) : at(body.data()), end(body.data() + body.size()) {}

  template <class M> void check() { message<M>(); }
};

// Whether a message, or one in it, has something that `Fits` checks: a list that grows, or a text with a NUL at its end.
template <class Layout, class M> constexpr bool is_checked();

template <class Layout, class T> constexpr bool is_element_checked() {
  if constexpr (is_message_v<T>) {
    return is_checked<Layout, T>();
  } else {
    return is_text_v<T> && Layout::nul;
  }
}

template <class Layout, class F> constexpr bool is_field_checked() {
  using T = member_t<F>;
  if constexpr (is_text_v<T>) {
    return Layout::nul;
  } else if constexpr (grows<made_t<F>>::value) {
    return true;
  } else if constexpr (is_list_v<T>) {
    return is_element_checked<Layout, typename T::value_type>();
  } else {
    return is_element_checked<Layout, T>();
  }
}

template <class Layout, class... F> constexpr bool is_any_checked(Fields<F...>) { return (is_field_checked<Layout, F>() || ...); }

template <class Layout, class M> constexpr bool is_checked() { return is_any_checked<Layout>(typename Shape<M>::Fields{}); }

}  // namespace
}  // namespace wd::plain

#define WD_MESSAGE(own, made) \
  namespace wd::plain { \
  namespace { \
  template <> struct MadeOf<own> { using type = made; }; \
  } \
  } \
  static_assert(true)

#define WD_FIELD(field, name) \
  namespace wd::plain { \
  namespace { \
  template <> struct Access<field> { \
    template <class T> static auto &at(T &made) { return made.name; } \
    template <class T> static void counted(T &, size_t) {} \
  }; \
  } \
  } \
  static_assert(true)

#define WD_LIST(field, name) \
  namespace wd::plain { \
  namespace { \
  template <> struct Access<field> { \
    template <class T> static auto &at(T &made) { return made.name; } \
    template <class T> static void counted(T &made, size_t length) { made.name##_count = fitted<int32_t>(length); } \
  }; \
  } \
  } \
  static_assert(true)
