// How a codec reaches the fields of protoc's classes: generated lines use these macros, one for each message and field.
#pragma once

#include <utility>

#include "wiredyno/classes.hpp"

// Which of a field's accessors exist depends on its type: only those that are used are compiled.
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
