// Drives one codec in C++ with the sanitizers of the compiler: values in, bytes out, damaged bytes in. `scripts/sanitize-cpp` compiles it
// with a codec's generated code; TABLE is the name of the codec's table.
//
//   driver ROUNDS FILE...    each file one value as Protobuf bytes
//
// Every function of the table is called. A refusal is fine; what a sanitizer finds ends the program.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "wiredyno/codec.h"

extern "C" const wd_codec TABLE;

namespace {

const wd_codec &codec = TABLE;
void *self;

wd_bytes slice(const std::string &text) { return {reinterpret_cast<const uint8_t *>(text.data()), text.size()}; }
std::string text(wd_bytes bytes) { return {reinterpret_cast<const char *>(bytes.at), bytes.length}; }

void must(int code, const char *what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: %s\n", what, codec.why(self));
  std::exit(1);
}

// Decodes, reads and lifts; returns whether all of it went well.
bool accepts(const std::string &body) {
  uint64_t digest = 0;
  wd_bytes value{};
  const bool read = codec.decode(self, slice(body)) == 0 && codec.read(self, &digest) == 0;
  const bool lifted = read && codec.lift(self, &value) == 0;
  codec.release(self);
  return lifted;
}

std::string damaged(const std::string &whole, std::mt19937_64 &random) {
  std::string body = whole;
  const auto below = [&](size_t bound) { return static_cast<size_t>(random() % bound); };
  for (size_t left = 1 + below(8); left > 0 && !body.empty(); left--) {
    const size_t at = below(body.size());
    switch (below(6)) {
    case 0: body[at] = static_cast<char>(body[at] ^ 1 << below(8)); break;
    case 1: body[at] = static_cast<char>(random()); break;
    case 2: body[at] = static_cast<char>(0xff); break;
    case 3: body.insert(at, 1, static_cast<char>(random())); break;
    case 4: body.resize(at); break;
    default: body.insert(at, body.substr(below(body.size()), below(16))); break;
    }
  }
  return body;
}

// Puts each extreme length at each place, in both byte orders: random damage seldom hits one. Returns how many were accepted.
long extremes(const std::string &body) {
  long accepted = 0;
  for (const uint32_t extreme : {0x00000000U, 0x00000080U, 0x80000000U, 0x7fffffffU, 0xffffff7fU, 0xffffffffU}) {
    for (size_t at = 0; at + sizeof extreme <= body.size(); at++) {
      std::string own = body;
      std::memcpy(&own[at], &extreme, sizeof extreme);
      accepted += accepts(own) ? 1 : 0;
    }
  }
  return accepted;
}

}  // namespace

int main(int count, char **words) {
  if (count < 3) return 2;
  self = codec.open();
  if (self == nullptr) return 1;
  std::vector<std::string> bodies;
  for (int at = 2; at < count; at++) {
    std::ifstream file(words[at], std::ios::binary);
    const std::string value{std::istreambuf_iterator<char>(file), {}};
    must(codec.take(self, slice(value)), "take");
    must(codec.build(self), "build");
    wd_bytes body{};
    must(codec.encode(self, 0, &body), "encode");
    bodies.push_back(text(body));
    must(codec.encode(self, 1, &body), "encode into a new buffer");
    if (text(body) != bodies.back()) {
      std::fprintf(stderr, "%s: two encodings differ\n", words[at]);
      return 1;
    }
    if (!accepts(bodies.back())) must(1, words[at]);
    must(codec.keep(self, slice(bodies.back())), "keep");
  }
  const wd_watch watch{nullptr, [](void *, uintptr_t) {}, [](void *) {}};
  for (int phase = WD_BUILD; phase <= WD_EMPTY; phase++) {
    for (int fresh = 0; fresh < 2; fresh++) {
      must(codec.prepare(self, phase), "prepare");
      must(codec.batch(self, phase, fresh, 3 * bodies.size() + 1, 0, &watch), "batch");
      wd_bytes body{};
      uint64_t digest = 0;
      must(codec.product(self, phase, fresh, &body, &digest), "product");
      codec.finish(self);
    }
  }
  std::mt19937_64 random(1);
  const long rounds = std::strtol(words[1], nullptr, 10);
  long accepted = 0;
  for (long round = 0; round < rounds; round++) accepted += accepts(damaged(bodies[random() % bodies.size()], random));
  for (const std::string &body : bodies) accepted += extremes(body);
  for (const std::string &body : bodies) {
    for (size_t length = 0; length < body.size(); length++) accepted += accepts(body.substr(0, length));
  }
  codec.forget(self);
  codec.close(self);
  std::printf("%zu values, %ld damaged bodies, %ld of all that were damaged or cut accepted\n", bodies.size(), rounds, accepted);
}
