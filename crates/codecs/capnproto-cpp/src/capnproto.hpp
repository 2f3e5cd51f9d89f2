// Cap'n Proto with the classes of its own compiler, as an application uses them: a MallocMessageBuilder filled by setters, a message written
// to memory, a reader over the received words. One file because both codecs fill, read and touch the same objects.
#pragma once

#include <algorithm>
#include <cstring>

#include <capnp/message.h>
#include <capnp/serialize-packed.h>
#include <capnp/serialize.h>
#include <kj/io.h>

#include "access.hpp"
#include "wiredyno/shape.hpp"

namespace {

using Root = domain::M0;

template <class M> using class_of = typename ClassOf<M>::type;
template <class M> using reader_of = typename class_of<M>::Reader;
template <class M> using builder_of = typename class_of<M>::Builder;

using Class = class_of<Root>;

// The numbers of an enum's values in ascending order: Cap'n Proto knows only places in it.
template <class E> constexpr auto ascending() {
  std::array<int32_t, wd::Enumeration<E>::values.size()> numbers{};
  for (size_t at = 0; at < numbers.size(); at++) {
    size_t place = at;
    const int32_t number = wd::Enumeration<E>::values[at].number;
    for (; place > 0 && numbers[place - 1] > number; place--) numbers[place] = numbers[place - 1];
    numbers[place] = number;
  }
  return numbers;
}

template <class E> inline constexpr auto numbers_of = ascending<E>();

// Whether places and numbers are the same.
template <class E> constexpr bool counts() {
  for (size_t at = 0; at < numbers_of<E>.size(); at++) {
    if (numbers_of<E>[at] != static_cast<int32_t>(at)) return false;
  }
  return true;
}

template <class To, class E> To place_of(E value) {
  const auto number = static_cast<int32_t>(value);
  if constexpr (counts<E>()) {
    if (number < 0 || static_cast<size_t>(number) >= numbers_of<E>.size()) throw wd::Refused("an enum has no value " + std::to_string(number));
    return static_cast<To>(number);
  } else {
    const auto found = std::lower_bound(numbers_of<E>.begin(), numbers_of<E>.end(), number);
    if (found == numbers_of<E>.end() || *found != number) throw wd::Refused("an enum has no value " + std::to_string(number));
    return static_cast<To>(found - numbers_of<E>.begin());
  }
}

template <class E, class From> E value_at(From place) {
  const auto at = static_cast<size_t>(place);
  if (at >= numbers_of<E>.size()) throw wd::Refused("an enum has no value at place " + std::to_string(at));
  return static_cast<E>(numbers_of<E>[at]);
}

inline capnp::Text::Reader text(const std::string &value) { return {value.data(), value.size()}; }

inline capnp::Data::Reader data(const wd::Bytes &value) {
  return {reinterpret_cast<const kj::byte *>(value.data.data()), value.data.size()};
}

inline unsigned length(size_t own) { return wd::fitted<unsigned>(own); }

template <class M> void fill(const M &value, builder_of<M> to);

// One value that is not a message, through a function that sets it.
template <class T, class To, class Set> void set_one(const T &value, Set set) {
  if constexpr (wd::is_text_v<T>) {
    set(text(value));
  } else if constexpr (wd::is_bytes_v<T>) {
    set(data(value));
  } else if constexpr (std::is_enum_v<T>) {
    set(place_of<To>(value));
  } else {
    set(wd::fitted<To>(value));
  }
}

// What a getter gives.
template <class F, class From> using got_t = std::decay_t<decltype(Access<F>::get(std::declval<From>()))>;

template <class T> constexpr bool is_pointer_v = wd::is_text_v<T> || wd::is_bytes_v<T>;

template <class F, class T, class Around> void fill_field(const T &own, Around around) {
  if constexpr (wd::is_message_v<T>) {
    fill(own, Access<F>::init(around));
  } else if constexpr (is_pointer_v<T>) {
    set_one<T, T>(own, [&](auto made) { Access<F>::set(around, made); });
  } else {
    set_one<T, got_t<F, Around>>(own, [&](auto made) { Access<F>::set(around, made); });
  }
}

// Fills a message, outermost first.
template <class M> void fill(const M &value, builder_of<M> to) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    const T &own = value.*F::member;
    auto around = Access<F>::around(to);
    if constexpr (wd::is_optional_v<T>) {
      if (!own.has_value()) return;
      if constexpr (Access<F>::flagged) Access<F>::mark(around);
      fill_field<F>(*own, around);
    } else if constexpr (wd::is_list_v<T>) {
      using One = typename T::value_type;
      if (own.empty()) return;
      auto list = Access<F>::init(around, length(own.size()));
      for (unsigned at = 0; at < own.size(); at++) {
        if constexpr (wd::is_message_v<One>) {
          fill(own[at], list[at]);
        } else if constexpr (is_pointer_v<One>) {
          set_one<One, One>(own[at], [&](auto made) { list.set(at, made); });
        } else {
          set_one<One, std::decay_t<decltype(list.asReader()[at])>>(own[at], [&](auto made) { list.set(at, made); });
        }
      }
    } else if constexpr (wd::is_map_v<T>) {
      if (own.empty()) return;
      auto list = Access<F>::init(around, length(own.size()));
      unsigned at = 0;
      for (const auto &[key, one] : own) {
        using K = typename T::key_type;
        using V = typename T::mapped_type;
        auto entry = list[at++];
        if constexpr (is_pointer_v<K>) {
          set_one<K, K>(key, [&](auto made) { entry.setKey(made); });
        } else {
          set_one<K, std::decay_t<decltype(entry.getKey())>>(key, [&](auto made) { entry.setKey(made); });
        }
        if constexpr (wd::is_message_v<V>) {
          fill(one, entry.initValue());
        } else if constexpr (is_pointer_v<V>) {
          set_one<V, V>(one, [&](auto made) { entry.setValue(made); });
        } else {
          set_one<V, std::decay_t<decltype(entry.getValue())>>(one, [&](auto made) { entry.setValue(made); });
        }
      }
    } else if constexpr (is_pointer_v<T>) {
      // An empty one is a null pointer.
      if constexpr (wd::is_text_v<T>) {
        if (own.empty()) return;
      } else {
        if (own.data.empty()) return;
      }
      fill_field<F>(own, around);
    } else {
      fill_field<F>(own, around);
    }
  });
}

