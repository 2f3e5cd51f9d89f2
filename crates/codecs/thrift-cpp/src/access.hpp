// How the codec reaches the fields of Thrift's classes: generated lines use these macros, one for each message and field.
#pragma once

#include "wiredyno/classes.hpp"

// A field, and whether it is present.
#define WD_FIELD(field, name) \
  namespace { \
  template <> struct Access<field> { \
    template <class T> static auto &at(T &made) { return made.name; } \
    template <class T> static void mark(T &made) { made.__isset.name = true; } \
    template <class T> static bool is_set(const T &made) { return made.__isset.name; } \
  }; \
  } \
  static_assert(true)
