// Thrift with the classes of its own compiler, as an application uses them: fields set, write to a protocol over a memory buffer, read
// from one.
#pragma once

#include <memory>

#include <thrift/config.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include "access.hpp"
#include "wiredyno/shape.hpp"

namespace {

using apache::thrift::protocol::TBinaryProtocol;
using apache::thrift::protocol::TCompactProtocol;
using apache::thrift::transport::TMemoryBuffer;

using Root = domain::M0;

template <class M> using class_of = typename ClassOf<M>::type;

using Made = class_of<Root>;

// The object behind a field; of a message that contains itself it is a pointer.
template <class T> T &inside(T &made) { return made; }
template <class T> T &inside(std::shared_ptr<T> &made) { return *made; }
template <class T> const T &inside(const std::shared_ptr<T> &made) {
  if (made == nullptr) throw wd::Refused("a message is missing");
  return *made;
}

template <class T> void create(T &) {}
template <class T> void create(std::shared_ptr<T> &made) { made = std::make_shared<T>(); }

template <class M> void fill(const M &value, class_of<M> &made);

// One value in Thrift's type.
template <class To, class T> To converted(const T &value) {
  if constexpr (wd::is_message_v<T>) {
    To made;
    fill(value, made);
    return made;
  } else if constexpr (wd::is_bytes_v<T>) {
    return value.data;
  } else if constexpr (wd::is_text_v<T>) {
    return value;
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<To>(static_cast<int32_t>(value));
  } else {
    return wd::fitted<To>(value);
  }
}

// The phase `build`.
template <class M> void fill(const M &value, class_of<M> &made) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    const T &own = value.*F::member;
    auto &to = Access<F>::at(made);
    using To = std::decay_t<decltype(to)>;
    if constexpr (wd::is_optional_v<T>) {
      if (!own.has_value()) return;
      if constexpr (wd::is_message_v<typename T::value_type>) {
        create(to);
        fill(*own, inside(to));
      } else {
        to = converted<To>(*own);
      }
    } else if constexpr (wd::is_list_v<T>) {
      using One = typename T::value_type;
      if constexpr (wd::is_message_v<One>) {
        to.resize(own.size());
        for (size_t at = 0; at < own.size(); at++) fill(own[at], to[at]);
      } else {
        to.reserve(own.size());
        for (size_t at = 0; at < own.size(); at++) to.push_back(converted<typename To::value_type, One>(own[at]));
      }
    } else if constexpr (wd::is_map_v<T>) {
      for (const auto &[key, one] : own) {
        to.emplace_hint(to.end(), converted<typename To::key_type>(key), converted<typename To::mapped_type>(one));
      }
    } else if constexpr (wd::is_message_v<T>) {
      fill(own, to);
    } else {
      to = converted<To>(own);
    }
    Access<F>::mark(made);
  });
}

template <class M> void touch(const class_of<M> &made, wd::Digest &digest);

template <class T, class From> void touch_one(const From &from, wd::Digest &digest) {
  if constexpr (wd::is_message_v<T>) {
    touch<T>(inside(from), digest);
  } else if constexpr (wd::is_text_v<T> || wd::is_bytes_v<T>) {
    digest.bytes(from);
  } else if constexpr (std::is_enum_v<T>) {
    digest.scalar(static_cast<int32_t>(from));
  } else {
    digest.scalar(wd::fitted<T>(from));
  }
}

// The phase `read`. Maps are in the order of their keys; unsigned keys of 64 bits stand in signed ones.
template <class M> void touch(const class_of<M> &made, wd::Digest &digest) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    const auto &from = Access<F>::at(made);
    if constexpr (wd::is_optional_v<T>) {
      digest.number(Access<F>::is_set(made) ? 1 : 0);
      if (Access<F>::is_set(made)) touch_one<typename T::value_type>(from, digest);
    } else if constexpr (wd::is_list_v<T>) {
      digest.number(from.size());
      for (size_t at = 0; at < from.size(); at++) {
        if constexpr (std::is_same_v<typename T::value_type, bool>) {
          digest.scalar(static_cast<bool>(from[at]));
        } else {
          touch_one<typename T::value_type>(from[at], digest);
        }
      }
    } else if constexpr (wd::is_map_v<T>) {
      using K = typename T::key_type;
      using V = typename T::mapped_type;
      digest.number(from.size());
      const auto touch_entry = [&](const auto &entry) {
        touch_one<K>(entry.first, digest);
        touch_one<V>(entry.second, digest);
      };
      if constexpr (std::is_same_v<K, uint64_t>) {
        // From 2^63 on they are negative, and come first.
        const auto high = from.lower_bound(0);
        for (auto entry = high; entry != from.end(); ++entry) touch_entry(*entry);
        for (auto entry = from.begin(); entry != high; ++entry) touch_entry(*entry);
      } else {
        for (const auto &entry : from) touch_entry(entry);
      }
    } else {
      touch_one<T>(from, digest);
    }
  });
}

