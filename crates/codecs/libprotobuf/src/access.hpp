// How a codec reaches the fields of protoc's classes: generated lines use these macros, one for each message and field.
#pragma once

#include <utility>

namespace {

// protoc's class for a message of the application.
template <class M> struct ClassOf;

// The accessors of a field. Which of them exist depends on its type: only those that are used are compiled.
template <class F> struct Access;

}  // namespace

#define WD_MESSAGE(own, made) \
  namespace { \
  template <> struct ClassOf<own> { \
    using type = made; \
  }; \
  } \
  static_assert(true)

#define WD_FIELD(field, name) \
  namespace { \
  template <> struct Access<field> { \
    template <class C> static decltype(auto) get(const C &from) { return from.name(); } \
    template <class C> static bool has(const C &from) { return from.has_##name(); } \
    template <class C> static auto *change(C &to) { return to.mutable_##name(); } \
    template <class C, class V> static void set(C &to, V &&value) { to.set_##name(std::forward<V>(value)); } \
  }; \
  } \
  static_assert(true)
