/* What contract.c asks of a codec over a definition. */
#ifndef CODEC_H
#define CODEC_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that somebody owns. */
struct bytes {
  uint8_t *at;
  size_t length, room;
};

/* Makes them have room for so many. */
void reserve(struct bytes *bytes, size_t room);

/* The digest of the definition that this is compiled for, and why the codec can't carry it: empty where it can. */
extern const char *const definition, *const refuses;

/* The phases. Each makes its product anew in `to`, whose room it uses again, and gives why it can't, or NULL. */
const char *build(struct bytes value, struct bytes *to); /* of Protobuf's bytes */
const char *encode(struct bytes built, struct bytes *to);
const char *decode(struct bytes body, struct bytes *to);
uint64_t read_all(struct bytes decoded);

/* Protobuf's bytes of what was decoded. */
void canonical(struct bytes decoded, struct bytes *to);

#endif