template <class M> void lift_message(const class_of<M> &made, M &out);

template <class T, class From> T lifted(const From &from) {
  if constexpr (wd::is_message_v<T>) {
    T out{};
    lift_message(inside(from), out);
    return out;
  } else if constexpr (wd::is_text_v<T>) {
    return from;
  } else if constexpr (wd::is_bytes_v<T>) {
    return wd::Bytes{from};
  } else if constexpr (std::is_enum_v<T>) {
    return wd::number_in<T>(static_cast<int32_t>(from));
  } else if constexpr (std::is_same_v<T, bool>) {
    return static_cast<bool>(from);
  } else {
    return wd::fitted<T>(from);
  }
}

// The application's value, outside every clock.
template <class M> void lift_message(const class_of<M> &made, M &out) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    T &own = out.*F::member;
    const auto &from = Access<F>::at(made);
    if constexpr (wd::is_optional_v<T>) {
      if (Access<F>::is_set(made)) own.emplace() = lifted<typename T::value_type>(from);
    } else if constexpr (wd::is_list_v<T>) {
      for (size_t at = 0; at < from.size(); at++) own.push_back(lifted<typename T::value_type>(from[at]));
    } else if constexpr (wd::is_map_v<T>) {
      for (const auto &[key, one] : from) {
        own.insert_or_assign(lifted<typename T::key_type>(key), lifted<typename T::mapped_type>(one));
      }
    } else {
      own = lifted<T>(from);
    }
  });
}

// A buffer with its protocol.
template <class Protocol> struct Line {
  std::shared_ptr<TMemoryBuffer> buffer = std::make_shared<TMemoryBuffer>();
  Protocol protocol{buffer};
};

inline std::string_view written(TMemoryBuffer &buffer) {
  uint8_t *at = nullptr;
  uint32_t length = 0;
  buffer.getBuffer(&at, &length);
  return {reinterpret_cast<const char *>(at), length};
}

// A protocol with limits to lengths, which only its constructor takes.
template <class Protocol> struct Limited;
template <> struct Limited<TCompactProtocol> : TCompactProtocol {
  Limited(const std::shared_ptr<TMemoryBuffer> &buffer, int32_t most) : TCompactProtocol(buffer, most, most) {}
};
template <> struct Limited<TBinaryProtocol> : TBinaryProtocol {
  // Strict: with the version in front, which only matters to messages of calls.
  Limited(const std::shared_ptr<TMemoryBuffer> &buffer, int32_t most) : TBinaryProtocol(buffer, most, most, false, true) {}
};

template <class Protocol> struct Thrift {
  struct State {
    std::optional<Line<Protocol>> out;
    std::shared_ptr<TMemoryBuffer> in = std::make_shared<TMemoryBuffer>();
  };
  using Object = Made;
  using Decoded = Made;
  using Fresh = std::shared_ptr<TMemoryBuffer>;
  static constexpr const char *version = PACKAGE_VERSION;

  static Object build(State &, const Root &value) {
    Made made;
    fill(value, made);
    return made;
  }
  static std::string_view encode(State &state, const Object &made) {
    if (!state.out) state.out.emplace();
    state.out->buffer->resetBuffer();
    try {
      made.write(&state.out->protocol);
    } catch (...) {
      // A protocol that was left in the middle of a struct is of no more use.
      state.out.reset();
      throw;
    }
    return written(*state.out->buffer);
  }
  static Fresh encode_fresh(State &, const Object &made) {
    auto buffer = std::make_shared<TMemoryBuffer>();
    Protocol protocol(buffer);
    made.write(&protocol);
    return buffer;
  }
  static std::string_view view(const Fresh &buffer) { return written(*buffer); }
  static Decoded decode(State &state, std::string_view body) {
    // The buffer only reads what it observes.
    state.in->resetBuffer(reinterpret_cast<uint8_t *>(const_cast<char *>(body.data())), static_cast<uint32_t>(body.size()));
    // No text, byte string or list is longer than the input has bytes: a damaged length must not take all memory.
    Limited<Protocol> protocol(state.in, static_cast<int32_t>(body.size()));
    Made made;
    made.read(&protocol);
    if (state.in->available_read() > 0) throw wd::Refused("bytes follow the message");
    return made;
  }
  static uint64_t read(State &, const Decoded &made) {
    wd::Digest digest;
    touch<Root>(made, digest);
    return digest.value();
  }
  static void lift(State &, const Decoded &made, Root &value) { lift_message(made, value); }
};

using ThriftCompact = Thrift<TCompactProtocol>;
using ThriftBinary = Thrift<TBinaryProtocol>;

}  // namespace