inline std::string_view chars(capnp::Text::Reader from) { return {from.begin(), from.size()}; }
inline std::string_view chars(capnp::Data::Reader from) { return {reinterpret_cast<const char *>(from.begin()), from.size()}; }

// Whether an optional field, or a member of a union, is present.
template <class F, class Around> bool is_present(Around around) {
  using E = typename wd::member_t<F>::value_type;
  if constexpr (F::oneof >= 0 || Access<F>::flagged) {
    return Access<F>::is(around);
  } else {
    static_assert(wd::is_message_v<E> || is_pointer_v<E>, "it is a pointer");
    return Access<F>::has(around);
  }
}

template <class M> void touch(reader_of<M> from, wd::Digest &digest);

template <class T, class From> void touch_one(From from, wd::Digest &digest) {
  if constexpr (wd::is_message_v<T>) {
    touch<T>(from, digest);
  } else if constexpr (is_pointer_v<T>) {
    digest.bytes(chars(from));
  } else if constexpr (std::is_enum_v<T>) {
    digest.scalar(static_cast<int32_t>(value_at<T>(from)));
  } else {
    digest.scalar(static_cast<T>(from));
  }
}

template <class K, class Entry> auto key_of(Entry entry) {
  if constexpr (wd::is_text_v<K>) {
    return chars(entry.getKey());
  } else {
    return static_cast<K>(entry.getKey());
  }
}

// In the order of keys: other writers may have another one.
template <class K, class V, class List> void touch_map(List list, wd::Digest &digest) {
  digest.number(list.size());
  bool is_sorted = true;
  for (unsigned at = 1; at < list.size() && is_sorted; at++) is_sorted = key_of<K>(list[at - 1]) < key_of<K>(list[at]);
  const auto touch_entry = [&](auto entry) {
    touch_one<K>(entry.getKey(), digest);
    touch_one<V>(entry.getValue(), digest);
  };
  if (is_sorted) {
    for (auto entry : list) touch_entry(entry);
    return;
  }
  std::vector<unsigned> places(list.size());
  for (unsigned at = 0; at < list.size(); at++) places[at] = at;
  std::sort(places.begin(), places.end(), [&](unsigned one, unsigned other) { return key_of<K>(list[one]) < key_of<K>(list[other]); });
  const auto is_same = [&](unsigned one, unsigned other) { return key_of<K>(list[one]) == key_of<K>(list[other]); };
  if (std::adjacent_find(places.begin(), places.end(), is_same) != places.end()) throw wd::Refused("a map has a key twice");
  for (const unsigned at : places) touch_entry(list[at]);
}

