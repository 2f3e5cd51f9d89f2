// How the codec reaches the fields of Cap'n Proto's classes: generated lines use these macros, one for each message and field.
#pragma once

#include <utility>

#include "wiredyno/classes.hpp"

// The class of a message has its Reader and Builder. Which accessors of a field exist depends on its type: only those that are used are
// compiled. Of a member of a union they are the union's.
#define WD_ACCESS(name) \
  template <class T> static auto get(T from) { return from.get##name(); } \
  template <class T, class V> static void set(T to, V &&value) { to.set##name(std::forward<V>(value)); } \
  template <class T> static auto init(T to) { return to.init##name(); } \
  template <class T> static auto init(T to, unsigned length) { return to.init##name(length); } \
  template <class T> static bool has(T from) { return from.has##name(); }

#define WD_FIELD(field, name) \
  namespace { \
  template <> struct Access<field> { \
    static constexpr bool flagged = false; \
    template <class T> static T around(T of) { return of; } \
    WD_ACCESS(name) \
  }; \
  } \
  static_assert(true)

// A field with a Bool that says whether it is present.
#define WD_FLAGGED(field, name) \
  namespace { \
  template <> struct Access<field> { \
    static constexpr bool flagged = true; \
    template <class T> static T around(T of) { return of; } \
    template <class T> static bool is(T from) { return from.getHas##name(); } \
    template <class T> static void mark(T to) { to.setHas##name(true); } \
    WD_ACCESS(name) \
  }; \
  } \
  static_assert(true)

// A member of a union.
#define WD_MEMBER(field, name, group) \
  namespace { \
  template <> struct Access<field> { \
    static constexpr bool flagged = false; \
    template <class T> static auto around(T of) { return of.get##group(); } \
    template <class T> static bool is(T from) { return from.is##name(); } \
    WD_ACCESS(name) \
  }; \
  } \
  static_assert(true)
