/* The runner contract (docs/RUNNER.md) for one codec: the part shared by all definitions. It has no roles and no compressions. One file because
   a runner is compiled from it and one codec. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "codec.h"

/* The probe defines another name. */
#ifndef CODEC
#define CODEC "raw/compiled"
#endif

enum { SAMPLES_HEADER = 16 };

void reserve(struct bytes *bytes, size_t room) {
  if (room <= bytes->room && bytes->at) return;
  bytes->room = room > 2 * bytes->room ? room : 2 * bytes->room;
  bytes->at = realloc(bytes->at, bytes->room + 1);
  if (!bytes->at) abort();
}

/* ---- JSON: finding values in a line, texts, numbers ---- */

static const char *blank(const char *at) { return at + strspn(at, " \t\r\n"); }

static const char *past(const char *at) {
  int depth = 0;
  do {
    if (!*at) return at;
    if (*at == '"')
      for (at++; *at && *at != '"'; at++) at += *at == '\\' && at[1];
    else
      depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
    at += *at != 0;
  } while (depth > 0 || (*at && !strchr(",:]}", *at)));
  return at;
}

/* The value of a member of an object; NULL if it is missing or null. */
static const char *member(const char *object, const char *name) {
  if (!object || *(object = blank(object)) != '{') return NULL;
  for (const char *at = blank(object + 1); *at == '"'; at = blank(at + (*at == ','))) {
    const char *key = at + 1;
    at = past(at);
    const char *value = blank(at + (*at == ':'));
    size_t length = strlen(name);
    at = past(value);
    if (!strncmp(key, name, length) && key[length] == '"') return strncmp(value, "null", 4) ? value : NULL;
  }
  return NULL;
}

/* A text, unescaped as far as paths and ids need it; the caller frees it. */
static char *text_of(const char *value) {
  if (!value || *value != '"') return NULL;
  char *text = malloc(strlen(value) + 1), *to = text;
  if (!text) abort();
  for (value++; *value && *value != '"'; value++) {
    if (*value == '\\' && value[1]) value++;
    *to++ = *value;
  }
  *to = 0;
  return text;
}

static uint64_t number_of(const char *value, uint64_t otherwise) { return value ? strtoull(value, NULL, 10) : otherwise; }

static int is_true(const char *value) { return value && !strncmp(value, "true", 4); }

static const char *from_hex(const char *value, struct bytes *to) {
  char *text = text_of(value);
  size_t length = text ? strlen(text) : 0;
  const char *why = !text || length % 2 ? "bytes have to be hexadecimal, two digits each" : NULL;
  to->length = 0;
  reserve(to, length / 2);
  for (size_t i = 0; !why && i < length; i += 2) {
    unsigned byte;
    if (strspn(text + i, "0123456789abcdefABCDEF") < 2 || sscanf(text + i, "%2x", &byte) != 1)
      why = "bytes have to be hexadecimal, two digits each";
    else
      to->at[to->length++] = (uint8_t)byte;
  }
  free(text);
  return why;
}

static void print_hex(struct bytes bytes) {
  putchar('"');
  for (size_t i = 0; i < bytes.length; i++) printf("%02x", bytes.at[i]);
  putchar('"');
}

/* ---- what is loaded ---- */

static struct sample {
  struct bytes value, built, body, decoded;
} *samples;
static size_t sample_count;
static int loaded, fresh = 1;
static uint64_t request;
static char said[1024];

/* The reason of a failure, for the reply. */
static const char *why(const char *format, ...) {
  va_list words;
  va_start(words, format);
  vsnprintf(said, sizeof said, format, words);
  va_end(words);
  return said;
}

static void forget(void) {
  for (size_t i = 0; i < sample_count; i++) {
    struct sample *own = &samples[i];
    free(own->value.at), free(own->built.at), free(own->body.at), free(own->decoded.at);
  }
  free(samples);
  samples = NULL;
  sample_count = 0;
  loaded = 0;
}

static const char *check(const char *line) {
  const char *payload = member(line, "payload");
  char *codec = text_of(member(line, "codec")), *digest = text_of(member(payload, "definition"));
  char *name = text_of(member(payload, "name")), *compression = text_of(member(line, "compression"));
  const char *problem = NULL;
  if (!codec || strcmp(codec, CODEC))
    problem = why("no codec `%s` here: `describe` lists them", codec ? codec : "");
  else if (!digest || strcmp(digest, definition))
    problem = why("this runner was built for the definition %s, not for %s", definition, digest ? digest : "");
  else if (*refuses)
    problem = why(CODEC " can't carry %s: %s", name ? name : "", refuses);
  else if (compression && strcmp(compression, "none"))
    problem = why("this runner has no compression `%s`: leave it out", compression);
  free(codec), free(digest), free(name), free(compression);
  return problem;
}

