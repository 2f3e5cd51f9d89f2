// Protobuf with libprotobuf, as an application uses it: setters, SerializeToString, ParseFromArray, accessors.
#pragma once

#include <algorithm>

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/common.h>

#include "access.hpp"
#include "wiredyno/shape.hpp"

namespace {

template <class M> using class_of = typename ClassOf<M>::type;

template <class M> void fill(const M &value, class_of<M> &out);

// Sets a field that holds one element.
template <class F, class T, class C> void put(C &out, const T &value) {
  if constexpr (wd::is_bytes_v<T>) {
    Access<F>::set(out, value.data);
  } else if constexpr (wd::is_message_v<T>) {
    fill(value, *Access<F>::change(out));
  } else if constexpr (std::is_enum_v<T>) {
    Access<F>::set(out, static_cast<std::decay_t<decltype(Access<F>::get(out))>>(value));
  } else {
    Access<F>::set(out, value);
  }
}

template <class F, class T, class C> void put_list(C &out, const std::vector<T> &values) {
  if (values.empty()) return;
  auto &list = *Access<F>::change(out);
  list.Reserve(static_cast<int>(values.size()));
  if constexpr (std::is_arithmetic_v<T>) {
    list.Add(values.begin(), values.end());
  } else {
    for (const T &value : values) {
      if constexpr (wd::is_text_v<T>) {
        *list.Add() = value;
      } else if constexpr (wd::is_bytes_v<T>) {
        *list.Add() = value.data;
      } else if constexpr (wd::is_message_v<T>) {
        fill(value, *list.Add());
      } else {
        list.Add(static_cast<int>(value));
      }
    }
  }
}

template <class F, class K, class V, class C> void put_map(C &out, const std::map<K, V> &values) {
  if (values.empty()) return;
  auto &map = *Access<F>::change(out);
  for (const auto &[key, value] : values) {
    if constexpr (wd::is_bytes_v<V>) {
      map[key] = value.data;
    } else if constexpr (wd::is_message_v<V>) {
      fill(value, map[key]);
    } else if constexpr (std::is_enum_v<V>) {
      map[key] = static_cast<std::decay_t<decltype(map[key])>>(value);
    } else {
      map[key] = value;
    }
  }
}

// The phase `build`.
template <class M> void fill(const M &value, class_of<M> &out) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    const T &own = value.*F::member;
    if constexpr (wd::is_optional_v<T>) {
      if (own.has_value()) put<F>(out, *own);
    } else if constexpr (wd::is_list_v<T>) {
      put_list<F>(out, own);
    } else if constexpr (wd::is_map_v<T>) {
      put_map<F>(out, own);
    } else {
      put<F>(out, own);
    }
  });
}

template <class M> void touch(const class_of<M> &from, wd::Digest &digest);

// Touches one element of the application's type T.
template <class T, class V> void touch_one(const V &value, wd::Digest &digest) {
  if constexpr (wd::is_text_v<T> || wd::is_bytes_v<T>) {
    digest.bytes(value);
  } else if constexpr (wd::is_message_v<T>) {
    touch<T>(value, digest);
  } else if constexpr (std::is_enum_v<T>) {
    digest.scalar(static_cast<int32_t>(value));
  } else {
    digest.scalar(static_cast<T>(value));
  }
}

// Entries come in hash order; equal values must give equal digests.
template <class K, class V, class Map> void touch_map(const Map &map, wd::Digest &digest) {
  digest.number(map.size());
  std::vector<const typename Map::value_type *> entries;
  entries.reserve(map.size());
  for (const auto &entry : map) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](auto *one, auto *other) { return one->first < other->first; });
  for (const auto *entry : entries) {
    touch_one<K>(entry->first, digest);
    touch_one<V>(entry->second, digest);
  }
}

// The phase `read`.
template <class M> void touch(const class_of<M> &from, wd::Digest &digest) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    if constexpr (wd::is_optional_v<T>) {
      const bool present = Access<F>::has(from);
      digest.number(present ? 1 : 0);
      if (present) touch_one<typename T::value_type>(Access<F>::get(from), digest);
    } else if constexpr (wd::is_list_v<T>) {
      const auto &list = Access<F>::get(from);
      digest.number(static_cast<uint64_t>(list.size()));
      for (const auto &one : list) touch_one<typename T::value_type>(one, digest);
    } else if constexpr (wd::is_map_v<T>) {
      touch_map<typename T::key_type, typename T::mapped_type>(Access<F>::get(from), digest);
    } else {
      touch_one<T>(Access<F>::get(from), digest);
    }
  });
}

template <class M> void lift(const class_of<M> &from, M &out);

template <class T, class V> T lifted(const V &value) {
  if constexpr (wd::is_bytes_v<T>) {
    return wd::Bytes{value};
  } else if constexpr (wd::is_message_v<T>) {
    T made{};
    lift(value, made);
    return made;
  } else {
    return static_cast<T>(value);
  }
}

