// MessagePack with msgpack-cxx, as an application with adaptors of its own uses it: pack writes a struct into a buffer, unpack makes a tree
// of objects that refer to the bytes, and convert fills a struct from that.
//
// The library's own macro, MSGPACK_DEFINE_MAP, can't leave out absent fields and has no enums by name. When it reads, it puts the names of each
// message into a std::map; the adaptors here search the members in the order in which they come.
#pragma once

#include <msgpack.hpp>

#include "wiredyno/walk.hpp"

namespace wd {

// The element of a map with this key; nullptr for none. Members mostly come in the definition's order, so each search begins behind
// the last one found.
class MapMembers {
  const msgpack::object_map &map;
  uint32_t next = 0;

  static bool is(const msgpack::object_kv &entry, std::string_view name) {
    const msgpack::object &key = entry.key;
    return key.type == msgpack::type::STR && std::string_view(key.via.str.ptr, key.via.str.size) == name;
  }

  const msgpack::object *among(uint32_t from, uint32_t to, std::string_view name) {
    for (uint32_t at = from; at < to; at++) {
      if (is(map.ptr[at], name)) {
        next = at + 1;
        return &map.ptr[at].val;
      }
    }
    return nullptr;
  }

public:
  explicit MapMembers(const msgpack::object_map &map) : map(map) {}

  const msgpack::object *find(std::string_view name) {
    if (const msgpack::object *found = among(next, map.size, name)) return found;
    return among(0, next, name);
  }
};

}  // namespace wd

namespace msgpack {
MSGPACK_API_VERSION_NAMESPACE(MSGPACK_DEFAULT_API_NS) {
namespace adaptor {

template <class M> struct pack<M, std::enable_if_t<wd::is_message_v<M>>> {
  template <class Stream> packer<Stream> &operator()(packer<Stream> &out, const M &message) const {
    uint32_t present = 0;
    wd::each<M>([&](auto field) {
      using F = decltype(field);
      if constexpr (wd::is_optional_v<wd::member_t<F>>) {
        present += (message.*F::member).has_value() ? 1 : 0;
      } else {
        present++;
      }
    });
    out.pack_map(present);
    wd::each<M>([&](auto field) {
      using F = decltype(field);
      const auto &own = message.*F::member;
      const auto name = [&] { out.pack_str(F::name.size()).pack_str_body(F::name.data(), F::name.size()); };
      if constexpr (wd::is_optional_v<wd::member_t<F>>) {
        if (own.has_value()) {
          name();
          out.pack(*own);
        }
      } else {
        name();
        out.pack(own);
      }
    });
    return out;
  }
};

template <class M> struct convert<M, std::enable_if_t<wd::is_message_v<M>>> {
  const msgpack::object &operator()(const msgpack::object &from, M &message) const {
    if (from.type != msgpack::type::MAP) throw msgpack::type_error();
    wd::MapMembers members(from.via.map);
    wd::each<M>([&](auto field) {
      using F = decltype(field);
      auto &own = message.*F::member;
      const msgpack::object *found = members.find(F::name);
      if constexpr (wd::is_optional_v<wd::member_t<F>>) {
        if (found != nullptr && !found->is_nil()) found->convert(own.emplace());
      } else {
        if (found == nullptr) wd::missing(F::name);
        found->convert(own);
      }
    });
    return from;
  }
};

// Enums by their names.
template <class E> struct pack<E, std::enable_if_t<std::is_enum_v<E> && (wd::Enumeration<E>::values.size() > 0)>> {
  template <class Stream> packer<Stream> &operator()(packer<Stream> &out, E value) const {
    const std::string_view name = wd::name_of(value);
    return out.pack_str(static_cast<uint32_t>(name.size())).pack_str_body(name.data(), static_cast<uint32_t>(name.size()));
  }
};

template <class E> struct convert<E, std::enable_if_t<std::is_enum_v<E> && (wd::Enumeration<E>::values.size() > 0)>> {
  const msgpack::object &operator()(const msgpack::object &from, E &value) const {
    if (from.type != msgpack::type::STR) throw msgpack::type_error();
    value = wd::named_in<E>({from.via.str.ptr, from.via.str.size});
    return from;
  }
};

template <> struct pack<wd::Bytes> {
  template <class Stream> packer<Stream> &operator()(packer<Stream> &out, const wd::Bytes &bytes) const {
    const auto length = static_cast<uint32_t>(bytes.data.size());
    return out.pack_bin(length).pack_bin_body(bytes.data.data(), length);
  }
};

template <> struct convert<wd::Bytes> {
  const msgpack::object &operator()(const msgpack::object &from, wd::Bytes &bytes) const {
    if (from.type != msgpack::type::BIN) throw msgpack::type_error();
    bytes.data.assign(from.via.bin.ptr, from.via.bin.size);
    return from;
  }
};

}  // namespace adaptor
}  // MSGPACK_API_VERSION_NAMESPACE
}  // namespace msgpack

namespace {

using Root = domain::M0;
using Buffer = msgpack::sbuffer;

// The deepest nesting of lists and maps.
constexpr size_t max_depth = 200;

// Texts and byte strings stay in the bytes, which outlive the tree.
inline bool referenced(msgpack::type::object_type, size_t, void *) { return true; }

struct MsgpackCxx {
  struct State {
    Buffer out;
  };
  // The packer takes the application's value.
  struct Object {
    const Root *value;
  };
  using Decoded = Root;
  using Fresh = Buffer;
  static constexpr const char *version = MSGPACK_VERSION;

  static Object build(State &, const Root &value) { return {&value}; }
  static std::string_view encode(State &state, const Object &object) {
    state.out.clear();
    msgpack::pack(state.out, *object.value);
    return view(state.out);
  }
  static Fresh encode_fresh(State &, const Object &object) {
    Buffer out;
    msgpack::pack(out, *object.value);
    return out;
  }
  static std::string_view view(const Fresh &bytes) { return {bytes.data(), bytes.size()}; }
  static Decoded decode(State &, std::string_view body) {
    // Each element takes a byte at least.
    const size_t most = body.size();
    const msgpack::unpack_limit limit(most, most, most, most, most, max_depth);
    size_t end = 0;
    const msgpack::object_handle tree = msgpack::unpack(body.data(), body.size(), end, referenced, nullptr, limit);
    if (end != body.size()) throw wd::Refused("bytes follow the message");
    Root message{};
    tree.get().convert(message);
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
