// JSON with nlohmann's library, as an application uses it: a tree of values, dump, parse, find.
#pragma once

#include <cmath>

#include <nlohmann/json.hpp>

#include "wiredyno/json.hpp"

namespace {

using Json = nlohmann::json;

template <class M> Json object(const M &value);

template <class T> Json tree(const T &value) {
  if constexpr (wd::is_message_v<T>) {
    return object(value);
  } else if constexpr (wd::is_bytes_v<T>) {
    return wd::to_base64(value.data);
  } else if constexpr (std::is_enum_v<T>) {
    return wd::name_of(value);
  } else if constexpr (wd::is_list_v<T>) {
    Json list = Json::array();
    list.get_ref<Json::array_t &>().reserve(value.size());
    for (size_t at = 0; at < value.size(); at++) list.push_back(tree<typename T::value_type>(value[at]));
    return list;
  } else if constexpr (wd::is_map_v<T>) {
    Json map = Json::object();
    for (const auto &[key, one] : value) map[wd::to_key(key)] = tree(one);
    return map;
  } else {
    // The library would write null, which is an absent field.
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) throw wd::Refused("JSON has no NaN and no infinity");
    }
    return value;
  }
}

// The phase `build`.
template <class M> Json object(const M &value) {
  Json made = Json::object();
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    const T &own = value.*F::member;
    if constexpr (wd::is_optional_v<T>) {
      if (own.has_value()) made[F::name.data()] = tree(*own);
    } else {
      made[F::name.data()] = tree(own);
    }
  });
  return made;
}

// How its tree is read.
struct Tree {
  using Value = Json;
  static constexpr bool sorted = true;

  static bool is_object(const Value &from) { return from.is_object(); }
  static bool is_array(const Value &from) { return from.is_array(); }
  static bool is_null(const Value &from) { return from.is_null(); }
  static size_t size(const Value &from) { return from.size(); }
  // Each is searched for in the sorted map.
  class Members {
    const Json::object_t &all;

  public:
    explicit Members(const Value &from) : all(from.get_ref<const Json::object_t &>()) {}
    const Value *find(std::string_view name) {
      const auto found = all.find(name);
      return found == all.end() ? nullptr : &found->second;
    }
  };
  template <class Visit> static void elements(const Value &from, Visit visit) {
    for (const Json &one : from) visit(one);
  }
  template <class Visit> static void members(const Value &from, Visit visit) {
    for (const auto &[name, one] : from.get_ref<const Json::object_t &>()) visit(name, one);
  }

  [[noreturn]] static void refuse(const Value &from) {
    throw wd::Refused(std::string("a value has the wrong type: ") + from.type_name());
  }
  static std::string_view text(const Value &from) {
    if (!from.is_string()) refuse(from);
    return from.get_ref<const std::string &>();
  }
  template <class T> static T scalar(const Value &from) {
    if constexpr (std::is_same_v<T, bool>) {
      if (from.is_boolean()) return from.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
      if (from.is_number_unsigned()) return wd::in_range<T>(from.get<uint64_t>());
      if (from.is_number_integer()) return wd::in_range<T>(from.get<int64_t>());
    } else {
      if (from.is_number()) return static_cast<T>(from.get<double>());
    }
    refuse(from);
  }
};

using Reader = wd::JsonReader<Tree>;

#define WD_TEXT_OF(number) #number
#define WD_TEXT(number) WD_TEXT_OF(number)

struct Nlohmann {
  struct State {
    std::string out;
  };
  using Object = Json;
  using Decoded = Json;
  using Fresh = std::string;
  static constexpr const char *version =
      WD_TEXT(NLOHMANN_JSON_VERSION_MAJOR) "." WD_TEXT(NLOHMANN_JSON_VERSION_MINOR) "." WD_TEXT(NLOHMANN_JSON_VERSION_PATCH);

  static Object build(State &, const domain::M0 &value) { return object(value); }
  static std::string_view encode(State &state, const Object &tree) {
    state.out = tree.dump();
    return state.out;
  }
  static Fresh encode_fresh(State &, const Object &tree) { return tree.dump(); }
  static std::string_view view(const Fresh &bytes) { return bytes; }
  static Decoded decode(State &, std::string_view body) {
    wd::check_no_nul(body);
    return Json::parse(body);
  }
  static uint64_t read(State &, const Decoded &tree) {
    wd::Digest digest;
    Reader::touch<domain::M0>(tree, digest);
    return digest.value();
  }
  static void lift(State &, const Decoded &tree, domain::M0 &value) { Reader::lift(tree, value); }
};

}  // namespace