/* Reads at most this many samples. */
static const char *read_samples(const char *line, uint64_t most) {
  const char *problem = check(line);
  if (problem) return problem;
  forget();
  char *path = text_of(member(member(line, "payload"), "samples"));
  FILE *file = path ? fopen(path, "rb") : NULL;
  uint8_t header[SAMPLES_HEADER];
  uint64_t count = 0;
  if (!file || fread(header, 1, sizeof header, file) != sizeof header || memcmp(header, "WDSAMP01", 8))
    problem = why("%s: samples can't be read", path ? path : "");
  else
    memcpy(&count, header + 8, 8);
  for (uint64_t i = 0; !problem && i < count && i < most; i++) {
    uint32_t length;
    samples = realloc(samples, (sample_count + 1) * sizeof *samples);
    if (!samples) abort();
    struct sample *own = memset(&samples[sample_count++], 0, sizeof *samples);
    if (fread(&length, 4, 1, file) != 1) length = UINT32_MAX;
    if (length < UINT32_MAX) reserve(&own->value, length);
    if (length == UINT32_MAX || fread(own->value.at, 1, length, file) != length)
      problem = why("%s: it is cut short", path);
    else
      own->value.length = length;
  }
  if (file) fclose(file);
  free(path);
  return problem;
}

static const char *load(const char *line) {
  fresh = 0;
  const char *problem = read_samples(line, number_of(member(line, "samples"), UINT64_MAX));
  struct bytes back = {0};
  for (size_t i = 0; !problem && i < sample_count; i++) {
    struct sample *own = &samples[i];
    if (!(problem = build(own->value, &own->built)) && !(problem = encode(own->built, &own->body)))
      problem = decode(own->body, &own->decoded);
    if (problem) break;
    canonical(own->decoded, &back);
    int equal = back.length == own->value.length && (!back.length || !memcmp(back.at, own->value.at, back.length));
    if (!equal || read_all(own->decoded) != read_all(own->built))
      problem = why(CODEC ": sample %zu does not come back equal from a round trip", i);
  }
  free(back.at);
  if (problem) return problem;
  loaded = 1;
  printf("{\"id\":%llu,\"ok\":{\"outcome\":\"loaded\",\"samples\":%zu,\"body_bytes\":[", (unsigned long long)request, sample_count);
  for (size_t i = 0; i < sample_count; i++) printf("%s%zu", i ? "," : "", samples[i].body.length);
  puts("]}}");
  return NULL;
}

static const char *describe(void) {
  printf("{\"id\":%llu,\"ok\":{\"outcome\":\"description\",\"contract\":2,"
         "\"runner\":{\"name\":\"compiled\",\"language\":\"C %d\",\"version\":\"1.0.0\"},"
         "\"codecs\":[{\"id\":\"" CODEC "\",\"library\":\"compiled\",\"version\":\"1.0.0\","
         "\"about\":\"The bytes of the one field: build copies them, encode writes them, decode copies them and checks text, read sums them\","
         "\"capabilities\":[\"validates-utf8\",\"reuses-buffers\",\"canonical\"]}],\"compressions\":[],\"transports\":[],\"definition\":\"%s\"",
         (unsigned long long)request, __GNUC__, definition);
  if (*refuses) printf(",\"not_carried\":[[\"" CODEC "\",\"%s\"]]", refuses);
  puts("}}");
  return NULL;
}

/* ---- measuring ---- */

static int64_t now_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static uint64_t consumed;

/* One call of a phase on a sample. Inside the clock; with a fresh buffer the product is written to new memory, which is freed. */
static void call(char phase, int is_fresh, struct sample *own, struct bytes *reused) {
  struct bytes new = {0}, *to = is_fresh ? &new : reused;
  switch (phase) {
    case 'b': build(own->value, to); break;
    case 'e': encode(own->built, to); break;
    case 'd': decode(own->body, to); break;
    case 'r': consumed += read_all(own->decoded); break;
  }
  __asm__ volatile("" : : "r"(to->at) : "memory");
  if (is_fresh) free(new.at);
}

struct batch {
  int64_t elapsed_ns, cpu_ns;
};

static struct batch batch(char phase, int is_fresh, uint64_t calls, struct bytes *reused) {
  int64_t cpu_ns = now_of(CLOCK_THREAD_CPUTIME_ID), start_ns = now_of(CLOCK_MONOTONIC);
  for (uint64_t i = 0, at = 0; i < calls; i++) {
    call(phase, is_fresh, &samples[at], reused);
    if (++at == sample_count) at = 0;
  }
  int64_t end_ns = now_of(CLOCK_MONOTONIC);
  return (struct batch){end_ns - start_ns, now_of(CLOCK_THREAD_CPUTIME_ID) - cpu_ns};
}

