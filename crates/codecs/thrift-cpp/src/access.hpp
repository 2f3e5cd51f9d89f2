// How the codec reaches the fields of Thrift's classes: generated lines use these macros, one for each message and field.
#pragma once

namespace {

// Thrift's class for a message of the application.
template <class M> struct ClassOf;

// A field, and whether it is present.
template <class F> struct Access;

}  // namespace

#define WD_MESSAGE(own, made) \
  namespace { \
  template <> struct ClassOf<own> { using type = made; }; \
  } \
  static_assert(true)

#define WD_FIELD(field, name) \
  namespace { \
  template <> struct Access<field> { \
    template <class T> static auto &at(T &made) { return made.name; } \
    template <class T> static void mark(T &made) { made.__isset.name = true; } \
    template <class T> static bool is_set(const T &made) { return made.__isset.name; } \
  }; \
  } \
  static_assert(true)
