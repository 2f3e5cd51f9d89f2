// The codec: the bytes of the only field, unchanged, with a mark for each call.
#include "wiredyno/loop.hpp"

extern "C" {
// The clock of the marks, in nanoseconds.
int64_t wd_probe_now();
// Returns no earlier than the least time after `begin_ns`, and writes the mark of a call of this phase.
void wd_probe_end(int phase, uint64_t number, int64_t begin_ns);
}

namespace domain {
// wiredyno.payload.opaque.Opaque
struct M0 {
  wd::Bytes f1;
};
}  // namespace domain

namespace wd {
template <> struct Shape<domain::M0> {
  static constexpr std::string_view name = "Opaque";
  static constexpr std::array<Oneof, 0> oneofs{};
  struct F1 {
    using Owner = domain::M0;
    static constexpr auto member = &domain::M0::f1;
    static constexpr std::string_view name = "data";
    static constexpr uint32_t number = 1;
    static constexpr Wire wire = Wire::none, key_wire = Wire::none;
    static constexpr bool required = false;
    static constexpr int oneof = -1;
  };
  using Fields = wd::Fields<F1>;
};
}  // namespace wd

namespace {

uint64_t number_of(std::string_view data) {
  uint64_t number = 0;
  for (size_t at = 0; at < 8 && data.size() >= 8; at++) number = number << 8 | static_cast<unsigned char>(data[at]);
  return number;
}

// Marks a call from here to the end of the scope.
class Mark {
  int phase;
  uint64_t number;
  int64_t begin_ns = wd_probe_now();

public:
  Mark(int phase, std::string_view data) : phase(phase), number(number_of(data)) {}
  Mark(const Mark &) = delete;
  Mark &operator=(const Mark &) = delete;
  ~Mark() { wd_probe_end(phase, number, begin_ns); }
};

struct Probe {
  struct State {
    std::string out;
  };
  using Object = std::string;
  using Decoded = std::string;
  using Fresh = std::string;
  static constexpr const char *version = "1.0";

  static Object build(State &, const domain::M0 &value) {
    const Mark mark(WD_BUILD, value.f1.data);
    return value.f1.data;
  }
  static std::string_view encode(State &state, const Object &object) {
    const Mark mark(WD_ENCODE, object);
    state.out = object;
    return state.out;
  }
  static Fresh encode_fresh(State &, const Object &object) {
    const Mark mark(WD_ENCODE, object);
    return object;
  }
  static std::string_view view(const Fresh &bytes) { return bytes; }
  static Decoded decode(State &, std::string_view body) {
    const Mark mark(WD_DECODE, body);
    return std::string(body);
  }
  static uint64_t read(State &, const Decoded &decoded) {
    const Mark mark(WD_READ, decoded);
    wd::Digest digest;
    digest.bytes(decoded);
    return digest.value();
  }
  static void lift(State &, const Decoded &decoded, domain::M0 &value) { value.f1.data = decoded; }
};

}  // namespace

extern "C" const wd_codec wd_probe = wd::table<Probe, domain::M0>();