/* FNV-1a of the phase's product for the last sample (http://www.isthe.com/chongo/tech/comp/fnv/). */
static uint64_t proof(char phase) {
  struct sample *last = &samples[sample_count - 1];
  struct bytes product = {0};
  call(phase, 0, last, &product);
  uint64_t hash = phase == 'r' ? read_all(last->decoded) : UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < product.length; i++) hash = (hash ^ product.at[i]) * UINT64_C(0x100000001b3);
  free(product.at);
  return hash;
}

static const char *measure(const char *line) {
  char *phase = text_of(member(line, "phase")), *buffer = text_of(member(line, "buffer"));
  uint64_t batch_ns = number_of(member(line, "batch_time_ns"), 0), batches = number_of(member(line, "batches"), 0);
  uint64_t burden = number_of(member(line, "burden_per_mille"), 0), calls = 1;
  const char *problem = NULL;
  static const char *const phases[] = {"build", "encode", "decode", "read", "empty", NULL};
  int is_known = 0;
  for (int i = 0; phase && phases[i]; i++) is_known |= !strcmp(phase, phases[i]);
  if (!loaded || !sample_count)
    problem = "nothing to measure: load samples first";
  else if (!is_known)
    problem = why("this runner has no phase `%s`: it has build, encode, decode, read, empty", phase ? phase : "");
  else if (!buffer || (strcmp(buffer, "fresh") && strcmp(buffer, "reused")))
    problem = why("there is no buffer `%s`: write fresh or reused", buffer ? buffer : "");
  else if (batches < 1 || batch_ns > UINT64_C(60000000000))
    problem = "measure at least one batch, each of at most 60s";
  if (!problem) {
    char which = *phase == 'e' && phase[1] == 'm' ? 0 : *phase;
    int is_fresh = *buffer == 'f';
    struct bytes reused = {0};
    int64_t overhead_ns = INT64_MAX;
    for (int i = 0; i < 101; i++) {
      int64_t reading = batch(which, is_fresh, 0, &reused).elapsed_ns;
      if (reading < overhead_ns) overhead_ns = reading;
    }
    /* A batch that seems long enough is timed once more: the thread may have waited for a CPU. */
    while (calls < UINT64_C(2000000000) && (batch(which, is_fresh, calls, &reused).elapsed_ns < (int64_t)batch_ns ||
                                           batch(which, is_fresh, calls, &reused).elapsed_ns < (int64_t)batch_ns))
      calls *= 2;
    printf("{\"id\":%llu,\"ok\":{\"outcome\":\"measured\",\"measurement\":{\"phase\":\"%s\",\"buffer\":\"%s\",\"batches\":[",
           (unsigned long long)request, phase, buffer);
    for (uint64_t i = 0; i < batches; i++) {
      struct batch one = batch(which, is_fresh, calls + calls * burden / 1000, &reused);
      int64_t elapsed_ns = one.elapsed_ns > overhead_ns ? one.elapsed_ns - overhead_ns : 0;
      printf("%s{\"elapsed_ns\":%lld,\"iterations\":%llu,\"cpu_ns\":%lld}", i ? "," : "", (long long)elapsed_ns,
             (unsigned long long)calls, (long long)one.cpu_ns);
    }
    printf("],\"timer_overhead_ns\":%lld.0,\"allocations\":null,\"stack_bytes\":null,\"missing\":["
           "{\"what\":\"heap\",\"why\":\"this runner counts no heap\"},{\"what\":\"stack\",\"why\":\"this runner paints no stack\"},"
           "{\"what\":\"instructions\",\"why\":\"this runner reads no instruction counter\"}]},\"digest\":\"%016llx\"}}\n",
           (long long)overhead_ns, (unsigned long long)proof(which));
    free(reused.at);
  }
  free(phase), free(buffer);
  return problem;
}

/* ---- single calls ---- */

static const char NOT_FRESH[] = "this is measured in a fresh process, and this one has already loaded a codec";

static const char *call_first(const char *line) {
  if (!fresh) return NOT_FRESH;
  fresh = 0;
  const char *problem = read_samples(line, 1);
  if (problem) return problem;
  if (!sample_count) return "no sample 0: the file has none";
  struct sample *own = &samples[0];
  if ((problem = build(own->value, &own->built))) return problem;
  int64_t start_ns = now_of(CLOCK_MONOTONIC);
  problem = encode(own->built, &own->body);
  int64_t encoded_ns = now_of(CLOCK_MONOTONIC);
  if (problem || (problem = decode(own->body, &own->decoded))) return problem;
  int64_t decoded_ns = now_of(CLOCK_MONOTONIC);
  printf("{\"id\":%llu,\"ok\":{\"outcome\":\"called-first\",\"calls\":{\"setup_ns\":0,\"encode_ns\":%lld,\"decode_ns\":%lld}}}\n",
         (unsigned long long)request, (long long)(encoded_ns - start_ns), (long long)(decoded_ns - encoded_ns));
  return NULL;
}

