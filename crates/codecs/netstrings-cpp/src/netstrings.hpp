// Netstrings of 2015 as OpenDaVINCI's visitors write them: a serializer visits the fields of a message and puts each into a string
// stream; a deserializer takes the payload into a string stream, notes where each field begins, and visits the fields by their ids.
#pragma once

#include <cstring>
#include <map>
#include <sstream>

#include "wiredyno/walk.hpp"

namespace {

using Root = domain::M0;

constexpr char magic[2] = {'\xaa', '\xcf'};
// The most elements of a list whose elements take no bytes, and the deepest nesting of messages.
constexpr size_t max_empty = 1 << 16;
constexpr int max_depth = 100;

// The bytes of a value of this type; 0 where that depends on the value.
template <class T> constexpr uint32_t width() {
  if constexpr (std::is_same_v<T, bool>) {
    return 1;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return sizeof(T);
  } else {
    return 0;
  }
}

// A number, big-endian.
template <class N> void put(std::ostream &out, N value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  for (size_t at = 0; at < sizeof value / 2; at++) std::swap(bytes[at], bytes[sizeof value - 1 - at]);
  out.write(bytes, sizeof value);
}

inline void put_length(std::ostream &out, size_t length) {
  if (length > UINT32_MAX) throw wd::Refused("a length does not fit 32 bits");
  put(out, static_cast<uint32_t>(length));
}

inline void put_string(std::ostream &out, std::string_view text) {
  put_length(out, text.size());
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

template <class M> void put_message(std::ostream &out, const M &message);

template <class T> void put_value(std::ostream &out, const T &value) {
  if constexpr (wd::is_message_v<T>) {
    put_message(out, value);
  } else if constexpr (wd::is_text_v<T>) {
    put_string(out, value);
  } else if constexpr (wd::is_bytes_v<T>) {
    put_string(out, value.data);
  } else if constexpr (std::is_enum_v<T>) {
    put(out, static_cast<int32_t>(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    put(out, static_cast<uint8_t>(value ? 1 : 0));
  } else {
    put(out, value);
  }
}

template <class F> void put_count(std::ostream &out, size_t count) {
  if constexpr (F::fixed_length >= 0) {
    if (count != static_cast<size_t>(F::fixed_length)) throw wd::Refused("a list does not have its fixed length");
  } else {
    put_length(out, count);
  }
}

// What a message is asked to show its fields to.
class Serializer {
  std::ostringstream fields;

  // A value whose size is not known before it is written.
  template <class Write> void sized(Write write) {
    std::ostringstream inner;
    write(inner);
    put_string(fields, inner.str());
  }

public:
  template <class F, class T> void visit(const T &value) {
    if constexpr (wd::is_optional_v<T>) {
      if (value.has_value()) visit<F>(*value);
      return;
    } else {
      put(fields, F::number);
      if constexpr (width<T>() > 0) {
        put(fields, width<T>());
        put_value(fields, value);
      } else if constexpr (wd::is_text_v<T>) {
        put_length(fields, value.size() + 4);
        put_string(fields, value);
      } else if constexpr (wd::is_bytes_v<T>) {
        put_length(fields, value.data.size() + 4);
        put_string(fields, value.data);
      } else if constexpr (wd::is_list_v<T>) {
        sized([&](std::ostream &inner) {
          put_count<F>(inner, value.size());
          for (size_t at = 0; at < value.size(); at++) put_value<typename T::value_type>(inner, value[at]);
        });
      } else if constexpr (wd::is_map_v<T>) {
        sized([&](std::ostream &inner) {
          put_count<F>(inner, value.size());
          for (const auto &[key, one] : value) {
            put_value(inner, key);
            put_value(inner, one);
          }
        });
      } else {
        sized([&](std::ostream &inner) { put_message(inner, value); });
      }
    }
  }

  void finish(std::ostream &out) {
    out.write(magic, sizeof magic);
    put_string(out, fields.str());
    out.put(',');
  }
};

template <class M> void put_message(std::ostream &out, const M &message) {
  Serializer serializer;
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    serializer.template visit<F>(message.*F::member);
  });
  serializer.finish(out);
}

// The bytes that a string stream still has.
inline size_t left(std::istream &in) {
  const std::streamsize available = in.rdbuf()->in_avail();
  return available > 0 ? static_cast<size_t>(available) : 0;
}

inline void take(std::istream &in, char *to, size_t length) {
  in.read(to, static_cast<std::streamsize>(length));
  if (!in) throw wd::Refused("it ends too early");
}

template <class N> N get(std::istream &in) {
  char bytes[sizeof(N)];
  take(in, bytes, sizeof bytes);
  for (size_t at = 0; at < sizeof bytes / 2; at++) std::swap(bytes[at], bytes[sizeof bytes - 1 - at]);
  N value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

inline std::string get_string(std::istream &in) {
  const size_t length = get<uint32_t>(in);
  if (length > left(in)) throw wd::Refused("it ends too early");
  std::string text(length, '\0');
  if (length > 0) take(in, text.data(), length);
  return text;
}

template <class M> void get_message(std::istream &in, M &message, int depth);

template <class T> void get_value(std::istream &in, T &value, int depth) {
  if constexpr (wd::is_message_v<T>) {
    get_message(in, value, depth + 1);
  } else if constexpr (wd::is_text_v<T>) {
    value = get_string(in);
  } else if constexpr (wd::is_bytes_v<T>) {
    value.data = get_string(in);
  } else if constexpr (std::is_enum_v<T>) {
    value = wd::number_in<T>(get<int32_t>(in));
  } else if constexpr (std::is_same_v<T, bool>) {
    const uint8_t byte = get<uint8_t>(in);
    if (byte > 1) throw wd::Refused("a bool is neither 0 nor 1");
    value = byte == 1;
  } else {
    value = get<T>(in);
  }
}

template <class F> size_t get_count(std::istream &in) {
  if constexpr (F::fixed_length >= 0) {
    return static_cast<size_t>(F::fixed_length);
  } else {
    const size_t count = get<uint32_t>(in);
    if (count > std::max(left(in), max_empty)) throw wd::Refused("a list has more elements than bytes follow");
    return count;
  }
}

// What a message is asked to fill its fields from.
class Deserializer {
  std::istringstream fields;
  // Where each field's size is, by its id.
  std::map<uint32_t, std::streamoff> places;
  int depth;

public:
  Deserializer(std::istream &in, int depth) : depth(depth) {
    char found[2];
    take(in, found, sizeof found);
    if (std::memcmp(found, magic, sizeof magic) != 0) throw wd::Refused("it does not begin with AA CF");
    const std::string payload = get_string(in);
    if (in.get() != ',') throw wd::Refused("there is no comma at the end of a message");
    fields.str(payload);
    while (left(fields) > 0) {
      const uint32_t id = get<uint32_t>(fields);
      places[id] = fields.tellg();
      const size_t size = get<uint32_t>(fields);
      if (size > left(fields)) throw wd::Refused("it ends too early");
      fields.seekg(static_cast<std::streamoff>(size), std::ios::cur);
    }
  }

  template <class F, class T> void visit(T &value) {
    const auto place = places.find(F::number);
    if (place == places.end()) return;
    fields.clear();
    fields.seekg(place->second);
    const std::streamoff end = get<uint32_t>(fields) + place->second + 4;
    fill<F>(value);
    if (fields.tellg() != std::streampos(end)) throw wd::Refused("a field does not have its stated size");
  }

private:
  template <class F, class T> void fill(T &value) {
    if constexpr (wd::is_optional_v<T>) {
      get_value(fields, value.emplace(), depth);
    } else if constexpr (wd::is_list_v<T>) {
      for (size_t count = get_count<F>(fields); count > 0; count--) {
        typename T::value_type one{};
        get_value(fields, one, depth);
        value.push_back(std::move(one));
      }
    } else if constexpr (wd::is_map_v<T>) {
      for (size_t count = get_count<F>(fields); count > 0; count--) {
        typename T::key_type key{};
        get_value(fields, key, depth);
        get_value(fields, value[key], depth);
      }
    } else {
      get_value(fields, value, depth);
    }
  }
};

template <class M> void get_message(std::istream &in, M &message, int depth) {
  if (depth > max_depth) throw wd::Refused("it nests deeper than 100 messages");
  Deserializer deserializer(in, depth);
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    deserializer.template visit<F>(message.*F::member);
  });
}

struct NetstringsCpp {
  struct State {
    std::string out;
  };
  // The serializer visits the application's value.
  struct Object {
    const Root *value;
  };
  using Decoded = Root;
  using Fresh = std::string;
  static constexpr const char *version = WD_LIBRARY_VERSION;

  static Object build(State &, const Root &value) { return {&value}; }
  static std::string_view encode(State &state, const Object &object) {
    state.out = encode_fresh(state, object);
    return state.out;
  }
  static Fresh encode_fresh(State &, const Object &object) {
    std::ostringstream out;
    put_message(out, *object.value);
    return out.str();
  }
  static std::string_view view(const Fresh &bytes) { return bytes; }
  static Decoded decode(State &, std::string_view body) {
    std::istringstream in{std::string(body)};
    Root message{};
    get_message(in, message, 0);
    if (left(in) > 0) throw wd::Refused("bytes follow the message");
    return message;
  }
  static uint64_t read(State &, const Decoded &message) {
    wd::Digest digest;
    wd::touch(message, digest);
    return digest.value();
  }
  static void lift(State &, const Decoded &message, Root &value) { value = message; }
};

}  // namespace
