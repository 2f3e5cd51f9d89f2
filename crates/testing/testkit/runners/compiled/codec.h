/* What contract.c needs from a codec over a definition. */
#ifndef CODEC_H
#define CODEC_H

#include <stddef.h>
#include <stdint.h>

/* Owned bytes. */
struct bytes {
  uint8_t *at;
  size_t length, room;
};

/* Grows the buffer to at least this room. */
void reserve(struct bytes *bytes, size_t room);

/* The digest of the definition that this is compiled for, and why the codec can't carry it: empty if it can. */
extern const char *const definition, *const refuses;

/* The phases. Each writes its product into `to`, reusing its room, and returns the reason of a failure, or NULL. */
const char *build(struct bytes value, struct bytes *to); /* from Protobuf's bytes */
const char *encode(struct bytes built, struct bytes *to);
const char *decode(struct bytes body, struct bytes *to);
uint64_t read_all(struct bytes decoded);

/* The decoded value as Protobuf's bytes. */
void canonical(struct bytes decoded, struct bytes *to);

#endif
