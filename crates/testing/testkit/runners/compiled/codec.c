/* The codec over one definition, from which definition.h was generated. */
#include "codec.h"

#include <string.h>

#include "definition.h"

const char *const definition = DEFINITION, *const refuses = REFUSES;

static void put(struct bytes *to, const uint8_t *from, size_t length) {
  reserve(to, length);
  if (length) memcpy(to->at, from, length);
  to->length = length;
}

static int is_utf8(const uint8_t *at, size_t length) {
  for (size_t i = 0; i < length;) {
    uint8_t first = at[i++];
    if (first < 0x80) continue;
    size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || more > length - i) return 0;
    uint32_t point = first & (0x3f >> more);
    for (size_t k = 0; k < more; k++) {
      if ((at[i] & 0xc0) != 0x80) return 0;
      point = point << 6 | (at[i++] & 0x3f);
    }
    if (more == 2 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) return 0;
    if (more == 3 && (point < 0x10000 || point > 0x10ffff)) return 0;
  }
  return 1;
}

static int varint(struct bytes from, size_t *at, uint64_t *number) {
  *number = 0;
  for (unsigned shift = 0; shift < 64 && *at < from.length; shift += 7) {
    uint8_t byte = from.at[(*at)++];
    *number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return 1;
  }
  return 0;
}

const char *build(struct bytes value, struct bytes *to) {
  to->length = 0;
  for (size_t at = 0; at < value.length;) {
    uint64_t tag, length;
    if (!varint(value, &at, &tag) || tag != ((uint64_t)FIELD << 3 | 2)) return "the value has a field that the definition does not have";
    if (!varint(value, &at, &length) || length > value.length - at) return "the value is cut short";
    put(to, value.at + at, length);
    at += length;
  }
  return IS_TEXT && !is_utf8(to->at, to->length) ? "the value's text is not UTF-8" : NULL;
}

const char *encode(struct bytes built, struct bytes *to) {
  put(to, built.at, built.length);
  return NULL;
}

const char *decode(struct bytes body, struct bytes *to) {
  if (IS_TEXT && !is_utf8(body.at, body.length)) return "the body is not UTF-8";
  put(to, body.at, body.length);
  return NULL;
}

uint64_t read_all(struct bytes decoded) {
  uint64_t sum = decoded.length;
  for (size_t i = 0; i < decoded.length; i++) sum = sum * 31 + decoded.at[i];
  return sum;
}

static void number(struct bytes *to, uint64_t number) {
  reserve(to, to->length + 10);
  for (; number > 0x7f; number >>= 7) to->at[to->length++] = (uint8_t)(number | 0x80);
  to->at[to->length++] = (uint8_t)number;
}

void canonical(struct bytes decoded, struct bytes *to) {
  to->length = 0;
  /* A field with its default value is left out. */
  if (!decoded.length) return;
  number(to, (uint64_t)FIELD << 3 | 2);
  number(to, decoded.length);
  reserve(to, to->length + decoded.length);
  memcpy(to->at + to->length, decoded.at, decoded.length);
  to->length += decoded.length;
}
