// Reading a library's tree of JSON values: the phase `read`, and the application's value, the same for every library that makes such a tree.
//
// A library is a struct with its type `Value` and static functions:
//
//   bool is_object(v), is_array(v), is_null(v); size_t size(v)
//   Members(object)                                   finds members; made once for an object whose fields are all wanted
//     const Value *find(F::name)                      nullptr if there is no such member
//   void elements(array, visit(value)), members(object, visit(std::string_view name, value))
//   std::string_view text(v), T scalar<T>(v)          throw where the type is another one
//   constexpr bool sorted                             whether members come in the order of their names' bytes
//
// Members are found by name; null counts as absent for an optional field, and a missing member is refused for any other.
#pragma once

#include <algorithm>

#include "text.hpp"

namespace wd {

template <class J> class JsonReader {
  using Value = typename J::Value;

  using Members = typename J::Members;

  template <class F> static const Value *member(Members &members) {
    const Value *found = members.find(F::name);
    return found == nullptr || J::is_null(*found) ? nullptr : found;
  }

  template <class F> static const Value &present(Members &members) {
    const Value *found = members.find(F::name);
    if (found == nullptr) missing(F::name);
    return *found;
  }

  static void check_object(const Value &from) {
    if (!J::is_object(from)) throw Refused("a value is not an object");
  }

  static void check_array(const Value &from) {
    if (!J::is_array(from)) throw Refused("a value is not a list");
  }

  [[noreturn]] static void twice() { throw Refused("a map has a key twice"); }

  // Whether members come in the order of their names, each once.
  static bool is_ascending(const Value &from) {
    bool ascending = true, first = true;
    std::string_view last;
    J::members(from, [&](std::string_view key, const Value &) {
      ascending = ascending && (first || last < key);
      first = false;
      last = key;
    });
    return ascending;
  }

  template <class K, class V> static void touch_map(const Value &from, Digest &digest, int depth) {
    check_object(from);
    digest.number(J::size(from));
    // Equal values must give equal digests, whatever the order of their members.
    bool in_order = false;
    if constexpr (is_text_v<K>) in_order = J::sorted || is_ascending(from);
    if (in_order) {
      J::members(from, [&](std::string_view key, const Value &one) {
        digest.bytes(key);
        touch_one<V>(one, digest, depth);
      });
    } else {
      using Key = std::conditional_t<is_text_v<K>, std::string_view, K>;
      std::vector<std::pair<Key, const Value *>> entries;
      entries.reserve(J::size(from));
      J::members(from, [&](std::string_view key, const Value &one) {
        if constexpr (is_text_v<K>) {
          entries.emplace_back(key, &one);
        } else {
          entries.emplace_back(from_key<K>(key), &one);
        }
      });
      std::sort(entries.begin(), entries.end(), [](const auto &one, const auto &other) { return one.first < other.first; });
      const auto is_same = [](const auto &one, const auto &other) { return one.first == other.first; };
      if (std::adjacent_find(entries.begin(), entries.end(), is_same) != entries.end()) twice();
      for (const auto &[key, one] : entries) {
        if constexpr (is_text_v<K>) {
          digest.bytes(key);
        } else {
          digest.scalar(key);
        }
        touch_one<V>(*one, digest, depth);
      }
    }
  }

  template <class T> static void touch_one(const Value &from, Digest &digest, int depth) {
    if constexpr (is_message_v<T>) {
      touch<T>(from, digest, depth + 1);
    } else if constexpr (is_text_v<T>) {
      digest.bytes(J::text(from));
    } else if constexpr (is_bytes_v<T>) {
      digest.bytes(from_base64(J::text(from)));
    } else if constexpr (is_list_v<T>) {
      check_array(from);
      digest.number(J::size(from));
      J::elements(from, [&](const Value &one) { touch_one<typename T::value_type>(one, digest, depth); });
    } else if constexpr (is_map_v<T>) {
      touch_map<typename T::key_type, typename T::mapped_type>(from, digest, depth);
    } else if constexpr (std::is_enum_v<T>) {
      digest.scalar(static_cast<int32_t>(named_in<T>(J::text(from))));
    } else {
      digest.scalar(J::template scalar<T>(from));
    }
  }

  template <class T> static void lift_one(const Value &from, T &out, int depth) {
    if constexpr (is_message_v<T>) {
      lift(from, out, depth + 1);
    } else if constexpr (is_text_v<T>) {
      out = J::text(from);
    } else if constexpr (is_bytes_v<T>) {
      out.data = from_base64(J::text(from));
    } else if constexpr (is_list_v<T>) {
      check_array(from);
      J::elements(from, [&](const Value &one) {
        typename T::value_type made{};
        lift_one(one, made, depth);
        out.push_back(std::move(made));
      });
    } else if constexpr (is_map_v<T>) {
      check_object(from);
      J::members(from, [&](std::string_view key, const Value &one) {
        typename T::mapped_type value{};
        lift_one(one, value, depth);
        if (!out.emplace(from_key<typename T::key_type>(key), std::move(value)).second) twice();
      });
    } else if constexpr (std::is_enum_v<T>) {
      out = named_in<T>(J::text(from));
    } else {
      out = J::template scalar<T>(from);
    }
  }

public:
  // The phase `read`.
  template <class M> static void touch(const Value &from, Digest &digest, int depth = 0) {
    check_depth(depth);
    check_object(from);
    Members members(from);
    each<M>([&](auto field) {
      using F = decltype(field);
      using T = member_t<F>;
      if constexpr (is_optional_v<T>) {
        const Value *found = member<F>(members);
        digest.number(found != nullptr ? 1 : 0);
        if (found != nullptr) touch_one<typename T::value_type>(*found, digest, depth);
      } else {
        touch_one<T>(present<F>(members), digest, depth);
      }
    });
  }

  // The application's value, outside every clock.
  template <class M> static void lift(const Value &from, M &out, int depth = 0) {
    check_depth(depth);
    check_object(from);
    Members members(from);
    each<M>([&](auto field) {
      using F = decltype(field);
      using T = member_t<F>;
      if constexpr (is_optional_v<T>) {
        if (const Value *found = member<F>(members)) lift_one(*found, (out.*F::member).emplace(), depth);
      } else {
        lift_one(present<F>(members), out.*F::member, depth);
      }
    });
  }
};

}  // namespace wd
