// FlatBuffers with Google's library, as an application uses it: a FlatBufferBuilder, the generated Create functions, Verifier, accessors.
#pragma once

#include <algorithm>
#include <tuple>

#include <flatbuffers/flatbuffers.h>

#include "access.hpp"
#include "wiredyno/shape.hpp"

namespace {

using Builder = flatbuffers::FlatBufferBuilder;

template <class M> using table_of = typename TableOf<M>::type;

// What the accessor of a field returns: a number, an enum, an optional of these, or a pointer.
template <class F> using got_t = std::decay_t<decltype(Access<F>::get(std::declval<const table_of<typename F::Owner> &>()))>;

// The type of a vector's elements in the buffer: of the accessor's pointer to a vector.
template <class F> using element_t = typename std::remove_pointer_t<got_t<F>>::return_type;

// The offset of anything, 0 for none.
struct Place {
  flatbuffers::uoffset_t at = 0;
  template <class T> operator flatbuffers::Offset<T>() const { return flatbuffers::Offset<T>(at); }
};

template <class M> Place create(Builder &out, const M &value);

inline Place create_text(Builder &out, const std::string &text) { return {out.CreateString(text).o}; }

inline Place create_bytes(Builder &out, const wd::Bytes &bytes) {
  return {out.CreateVector(reinterpret_cast<const uint8_t *>(bytes.data.data()), bytes.data.size()).o};
}

// A text, a byte string or a message.
template <class T> Place create_one(Builder &out, const T &value) {
  if constexpr (wd::is_text_v<T>) {
    return create_text(out, value);
  } else if constexpr (wd::is_bytes_v<T>) {
    return create_bytes(out, value);
  } else {
    return create(out, value);
  }
}

template <class T> constexpr bool is_offset() { return wd::is_text_v<T> || wd::is_bytes_v<T> || wd::is_message_v<T>; }

template <class T> inline Place create_offsets(Builder &out, const std::vector<flatbuffers::Offset<T>> &offsets) {
  return {out.CreateVector(offsets).o};
}

template <class F, class T> Place create_list(Builder &out, const std::vector<T> &values) {
  if (values.empty()) return {};
  if constexpr (wd::is_bytes_v<T>) {
    // Around each is a table of one field.
    using Table = std::remove_cv_t<std::remove_pointer_t<element_t<F>>>;
    std::vector<flatbuffers::Offset<Table>> offsets;
    offsets.reserve(values.size());
    for (const T &value : values) {
      const Place bytes = value.data.empty() ? Place{} : create_bytes(out, value);
      typename Table::Builder table(out);
      table.add_value(bytes);
      offsets.push_back(table.Finish());
    }
    return create_offsets(out, offsets);
  } else if constexpr (wd::is_text_v<T>) {
    return {out.CreateVectorOfStrings(values).o};
  } else if constexpr (wd::is_message_v<T>) {
    std::vector<flatbuffers::Offset<table_of<T>>> offsets;
    offsets.reserve(values.size());
    for (const T &value : values) offsets.push_back(create(out, value));
    return create_offsets(out, offsets);
  } else if constexpr (std::is_enum_v<T>) {
    using E = std::underlying_type_t<std::decay_t<element_t<F>>>;
    return {out.CreateVectorScalarCast<E>(values.data(), values.size()).o};
  } else {
    return {out.CreateVector(values).o};
  }
}

// The value of an enum in the buffer's type.
template <class E, class T> E cast(T value) {
  return static_cast<E>(value);
}

template <class F, class K, class V> Place create_map(Builder &out, const std::map<K, V> &values) {
  if (values.empty()) return {};
  using Entry = std::remove_cv_t<std::remove_pointer_t<element_t<F>>>;
  std::vector<flatbuffers::Offset<Entry>> offsets;
  offsets.reserve(values.size());
  for (const auto &[key, value] : values) {
    Place key_at, value_at;
    if constexpr (wd::is_text_v<K>) {
      if (!key.empty()) key_at = create_text(out, key);
    }
    if constexpr (wd::is_message_v<V>) {
      value_at = create(out, value);
    } else if constexpr (wd::is_text_v<V>) {
      if (!value.empty()) value_at = create_text(out, value);
    } else if constexpr (wd::is_bytes_v<V>) {
      if (!value.data.empty()) value_at = create_bytes(out, value);
    }
    typename Entry::Builder table(out);
    if constexpr (is_offset<V>()) {
      table.add_value(value_at);
    } else {
      table.add_value(cast<std::decay_t<decltype(std::declval<const Entry &>().value())>>(value));
    }
    if constexpr (wd::is_text_v<K>) {
      table.add_key(key_at);
    } else {
      table.add_key(key);
    }
    offsets.push_back(table.Finish());
  }
  return create_offsets(out, offsets);
}

// What the generated Create function takes for a field: a number, an enum, an optional of these, or an offset.
template <class F> auto argument(Builder &out, const typename F::Owner &value) {
  using T = wd::member_t<F>;
  const T &own = value.*F::member;
  if constexpr (wd::is_list_v<T>) {
    return create_list<F>(out, own);
  } else if constexpr (wd::is_map_v<T>) {
    return create_map<F>(out, own);
  } else if constexpr (wd::is_optional_v<T>) {
    if constexpr (is_offset<typename T::value_type>()) {
      return own.has_value() ? create_one(out, *own) : Place{};
    } else {
      using O = got_t<F>;
      return own.has_value() ? O(cast<typename O::value_type>(*own)) : O();
    }
  } else if constexpr (wd::is_message_v<T>) {
    return create(out, own);
  } else if constexpr (wd::is_text_v<T>) {
    return own.empty() ? Place{} : create_text(out, own);
  } else if constexpr (wd::is_bytes_v<T>) {
    return own.data.empty() ? Place{} : create_bytes(out, own);
  } else {
    return cast<got_t<F>>(own);
  }
}

template <class M, class... F> Place create_of(Builder &out, const M &value, wd::Fields<F...>) {
  // In braces, so that parts are made in the definition's order.
  std::tuple arguments{argument<F>(out, value)...};
  return std::apply([&](const auto &...all) { return Place{TableOf<M>::create(out, all...).o}; }, arguments);
}

template <class M> Place create(Builder &out, const M &value) { return create_of(out, value, typename wd::Shape<M>::Fields{}); }

// A text or byte string of a buffer; empty where it was left out.
inline std::string_view chars(const flatbuffers::String *from) {
  return from == nullptr ? std::string_view() : std::string_view(from->c_str(), from->size());
}

inline std::string_view chars(const flatbuffers::Vector<uint8_t> *from) {
  return from == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char *>(from->data()), from->size());
}

