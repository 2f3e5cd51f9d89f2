/* The C interface between a runner and a codec in C or C++: one table of functions for each codec and message definition.
 *
 * Each function that can fail returns 0, or another number after which `why` says what was wrong. No exception crosses the
 * interface: in C++ every function is noexcept and catches all. Bytes that a codec gives out are valid until its next call. The
 * loop over the calls of a batch is the codec's own, so that no call from one language to another is inside a clock. */
#ifndef WIREDYNO_CODEC_H
#define WIREDYNO_CODEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever the table below does; the runner refuses another number. */
#define WD_INTERFACE 1

/* The timed phases, as docs/METHODOLOGY.md explains them; WD_EMPTY is the loop without calls. */
enum wd_phase { WD_BUILD, WD_ENCODE, WD_DECODE, WD_READ, WD_EMPTY };

typedef struct wd_bytes {
  const uint8_t *at;
  size_t length;
} wd_bytes;

/* The runner's clocks, or its window of heap and stack. */
typedef struct wd_watch {
  void *round;
  /* Called immediately before the calls, with the stack pointer that depths are counted from. */
  void (*start)(void *round, uintptr_t base);
  /* Called immediately after the calls, also when one of them failed. */
  void (*stop)(void *round);
} wd_watch;

typedef struct wd_codec {
  uint32_t interface_version;
  /* The version of the library's headers that this was compiled with. */
  const char *library_version;
  /* The compiler, as it states its version in __VERSION__. */
  const char *compiler;

  /* Creates what lives as long as the codec, and gives it back; NULL if that failed. */
  void *(*open)(void);
  void (*close)(void *self);
  /* Why the last call failed. */
  const char *(*why)(const void *self);

  /* Makes a value, given as Protobuf bytes, the next message. */
  int (*take)(void *self, wd_bytes value);
  /* Moves the next message's value to the loaded samples, with its encoded bytes. */
  int (*keep)(void *self, wd_bytes body);
  /* Drops all loaded samples. */
  void (*forget)(void *self);

  /* The phases of one message. `decode` may keep references into `body` until `release`. */
  int (*build)(void *self);
  int (*encode)(void *self, int fresh, wd_bytes *body);
  int (*decode)(void *self, wd_bytes body);
  int (*read)(void *self, uint64_t *digest);
  /* What was decoded, as Protobuf bytes; outside every clock. */
  int (*lift)(void *self, wd_bytes *value);
  /* Drops what `build` and `decode` made. */
  void (*release)(void *self);

  /* Prepares what the batches of a phase need: objects to encode, or decoded ones to read. */
  int (*prepare)(void *self, int phase);
  /* Makes `calls` calls, at least one, over the loaded samples in turn, beginning with the sample `first`. */
  int (*batch)(void *self, int phase, int fresh, uint64_t calls, size_t first, const wd_watch *watch);
  /* What the last call of the last batch made: the bytes of a build or an encode, the digest of a decode or a read. Drops it. */
  int (*product)(void *self, int phase, int fresh, wd_bytes *body, uint64_t *digest);
  /* Drops what `prepare` made. */
  void (*finish)(void *self);
} wd_codec;

#ifdef __cplusplus
}
#endif

#endif