// The application's value, outside every clock.
template <class M> void lift(const class_of<M> &from, M &out) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    T &own = out.*F::member;
    if constexpr (wd::is_optional_v<T>) {
      if (Access<F>::has(from)) own.emplace() = lifted<typename T::value_type>(Access<F>::get(from));
    } else if constexpr (wd::is_list_v<T>) {
      for (const auto &one : Access<F>::get(from)) own.push_back(lifted<typename T::value_type>(one));
    } else if constexpr (wd::is_map_v<T>) {
      for (const auto &entry : Access<F>::get(from)) own.insert_or_assign(entry.first, lifted<typename T::mapped_type>(entry.second));
    } else {
      if constexpr (F::required) {
        if (!Access<F>::has(from)) wd::missing(F::name);
      }
      own = lifted<T>(Access<F>::get(from));
    }
  });
}

using Root = domain::M0;
using Message = class_of<Root>;

// Appends the bytes of a message to an empty text.
inline void serialize(const Message &message, std::string &out) {
  if constexpr (!HAS_MAPS) {
    if (!message.SerializeToString(&out)) throw wd::Refused("the library does not serialize it");
  } else {
    out.resize(message.ByteSizeLong());
    google::protobuf::io::ArrayOutputStream array(out.data(), static_cast<int>(out.size()));
    google::protobuf::io::CodedOutputStream stream(&array);
    stream.SetSerializationDeterministic(true);
    message.SerializeWithCachedSizes(&stream);
  }
}

inline void parse(std::string_view body, Message &message) {
  if (!message.ParseFromArray(body.data(), static_cast<int>(body.size()))) throw wd::Refused("it is not a message of this type");
}

// Reports what is wrong by results alone, not on standard error.
struct Quiet {
  Quiet() { google::protobuf::SetLogHandler(nullptr); }
};

// The digits of the version in the library's headers.
constexpr int part(int place) { return GOOGLE_PROTOBUF_VERSION / place % 1000; }

template <int Major, int Minor, int Patch> struct Version {
  static constexpr auto make() {
    std::array<char, 12> text{};
    size_t at = 0;
    const int parts[] = {Major, Minor, Patch};
    for (int number = 0; number < 3; number++) {
      if (number > 0) text[at++] = '.';
      if (parts[number] >= 100) text[at++] = static_cast<char>('0' + parts[number] / 100);
      if (parts[number] >= 10) text[at++] = static_cast<char>('0' + parts[number] / 10 % 10);
      text[at++] = static_cast<char>('0' + parts[number] % 10);
    }
    return text;
  }
  static constexpr std::array<char, 12> text = make();
};

struct Shared {
  struct State {
    Quiet quiet;
    std::string out;
  };
  using Fresh = std::string;
  static constexpr const char *version = Version<part(1000000), part(1000), part(1)>::text.data();
  static std::string_view view(const std::string &bytes) { return bytes; }
};

// Messages as values.
struct Libprotobuf : Shared {
  using Object = Message;
  using Decoded = Message;

  static Object build(State &, const Root &value) {
    Message message;
    fill(value, message);
    return message;
  }
  static std::string_view encode(State &state, const Object &message) {
    serialize(message, state.out);
    return state.out;
  }
  static Fresh encode_fresh(State &, const Object &message) {
    std::string out;
    serialize(message, out);
    return out;
  }
  static Decoded decode(State &, std::string_view body) {
    Message message;
    parse(body, message);
    return message;
  }
  static uint64_t read(State &, const Decoded &message) {
    wd::Digest digest;
    touch<Root>(message, digest);
    return digest.value();
  }
  static void lift(State &, const Decoded &message, Root &value) { ::lift(message, value); }
};

// A message in an arena of its own.
struct OnArena {
  google::protobuf::Arena arena;
  Message *message = google::protobuf::Arena::CreateMessage<Message>(&arena);

  explicit OnArena(const Root &value) { fill(value, *message); }
  explicit OnArena(std::string_view body) { parse(body, *message); }
};

struct LibprotobufArena : Shared {
  using Object = OnArena;
  using Decoded = OnArena;

  static Object build(State &, const Root &value) { return OnArena(value); }
  static std::string_view encode(State &state, const Object &object) { return Libprotobuf::encode(state, *object.message); }
  static Fresh encode_fresh(State &state, const Object &object) { return Libprotobuf::encode_fresh(state, *object.message); }
  static Decoded decode(State &, std::string_view body) { return OnArena(body); }
  static uint64_t read(State &state, const Decoded &object) { return Libprotobuf::read(state, *object.message); }
  static void lift(State &, const Decoded &object, Root &value) { ::lift(*object.message, value); }
};

}  // namespace
