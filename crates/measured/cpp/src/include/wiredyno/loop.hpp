// The one timed loop in C++, and the C interface over a codec.
//
// The same places as in the Rust crate `wiredyno-codec` (module `measure`): inside the clock lie the calls of one phase, the
// destruction of what each call made (except the last one's), and the step to the next sample. Each call is a call of a function that
// is never inlined into the loop. Products are made in room of their own, so that a product costs no allocation that its library does not
// make.
//
// A codec is a struct with types and static functions:
//
//   State                    what lives as long as the codec: buffers that are used again, a parser
//   Object                   what `build` makes
//   Decoded                  what `decode` makes; may refer to the bytes
//   Fresh                    what `encode` into a new buffer makes
//   Object build(State &, const Root &)
//   std::string_view encode(State &, const Object &)         into a buffer of the state that is used again
//   Fresh encode_fresh(State &, const Object &)
//   std::string_view view(const Fresh &)
//   Decoded decode(State &, std::string_view)
//   uint64_t read(State &, const Decoded &)                  the digest of every field
//   void lift(State &, const Decoded &, Root &)              outside every clock
//   version                                                  of the library, from its headers
#pragma once

#include <exception>
#include <new>

#include "bridge.hpp"
#include "codec.h"

#define WD_CALL [[gnu::noinline]]