// What a walk may touch. The verifier counts tables alone, and many offsets may point at one long vector.
class Budget {
  size_t left;

public:
  explicit Budget(size_t bytes) : left(bytes) {}
  void spend(size_t bytes) {
    if (bytes > left) throw wd::Refused("it refers to the same bytes many times");
    left -= bytes;
  }
};

// A digest within a budget.
struct Walk : wd::Digest {
  Budget budget;

  explicit Walk(size_t bytes) : budget(bytes) {}
  void bytes(std::string_view bytes) {
    budget.spend(bytes.size());
    wd::Digest::bytes(bytes);
  }
};

template <class M> void touch(const table_of<M> &from, Walk &digest);

template <class T, class V> void touch_one(const V &value, Walk &digest) {
  if constexpr (wd::is_text_v<T> || wd::is_bytes_v<T>) {
    digest.bytes(chars(value));
  } else if constexpr (wd::is_message_v<T>) {
    if (value == nullptr) throw wd::Refused("a message is missing");
    touch<T>(*value, digest);
  } else if constexpr (std::is_enum_v<T>) {
    digest.scalar(static_cast<int32_t>(value));
  } else {
    digest.scalar(static_cast<T>(value));
  }
}

template <class T, class Vector> void touch_list(const Vector *list, Walk &digest) {
  digest.number(list == nullptr ? 0 : list->size());
  if (list == nullptr) return;
  // Each element takes a byte at least.
  digest.budget.spend(list->size());
  for (const auto one : *list) {
    if constexpr (wd::is_bytes_v<T>) {
      digest.bytes(chars(one->value()));
    } else {
      touch_one<T>(one, digest);
    }
  }
}

// The key of an entry in the application's type, or a view of it.
template <class K, class Entry> auto key_of(const Entry *entry) {
  if constexpr (wd::is_text_v<K>) {
    return chars(entry->key());
  } else {
    return static_cast<K>(entry->key());
  }
}

// In the order of keys: other writers may have another one.
template <class K, class V, class Vector> void touch_map(const Vector *map, Walk &digest) {
  digest.number(map == nullptr ? 0 : map->size());
  if (map == nullptr) return;
  digest.budget.spend(map->size());
  const auto touch_entry = [&](const auto *entry) {
    if constexpr (wd::is_text_v<K>) {
      digest.bytes(key_of<K>(entry));
    } else {
      digest.scalar(key_of<K>(entry));
    }
    touch_one<V>(entry->value(), digest);
  };
  const auto is_before = [](const auto *one, const auto *other) { return key_of<K>(one) < key_of<K>(other); };
  if (std::is_sorted(map->begin(), map->end(), is_before)) {
    for (const auto *entry : *map) touch_entry(entry);
    return;
  }
  std::vector<typename Vector::return_type> entries(map->begin(), map->end());
  std::sort(entries.begin(), entries.end(), is_before);
  for (const auto *entry : entries) touch_entry(entry);
}