// The phase `read`.
template <class M> void touch(reader_of<M> from, wd::Digest &digest) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    const auto around = Access<F>::around(from);
    if constexpr (wd::is_optional_v<T>) {
      const bool is_here = is_present<F>(around);
      digest.number(is_here ? 1 : 0);
      if (is_here) touch_one<typename T::value_type>(Access<F>::get(around), digest);
    } else if constexpr (wd::is_list_v<T>) {
      const auto list = Access<F>::get(around);
      digest.number(list.size());
      for (auto one : list) touch_one<typename T::value_type>(one, digest);
    } else if constexpr (wd::is_map_v<T>) {
      touch_map<typename T::key_type, typename T::mapped_type>(Access<F>::get(around), digest);
    } else {
      touch_one<T>(Access<F>::get(around), digest);
    }
  });
}

template <class M> void lift_message(reader_of<M> from, M &out);

template <class T, class From> T lifted(From from) {
  if constexpr (wd::is_message_v<T>) {
    T out{};
    lift_message(from, out);
    return out;
  } else if constexpr (wd::is_text_v<T>) {
    return std::string(chars(from));
  } else if constexpr (wd::is_bytes_v<T>) {
    return wd::Bytes{std::string(chars(from))};
  } else if constexpr (std::is_enum_v<T>) {
    return value_at<T>(from);
  } else {
    return wd::fitted<T>(from);
  }
}

// The application's value, outside every clock.
template <class M> void lift_message(reader_of<M> from, M &out) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    T &own = out.*F::member;
    const auto around = Access<F>::around(from);
    if constexpr (wd::is_optional_v<T>) {
      if (is_present<F>(around)) own.emplace() = lifted<typename T::value_type>(Access<F>::get(around));
    } else if constexpr (wd::is_list_v<T>) {
      for (auto one : Access<F>::get(around)) own.push_back(lifted<typename T::value_type>(one));
    } else if constexpr (wd::is_map_v<T>) {
      for (auto entry : Access<F>::get(around)) {
        const bool is_new = own.emplace(lifted<typename T::key_type>(entry.getKey()), lifted<typename T::mapped_type>(entry.getValue())).second;
        if (!is_new) throw wd::Refused("a map has a key twice");
      }
    } else {
      own = lifted<T>(Access<F>::get(around));
    }
  });
}

using Words = kj::ArrayPtr<const capnp::word>;

constexpr size_t word = sizeof(capnp::word);
// A first segment of the library's own first size.
constexpr size_t first_words = 1024;

// What a walk may touch: the message once, and some words more, so that pointers to the same thing don't multiply the work.
inline capnp::ReaderOptions limited(size_t words) {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = words + 1024;
  options.nestingLimit = 128;
  return options;
}

// A received message in whole words. Bytes that don't begin at one are copied, as the library's documentation asks for.
class Received {
  kj::Array<capnp::word> copied;

public:
  Words words;

  explicit Received(std::string_view body) {
    if (body.size() % word != 0) throw wd::Refused("its size is not a whole number of words");
    if (reinterpret_cast<uintptr_t>(body.data()) % word == 0) {
      words = Words(reinterpret_cast<const capnp::word *>(body.data()), body.size() / word);
    } else {
      copied = kj::heapArray<capnp::word>(body.size() / word);
      std::memcpy(copied.begin(), body.data(), body.size());
      words = copied;
    }
  }
};

struct Shared {
  // The builder takes the application's value.
  struct Object {
    const Root *value;
  };
  static constexpr const char *version = WD_LIBRARY_VERSION;

  static std::string_view text_of(kj::ArrayPtr<const kj::byte> bytes) { return {reinterpret_cast<const char *>(bytes.begin()), bytes.size()}; }
};

struct CapnprotoPlain : Shared {
  struct State {
    // Zeroed, as the builder needs it and leaves it.
    kj::Array<capnp::word> first = kj::heapArray<capnp::word>(first_words);
    // Grows to the largest message.
    kj::Array<kj::byte> out;

    State() { std::memset(first.begin(), 0, first.size() * word); }
  };
  using Fresh = kj::Array<capnp::word>;

  // The reader checks the table of segments. It counts what it has touched, so that each reading has one of its own.
  struct Decoded {
    Received received;

