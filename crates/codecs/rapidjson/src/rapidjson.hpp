// JSON with RapidJSON, as an application uses it: a Document, a Writer into a StringBuffer, Parse, FindMember.
#pragma once

#include <cstring>

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "wiredyno/json.hpp"

namespace {

using rapidjson::Document;
using Node = rapidjson::Value;
using Pool = Document::AllocatorType;

template <class M> void object(const M &value, Node &out, Pool &pool);

inline Node copied(std::string_view text, Pool &pool) {
  return Node(text.data(), static_cast<rapidjson::SizeType>(text.size()), pool);
}

// A name that lives as long as the program.
inline Node constant(std::string_view text) {
  return Node(rapidjson::StringRef(text.data(), static_cast<rapidjson::SizeType>(text.size())));
}

template <class T> Node tree(const T &value, Pool &pool) {
  if constexpr (wd::is_message_v<T>) {
    Node made(rapidjson::kObjectType);
    object(value, made, pool);
    return made;
  } else if constexpr (wd::is_text_v<T>) {
    return copied(value, pool);
  } else if constexpr (wd::is_bytes_v<T>) {
    return copied(wd::to_base64(value.data), pool);
  } else if constexpr (std::is_enum_v<T>) {
    return constant(wd::name_of(value));
  } else if constexpr (wd::is_list_v<T>) {
    Node list(rapidjson::kArrayType);
    list.Reserve(static_cast<rapidjson::SizeType>(value.size()), pool);
    for (size_t at = 0; at < value.size(); at++) list.PushBack(tree<typename T::value_type>(value[at], pool), pool);
    return list;
  } else if constexpr (wd::is_map_v<T>) {
    Node map(rapidjson::kObjectType);
    for (const auto &[key, one] : value) map.AddMember(copied(wd::to_key(key), pool), tree(one, pool), pool);
    return map;
  } else if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>) {
    Node made;
    if constexpr (std::is_signed_v<T>) {
      made.SetInt64(value);
    } else {
      made.SetUint64(value);
    }
    return made;
  } else {
    return Node(value);
  }
}

// The phase `build`.
template <class M> void object(const M &value, Node &out, Pool &pool) {
  wd::each<M>([&](auto field) {
    using F = decltype(field);
    using T = wd::member_t<F>;
    const T &own = value.*F::member;
    if constexpr (wd::is_optional_v<T>) {
      if (own.has_value()) out.AddMember(constant(F::name), tree(*own, pool), pool);
    } else {
      out.AddMember(constant(F::name), tree(own, pool), pool);
    }
  });
}

// How its tree is read. Without assertions the library checks no type: every access is checked here.
struct Tree {
  using Value = Node;
  static constexpr bool sorted = false;

  static bool is_object(const Value &from) { return from.IsObject(); }
  static bool is_array(const Value &from) { return from.IsArray(); }
  static bool is_null(const Value &from) { return from.IsNull(); }
  static size_t size(const Value &from) { return from.IsObject() ? from.MemberCount() : from.Size(); }
  // Members mostly come in the definition's order: each search begins behind the last one found.
  class Members {
    const Value &from;
    Value::ConstMemberIterator next;

    static bool is(const Value &own, std::string_view name) {
      return own.GetStringLength() == name.size() && std::memcmp(own.GetString(), name.data(), name.size()) == 0;
    }

  public:
    explicit Members(const Value &from) : from(from), next(from.MemberBegin()) {}
    const Value *find(std::string_view name) {
      if (next != from.MemberEnd() && is(next->name, name)) return &(next++)->value;
      const auto found = from.FindMember(constant(name));
      if (found == from.MemberEnd()) return nullptr;
      next = found + 1;
      return &found->value;
    }
  };
  template <class Visit> static void elements(const Value &from, Visit visit) {
    for (const Node &one : from.GetArray()) visit(one);
  }
  template <class Visit> static void members(const Value &from, Visit visit) {
    for (const auto &one : from.GetObject()) visit(text(one.name), one.value);
  }
  static std::string_view text(const Value &from) {
    if (!from.IsString()) throw wd::Refused("a value is not a text");
    return {from.GetString(), from.GetStringLength()};
  }
  template <class T> static T scalar(const Value &from) {
    if constexpr (std::is_same_v<T, bool>) {
      if (from.IsBool()) return from.GetBool();
    } else if constexpr (std::is_integral_v<T>) {
      if (from.IsUint64()) return wd::in_range<T>(static_cast<uint64_t>(from.GetUint64()));
      if (from.IsInt64()) return wd::in_range<T>(static_cast<int64_t>(from.GetInt64()));
    } else {
      if (from.IsNumber()) return static_cast<T>(from.GetDouble());
    }
    throw wd::Refused("a value has the wrong type");
  }
};

using Reader = wd::JsonReader<Tree>;
using Buffer = rapidjson::StringBuffer;

#define WD_TEXT_OF(number) #number
#define WD_TEXT(number) WD_TEXT_OF(number)

struct Rapidjson {
  using Writer = rapidjson::Writer<Buffer>;
  struct State {
    Buffer out;
    // Keeps the memory of its nesting.
    Writer writer{out};
  };
  using Object = Document;
  using Decoded = Document;
  using Fresh = Buffer;
  static constexpr const char *version =
      WD_TEXT(RAPIDJSON_MAJOR_VERSION) "." WD_TEXT(RAPIDJSON_MINOR_VERSION) "." WD_TEXT(RAPIDJSON_PATCH_VERSION);

  static void write(const Document &document, Writer &writer) {
    if (!document.Accept(writer)) throw wd::Refused("JSON has no NaN and no infinity");
  }

  static Object build(State &, const domain::M0 &value) {
    Document document(rapidjson::kObjectType);
    object(value, document, document.GetAllocator());
    return document;
  }
  static std::string_view encode(State &state, const Object &document) {
    state.out.Clear();
    state.writer.Reset(state.out);
    write(document, state.writer);
    return view(state.out);
  }
  static Fresh encode_fresh(State &, const Object &document) {
    Buffer out;
    Writer writer(out);
    write(document, writer);
    return out;
  }
  static std::string_view view(const Fresh &bytes) { return {bytes.GetString(), bytes.GetSize()}; }
  static Decoded decode(State &, std::string_view body) {
    static constexpr unsigned flags =
        rapidjson::kParseFullPrecisionFlag | rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag;
    wd::check_no_nul(body);
    Document document;
    document.Parse<flags>(body.data(), body.size());
    if (document.HasParseError()) throw wd::Refused(rapidjson::GetParseError_En(document.GetParseError()));
    return document;
  }
  static uint64_t read(State &, const Decoded &document) {
    wd::Digest digest;
    Reader::touch<domain::M0>(document, digest);
    return digest.value();
  }
  static void lift(State &, const Decoded &document, domain::M0 &value) { Reader::lift(document, value); }
};

}  // namespace