static const char *encode_samples(const char *line) {
  int give = is_true(member(line, "give"));
  if (!give && !fresh) return NOT_FRESH;
  fresh = 0;
  const char *problem = read_samples(line, number_of(member(line, "samples"), UINT64_MAX));
  for (size_t i = 0; !problem && i < sample_count; i++)
    if (!(problem = build(samples[i].value, &samples[i].built))) problem = encode(samples[i].built, &samples[i].body);
  if (problem) return problem;
  printf("{\"id\":%llu,\"ok\":{\"outcome\":\"encoded-samples\",\"bodies\":[", (unsigned long long)request);
  for (size_t i = 0; give && i < sample_count; i++) {
    if (i) putchar(',');
    print_hex(samples[i].body);
  }
  puts("]}}");
  return NULL;
}

static const char *decode_samples(const char *line) {
  const char *at = member(line, "bodies"), *problem = fresh ? check(line) : NOT_FRESH;
  struct bytes body = {0}, decoded = {0};
  if (at) at = blank(at + 1);
  for (; !problem && at && *at == '"'; at = blank(at + (*at == ','))) {
    fresh = 0;
    if (!(problem = from_hex(at, &body)) && !(problem = decode(body, &decoded))) consumed += read_all(decoded);
    at = past(at);
  }
  free(body.at), free(decoded.at);
  if (!problem) printf("{\"id\":%llu,\"ok\":{\"outcome\":\"done\"}}\n", (unsigned long long)request);
  return problem;
}

static const char *one(const char *line, int encodes) {
  if (!loaded) return "nothing is loaded: `load` a payload and a codec first";
  const char *sample = member(line, "sample"), *problem;
  struct bytes given = {0}, middle = {0}, result = {0};
  uint64_t at = number_of(sample, 0);
  if (encodes && sample) {
    if (at >= sample_count) return why("no sample %llu: %zu are loaded, counted from 0", (unsigned long long)at, sample_count);
    problem = encode(samples[at].built, &result);
  } else if (!(problem = from_hex(member(line, encodes ? "value" : "body"), &given))) {
    if (!(problem = encodes ? build(given, &middle) : decode(given, &middle))) {
      if (encodes)
        problem = encode(middle, &result);
      else
        canonical(middle, &result);
    }
  }
  if (!problem) {
    const char *words = encodes ? "encoded\",\"body\":" : "decoded\",\"value\":";
    printf("{\"id\":%llu,\"ok\":{\"outcome\":\"%s", (unsigned long long)request, words);
    print_hex(result);
    puts("}}");
  }
  free(given.at), free(middle.at), free(result.at);
  return problem;
}

static const char *carry_out(const char *operation, const char *line) {
  if (!strcmp(operation, "describe")) return describe();
  if (!strcmp(operation, "load")) return load(line);
  if (!strcmp(operation, "measure")) return measure(line);
  if (!strcmp(operation, "call-first")) return call_first(line);
  if (!strcmp(operation, "encode-samples")) return encode_samples(line);
  if (!strcmp(operation, "decode-samples")) return decode_samples(line);
  if (!strcmp(operation, "encode")) return one(line, 1);
  if (!strcmp(operation, "decode")) return one(line, 0);
  return why("this runner has no operation `%s`: it encodes, decodes and measures", operation);
}

int main(void) {
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) > 0) {
    request = number_of(member(line, "id"), 0);
    char *operation = text_of(member(line, "op"));
    if (operation && !strcmp(operation, "stop")) {
      printf("{\"id\":%llu,\"ok\":{\"outcome\":\"done\"}}\n", (unsigned long long)request);
      fflush(stdout);
      return 0;
    }
    const char *problem = operation ? carry_out(operation, line) : "this is not a request: a JSON object with `id` and `op`";
    if (problem) {
      printf("{\"id\":%llu,\"failed\":{\"error\":\"", (unsigned long long)request);
      for (; *problem; problem++) {
        if (*problem == '"' || *problem == '\\') putchar('\\');
        if ((unsigned char)*problem >= ' ') putchar(*problem);
      }
      puts("\"}}");
    }
    fflush(stdout);
    free(operation);
  }
  return 0;
}
