// How a codec reaches the fields of flatc's classes: generated lines use these macros, one for each message and field.
#pragma once

#include <utility>

namespace {

// flatc's class for a message of the application, and the function that creates a table of it.
template <class M> struct TableOf;

// The accessor of a field.
template <class F> struct Access;

}  // namespace

#define WD_MESSAGE(own, made, create_made) \
  namespace { \
  template <> struct TableOf<own> { \
    using type = made; \
    template <class... A> static auto create(A &&...arguments) { return create_made(std::forward<A>(arguments)...); } \
  }; \
  } \
  static_assert(true)

#define WD_FIELD(field, name) \
  namespace { \
  template <> struct Access<field> { \
    template <class T> static decltype(auto) get(const T &from) { return from.name(); } \
  }; \
  } \
  static_assert(true)
