// The classes that a format's compiler generates for the messages of the application: generated lines name them, one for each message.
#pragma once

namespace {

// The class for a message.
template <class M> struct ClassOf;

// The accessors of a field, which each codec defines in its own way.
template <class F> struct Access;

}  // namespace

#define WD_MESSAGE(own, made) \
  namespace { \
  template <> struct ClassOf<own> { using type = made; }; \
  } \
  static_assert(true)