// The phase `read`.
template <class M> void touch(const table_of<M> &from, Walk &digest) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    const auto got = Access<F>::get(from);
    if constexpr (wd::is_list_v<T>) {
      touch_list<typename T::value_type>(got, digest);
    } else if constexpr (wd::is_map_v<T>) {
      touch_map<typename T::key_type, typename T::mapped_type>(got, digest);
    } else if constexpr (wd::is_optional_v<T>) {
      using E = typename T::value_type;
      if constexpr (is_offset<E>()) {
        digest.number(got != nullptr ? 1 : 0);
        if (got != nullptr) touch_one<E>(got, digest);
      } else {
        digest.number(got.has_value() ? 1 : 0);
        if (got.has_value()) touch_one<E>(*got, digest);
      }
    } else {
      touch_one<T>(got, digest);
    }
  });
}

template <class M> void lift_table(const table_of<M> &from, M &out);

template <class T, class V> T lifted(const V &value) {
  if constexpr (wd::is_text_v<T>) {
    return std::string(chars(value));
  } else if constexpr (wd::is_bytes_v<T>) {
    return wd::Bytes{std::string(chars(value))};
  } else if constexpr (wd::is_message_v<T>) {
    if (value == nullptr) throw wd::Refused("a message is missing");
    T made{};
    lift_table(*value, made);
    return made;
  } else {
    return static_cast<T>(value);
  }
}

// The application's value, outside every clock.
template <class M> void lift_table(const table_of<M> &from, M &out) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    T &own = out.*F::member;
    const auto got = Access<F>::get(from);
    if constexpr (wd::is_list_v<T>) {
      using E = typename T::value_type;
      if (got == nullptr) return;
      for (const auto one : *got) {
        if constexpr (wd::is_bytes_v<E>) {
          own.push_back(lifted<E>(one->value()));
        } else {
          own.push_back(lifted<E>(one));
        }
      }
    } else if constexpr (wd::is_map_v<T>) {
      if (got == nullptr) return;
      for (const auto *entry : *got) {
        own.insert_or_assign(typename T::key_type(key_of<typename T::key_type>(entry)), lifted<typename T::mapped_type>(entry->value()));
      }
    } else if constexpr (wd::is_optional_v<T>) {
      using E = typename T::value_type;
      if constexpr (is_offset<E>()) {
        if (got != nullptr) own.emplace() = lifted<E>(got);
      } else {
        if (got.has_value()) own.emplace() = lifted<E>(*got);
      }
    } else {
      own = lifted<T>(got);
    }
  });
}

using Root = domain::M0;
using Table = table_of<Root>;

#define WD_TEXT_OF(number) #number
#define WD_TEXT(number) WD_TEXT_OF(number)

struct Flatbuffers {
  struct State {
    Builder builder;
  };
  // The builder takes the application's value.
  struct Object {
    const Root *value;
  };
  struct Decoded {
    const Table *table;
    size_t bytes;
  };
  using Fresh = flatbuffers::DetachedBuffer;
  static constexpr const char *version =
      WD_TEXT(FLATBUFFERS_VERSION_MAJOR) "." WD_TEXT(FLATBUFFERS_VERSION_MINOR) "." WD_TEXT(FLATBUFFERS_VERSION_REVISION);

  static void finish(Builder &builder, const Root &value) {
    builder.Finish(static_cast<flatbuffers::Offset<Table>>(create(builder, value)));
  }

  static Object build(State &, const Root &value) { return {&value}; }
  static std::string_view encode(State &state, const Object &object) {
    state.builder.Clear();
    finish(state.builder, *object.value);
    return {reinterpret_cast<const char *>(state.builder.GetBufferPointer()), state.builder.GetSize()};
  }
  static Fresh encode_fresh(State &, const Object &object) {
    Builder builder;
    finish(builder, *object.value);
    return builder.Release();
  }
  static std::string_view view(const Fresh &bytes) { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }
  static Decoded decode(State &, std::string_view body) {
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(body.data()), body.size());
    if (!verifier.VerifyBuffer<Table>(nullptr)) throw wd::Refused("the verifier refuses it");
    return {flatbuffers::GetRoot<Table>(body.data()), body.size()};
  }
  static uint64_t read(State &, const Decoded &decoded) {
    Walk digest(decoded.bytes);
    touch<Root>(*decoded.table, digest);
    return digest.value();
  }
  static void lift(State &state, const Decoded &decoded, Root &value) {
    // Within the budget of a walk.
    read(state, decoded);
    lift_table(*decoded.table, value);
  }
};

}  // namespace