namespace wd {

// Keeps the compiler from removing what made this.
template <class T> inline void keep(const T *made) { asm volatile("" : : "r"(made) : "memory"); }

[[gnu::always_inline]] inline uintptr_t stack_pointer() {
#if defined(__x86_64__)
  uintptr_t pointer;
  asm volatile("mov %%rsp, %0" : "=r"(pointer));
  return pointer;
#elif defined(__aarch64__)
  uintptr_t pointer;
  asm volatile("mov %0, sp" : "=r"(pointer));
  return pointer;
#else
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
#endif
}

// Room for one product, which is kept until the next batch.
template <class T> class Room {
  alignas(T) unsigned char room[sizeof(T)];
  bool full = false;

public:
  Room() = default;
  Room(const Room &) = delete;
  Room &operator=(const Room &) = delete;
  ~Room() { clear(); }
  void *at() { return room; }
  void filled() { full = true; }
  bool is_full() const { return full; }
  T &product() {
    if (!full) throw Refused("nothing was made: build or decode a message first");
    return *std::launder(reinterpret_cast<T *>(room));
  }
  void clear() {
    if (full) {
      full = false;
      std::launder(reinterpret_cast<T *>(room))->~T();
    }
  }
};

// What is prepared for a phase, one for each sample, in a row. Each is made in place: some objects can't be moved.
template <class T> class Row {
  std::unique_ptr<unsigned char[], void (*)(unsigned char *)> room{nullptr, [](unsigned char *) {}};
  size_t length = 0;

public:
  Row() = default;
  Row(const Row &) = delete;
  Row &operator=(const Row &) = delete;
  ~Row() { clear(); }

  const T *data() const { return std::launder(reinterpret_cast<const T *>(room.get())); }

  // Makes `count` of them; `make` returns one.
  template <class Make> void fill(size_t count, Make make) {
    clear();
    static constexpr std::align_val_t align{alignof(T)};
    room = {static_cast<unsigned char *>(::operator new(count * sizeof(T), align)), [](unsigned char *at) { ::operator delete(at, align); }};
    for (; length < count; length++) new (room.get() + length * sizeof(T)) T(make(length));
  }

  void clear() {
    T *all = std::launder(reinterpret_cast<T *>(room.get()));
    for (; length > 0; length--) all[length - 1].~T();
    room.reset();
  }
};

// The calls of a batch. Never inlined: its frame must lie below the stack pointer that depths are counted from.
template <class T, class Make>
WD_CALL void turns(Room<T> &room, uint64_t left, size_t samples, size_t sample, Make make) {
  // One call site, and nothing is moved or kept except the last product: a move costs as much as some calls.
  for (;;) {
    T *made = make(room.at(), sample);
    keep(made);
    if (--left == 0) {
      room.filled();
      return;
    }
    made->~T();
    if (++sample == samples) sample = 0;
  }
}

// Starts the clocks, and stops them also when a call throws.
class Clocks {
  const wd_watch *watch;

public:
  Clocks(const wd_watch *watch, uintptr_t base) : watch(watch) { watch->start(watch->round, base); }
  Clocks(const Clocks &) = delete;
  Clocks &operator=(const Clocks &) = delete;
  ~Clocks() { watch->stop(watch->round); }
};

// A product that takes no room.
struct Nothing {};

// Whether a codec looks at values before the clocks run: `check` throws where its format can't carry one.
template <class C, class Root, class = void> struct checks : std::false_type {};
template <class C, class Root> struct checks<C, Root, std::void_t<decltype(C::check(std::declval<const Root &>()))>> : std::true_type {};

template <class C, class Root> class Bound {
  using State = typename C::State;
  using Object = typename C::Object;
  using Decoded = typename C::Decoded;
  using Fresh = typename C::Fresh;

  State state;
  std::vector<Root> values;
  std::vector<std::string> bodies;
  Row<Object> objects;
  Row<Decoded> decoded;
  std::optional<Root> outgoing;
  // Of single messages.
  Room<Object> built;
  Room<Decoded> received;
  // Of batches.
  Room<Object> made;
  Room<Fresh> fresh;
  Room<Decoded> got;
  Room<Nothing> nothing;
  std::string_view reused;
  uint64_t digest = 0;
  // What was given out last.
  std::string given;

  // The phases as calls that are never inlined: every loop runs the same machine code.
  WD_CALL static Object *build(void *at, State &state, const Root &value) { return new (at) Object(C::build(state, value)); }
  WD_CALL static std::string_view encode(State &state, const Object &object) { return C::encode(state, object); }
  WD_CALL static Fresh *encode_fresh(void *at, State &state, const Object &object) { return new (at) Fresh(C::encode_fresh(state, object)); }
  WD_CALL static Decoded *decode(void *at, State &state, std::string_view body) { return new (at) Decoded(C::decode(state, body)); }
  WD_CALL static uint64_t read(State &state, const Decoded &decoded) { return C::read(state, decoded); }

  template <class T, class Make>
  void rounds(Room<T> &room, uint64_t calls, size_t first, const wd_watch *watch, Make make) {
    const Clocks clocks(watch, stack_pointer());
    turns(room, calls, values.size(), first, make);
  }

  void drop_products() {
    made.clear();
    fresh.clear();
    got.clear();
    nothing.clear();
  }

  static std::string_view text(wd_bytes bytes) { return {reinterpret_cast<const char *>(bytes.at), bytes.length}; }
  static wd_bytes slice(std::string_view text) { return {reinterpret_cast<const uint8_t *>(text.data()), text.size()}; }

public:
  std::string why;

  void take(wd_bytes value) {
    built.clear();
    Root taken{};
    bridge::read(bridge::Reader(value.at, value.length), taken);
    if constexpr (checks<C, Root>::value) C::check(taken);
    outgoing = std::move(taken);
  }

  void keep_sample(wd_bytes body) {
    if (!outgoing) throw Refused("no value was taken");
    values.push_back(std::move(*outgoing));
    outgoing.reset();
    built.clear();
    bodies.emplace_back(text(body));
  }

  void forget() {
    finish();
    values.clear();
    bodies.clear();
  }

  void build_one() {
    built.clear();
    if (!outgoing) throw Refused("no value was taken");
    build(built.at(), state, *outgoing);
    built.filled();
  }

  wd_bytes encode_one(bool is_fresh) {
    if (!is_fresh) return slice(encode(state, built.product()));
    fresh.clear();
    encode_fresh(fresh.at(), state, built.product());
    fresh.filled();
    return slice(C::view(fresh.product()));
  }

  void decode_one(wd_bytes body) {
    received.clear();
    decode(received.at(), state, text(body));
    received.filled();
  }

  uint64_t read_one() { return read(state, received.product()); }

  wd_bytes lift() {
    Root value{};
    C::lift(state, received.product(), value);
    check(value);
    given.clear();
    bridge::write(given, value);
    return slice(given);
  }

  void release() {
    built.clear();
    received.clear();
  }

  void prepare(int phase) {
    finish();
    if (phase == WD_ENCODE) objects.fill(values.size(), [this](size_t at) { return C::build(state, values[at]); });
    if (phase == WD_READ) decoded.fill(bodies.size(), [this](size_t at) { return C::decode(state, bodies[at]); });
  }

  void finish() {
    drop_products();
    objects.clear();
    decoded.clear();
  }

  // One function: each case times one phase. What a call needs is in its closure, so that no call has to read an address from memory first.
  void batch(int phase, bool is_fresh, uint64_t calls, size_t first, const wd_watch *watch) {
    drop_products();
    if (calls == 0 || first >= values.size()) throw Refused("a batch needs a call and a loaded sample");
    State *own = &state;
    switch (phase) {
    case WD_BUILD: {
      const Root *all = values.data();
      rounds(made, calls, first, watch, [=](void *at, size_t sample) { return build(at, *own, all[sample]); });
      return;
    }
    case WD_ENCODE: {
      const Object *all = objects.data();
      if (is_fresh) {
        rounds(fresh, calls, first, watch, [=](void *at, size_t sample) { return encode_fresh(at, *own, all[sample]); });
        return;
      }
      std::string_view *last = &reused;
      rounds(nothing, calls, first, watch, [=](void *at, size_t sample) {
        *last = encode(*own, all[sample]);
        return new (at) Nothing;
      });
      return;
    }
    case WD_DECODE: {
      const std::string *all = bodies.data();
      rounds(got, calls, first, watch, [=](void *at, size_t sample) { return decode(at, *own, all[sample]); });
      return;
    }
    case WD_READ: {
      const Decoded *all = decoded.data();
      uint64_t *last = &digest;
      rounds(nothing, calls, first, watch, [=](void *at, size_t sample) {
        *last = read(*own, all[sample]);
        return new (at) Nothing;
      });
      return;
    }
    case WD_EMPTY:
      rounds(nothing, calls, first, watch, [](void *at, size_t) { return new (at) Nothing; });
      return;
    default: throw Refused("there is no such phase");
    }
  }

  void product(int phase, bool is_fresh, wd_bytes *body, uint64_t *out) {
    given.clear();
    *out = digest;
    switch (phase) {
    case WD_BUILD: {
      const Fresh bytes = C::encode_fresh(state, made.product());
      given = C::view(bytes);
      break;
    }
    case WD_ENCODE: given = is_fresh ? C::view(fresh.product()) : reused; break;
    case WD_DECODE: *out = C::read(state, got.product()); break;
    default: break;
    }
    *body = slice(given);
    drop_products();
  }
};

// Runs one function of the interface: nothing is thrown out of it.
template <class B, class Run> int guarded(void *self, Run run) noexcept {
  B &bound = *static_cast<B *>(self);
  try {
    run(bound);
    return 0;
  } catch (const std::bad_alloc &) {
    // Fits into a std::string without another allocation.
    bound.why = "out of memory";
  } catch (const std::exception &error) {
    try {
      bound.why = error.what();
    } catch (...) {
      bound.why = "out of memory";
    }
  } catch (...) {
    bound.why = "unknown fault";
  }
  return 1;
}

#ifdef __clang__
#define WD_COMPILER __VERSION__
#else
#define WD_COMPILER "GCC " __VERSION__
#endif

// The table of a codec's functions.
template <class C, class Root> constexpr wd_codec table() {
  using B = Bound<C, Root>;
  return {
      WD_INTERFACE,
      C::version,
      WD_COMPILER,
      []() noexcept -> void * {
        try {
          return new B();
        } catch (...) {
          return nullptr;
        }
      },
      [](void *self) noexcept { delete static_cast<B *>(self); },
      [](const void *self) noexcept { return static_cast<const B *>(self)->why.c_str(); },
      [](void *self, wd_bytes value) noexcept { return guarded<B>(self, [=](B &bound) { bound.take(value); }); },
      [](void *self, wd_bytes body) noexcept { return guarded<B>(self, [=](B &bound) { bound.keep_sample(body); }); },
      [](void *self) noexcept { static_cast<B *>(self)->forget(); },
      [](void *self) noexcept { return guarded<B>(self, [](B &bound) { bound.build_one(); }); },
      [](void *self, int fresh, wd_bytes *body) noexcept { return guarded<B>(self, [=](B &bound) { *body = bound.encode_one(fresh != 0); }); },
      [](void *self, wd_bytes body) noexcept { return guarded<B>(self, [=](B &bound) { bound.decode_one(body); }); },
      [](void *self, uint64_t *digest) noexcept { return guarded<B>(self, [=](B &bound) { *digest = bound.read_one(); }); },
      [](void *self, wd_bytes *value) noexcept { return guarded<B>(self, [=](B &bound) { *value = bound.lift(); }); },
      [](void *self) noexcept { static_cast<B *>(self)->release(); },
      [](void *self, int phase) noexcept { return guarded<B>(self, [=](B &bound) { bound.prepare(phase); }); },
      [](void *self, int phase, int fresh, uint64_t calls, size_t first, const wd_watch *watch) noexcept {
        return guarded<B>(self, [=](B &bound) { bound.batch(phase, fresh != 0, calls, first, watch); });
      },
      [](void *self, int phase, int fresh, wd_bytes *body, uint64_t *digest) noexcept {
        return guarded<B>(self, [=](B &bound) { bound.product(phase, fresh != 0, body, digest); });
      },
      [](void *self) noexcept { static_cast<B *>(self)->finish(); },
  };
}

}  // namespace wd
