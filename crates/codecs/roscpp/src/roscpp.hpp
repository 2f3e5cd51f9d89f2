// ROS 1 messages with roscpp's serialization, as a node uses it: it fills gencpp's struct, asks for its length, and streams it into a
// buffer of that length.
#pragma once

#include <boost/shared_array.hpp>
#include <ros/serialization.h>

#include "wiredyno/plain.hpp"

// The one function of the library that is not in its headers, which Debian has as a shared library only.
[[gnu::weak]] void ros::serialization::throwStreamOverrun() { throw StreamOverrunException("Buffer Overrun"); }

namespace {

using Root = domain::M0;
using Made = wd::plain::made_of<Root>;

// Counts are little-endian, as the machine's own.
struct Layout {
  static constexpr bool nul = false;
  static uint32_t count(const char *at) {
    uint32_t count;
    std::memcpy(&count, at, sizeof count);
    return count;
  }
};

inline void write(const Made &made, uint8_t *to, uint32_t length) {
  ros::serialization::OStream stream(to, length);
  ros::serialization::serialize(stream, made);
}

struct Roscpp {
  struct State {
    // Grows to the largest message.
    boost::shared_array<uint8_t> out;
    uint32_t room = 0;
  };
  struct Fresh {
    boost::shared_array<uint8_t> bytes;
    uint32_t length;
  };
  using Object = Made;
  using Decoded = Made;
  // Its headers don't say it.
  static constexpr const char *version = WD_LIBRARY_VERSION;

  static Object build(State &, const Root &value) {
    Made made;
    wd::plain::put(value, made);
    return made;
  }
  static std::string_view encode(State &state, const Object &made) {
    const uint32_t length = ros::serialization::serializationLength(made);
    if (length > state.room) {
      state.out.reset(new uint8_t[length]);
      state.room = length;
    }
    write(made, state.out.get(), length);
    return {reinterpret_cast<const char *>(state.out.get()), length};
  }
  static Fresh encode_fresh(State &, const Object &made) {
    const uint32_t length = ros::serialization::serializationLength(made);
    Fresh fresh{boost::shared_array<uint8_t>(new uint8_t[length]), length};
    write(made, fresh.bytes.get(), length);
    return fresh;
  }
  static std::string_view view(const Fresh &fresh) { return {reinterpret_cast<const char *>(fresh.bytes.get()), fresh.length}; }
  static Decoded decode(State &, std::string_view body) {
    if constexpr (wd::plain::is_checked<Layout, Root>()) wd::plain::Fits<Layout>(body).template check<Root>();
    // The stream takes bytes that it could write to, and only reads them.
    auto *bytes = reinterpret_cast<uint8_t *>(const_cast<char *>(body.data()));
    ros::serialization::IStream stream(bytes, static_cast<uint32_t>(body.size()));
    Made made;
    ros::serialization::deserialize(stream, made);
    if (stream.getLength() != 0) throw wd::Refused("bytes follow the message");
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