    explicit Decoded(std::string_view body) : received(body) {
      const capnp::FlatArrayMessageReader reader(received.words, limited(received.words.size()));
      if (reader.getEnd() != received.words.end()) throw wd::Refused("words follow the message");
    }
  };

  static Object build(State &, const Root &value) { return {&value}; }
  static std::string_view encode(State &state, const Object &object) {
    capnp::MallocMessageBuilder message(state.first);
    fill(*object.value, message.initRoot<Class>());
    const size_t bytes = capnp::computeSerializedSizeInWords(message) * word;
    if (bytes > state.out.size()) state.out = kj::heapArray<kj::byte>(bytes);
    kj::ArrayOutputStream stream(state.out);
    capnp::writeMessage(stream, message);
    return text_of(stream.getArray());
  }
  static Fresh encode_fresh(State &, const Object &object) {
    capnp::MallocMessageBuilder message;
    fill(*object.value, message.initRoot<Class>());
    return capnp::messageToFlatArray(message);
  }
  static std::string_view view(const Fresh &words) { return text_of(words.asBytes()); }
  static Decoded decode(State &, std::string_view body) { return Decoded(body); }
  static uint64_t read(State &, const Decoded &decoded) {
    capnp::FlatArrayMessageReader reader(decoded.received.words, limited(decoded.received.words.size()));
    wd::Digest digest;
    touch<Root>(reader.getRoot<Class>(), digest);
    return digest.value();
  }
  static void lift(State &, const Decoded &decoded, Root &value) {
    capnp::FlatArrayMessageReader reader(decoded.received.words, limited(decoded.received.words.size()));
    lift_message(reader.getRoot<Class>(), value);
  }
};

// The most words that packed bytes may become: unpacking is bounded, and so is a walk.
inline capnp::ReaderOptions limited_packed(size_t bytes) { return limited(bytes * 16 + (1 << 16)); }

struct CapnprotoPacked : Shared {
  struct State {
    kj::Array<capnp::word> first = kj::heapArray<capnp::word>(first_words);
    // It can't be cleared: a new one for each message.
    std::optional<kj::VectorOutputStream> out;

    State() { std::memset(first.begin(), 0, first.size() * word); }
  };
  struct Fresh {
    std::unique_ptr<kj::VectorOutputStream> out;
  };

  struct Decoded {
    kj::ArrayInputStream stream;
    mutable capnp::PackedMessageReader reader;
    std::vector<Words> segments;
    size_t bytes;

    explicit Decoded(std::string_view body)
        : stream(kj::arrayPtr(reinterpret_cast<const kj::byte *>(body.data()), body.size())),
          reader(stream, limited_packed(body.size())),
          bytes(body.size()) {
      for (unsigned at = 0;; at++) {
        const Words segment = reader.getSegment(at);
        if (segment == nullptr) break;
        segments.push_back(segment);
      }
      if (stream.tryGetReadBuffer().size() > 0) throw wd::Refused("bytes follow the message");
    }

  };

  static Object build(State &, const Root &value) { return {&value}; }
  static std::string_view encode(State &state, const Object &object) {
    capnp::MallocMessageBuilder message(state.first);
    fill(*object.value, message.initRoot<Class>());
    capnp::writePackedMessage(state.out.emplace(), message);
    return text_of(state.out->getArray());
  }
  static Fresh encode_fresh(State &, const Object &object) {
    capnp::MallocMessageBuilder message;
    fill(*object.value, message.initRoot<Class>());
    auto out = std::make_unique<kj::VectorOutputStream>();
    capnp::writePackedMessage(*out, message);
    return {std::move(out)};
  }
  static std::string_view view(const Fresh &fresh) { return text_of(fresh.out->getArray()); }
  static Decoded decode(State &, std::string_view body) { return Decoded(body); }
  static uint64_t read(State &, const Decoded &decoded) {
    capnp::SegmentArrayMessageReader reader(kj::arrayPtr(decoded.segments.data(), decoded.segments.size()), limited_packed(decoded.bytes));
    wd::Digest digest;
    touch<Root>(reader.getRoot<Class>(), digest);
    return digest.value();
  }
  static void lift(State &, const Decoded &decoded, Root &value) {
    capnp::SegmentArrayMessageReader reader(kj::arrayPtr(decoded.segments.data(), decoded.segments.size()), limited_packed(decoded.bytes));
    lift_message(reader.getRoot<Class>(), value);
  }
};

}  // namespace
