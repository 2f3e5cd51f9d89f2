/* The probe of the runner (docs/RUNNER.md, "Probes"): its codec, whose calls are marked and take at least their time. The linker puts these
   functions between contract.c and codec.c (ld's --wrap), so that the runner around them is the one that measures. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "codec.h"

enum { LEAST_NS = 300000 };

const char *__real_build(struct bytes value, struct bytes *to);
const char *__real_encode(struct bytes built, struct bytes *to);
const char *__real_decode(struct bytes body, struct bytes *to);
uint64_t __real_read_all(struct bytes decoded);

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* The first eight bytes, big-endian; 0 if there are fewer. */
static uint64_t number_in(struct bytes field) {
  uint64_t number = 0;
  for (size_t i = 0; i < 8 && field.length >= 8; i++) number = number << 8 | field.at[i];
  return number;
}

static void mark(const char *what, uint64_t number, int64_t begin_ns) {
  static int file = -1;
  const char *path = getenv("WIREDYNO_MARKS");
  if (file < 0 && (!path || (file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644)) < 0)) abort();
  int64_t end_ns;
  do end_ns = now_ns();
  while (end_ns < begin_ns + LEAST_NS);
  char line[96];
  int length = snprintf(line, sizeof line, "%s %llu %lld %lld\n", what, (unsigned long long)number, (long long)begin_ns, (long long)end_ns);
  if (write(file, line, (size_t)length) != length) abort();
}

const char *__wrap_build(struct bytes value, struct bytes *to) {
  int64_t begin_ns = now_ns();
  const char *problem = __real_build(value, to);
  mark("build", number_in(*to), begin_ns);
  return problem;
}

const char *__wrap_encode(struct bytes built, struct bytes *to) {
  int64_t begin_ns = now_ns();
  const char *problem = __real_encode(built, to);
  mark("encode", number_in(built), begin_ns);
  return problem;
}

const char *__wrap_decode(struct bytes body, struct bytes *to) {
  int64_t begin_ns = now_ns();
  const char *problem = __real_decode(body, to);
  mark("decode", number_in(body), begin_ns);
  return problem;
}

uint64_t __wrap_read_all(struct bytes decoded) {
  int64_t begin_ns = now_ns();
  uint64_t sum = __real_read_all(decoded);
  mark("read", number_in(decoded), begin_ns);
  return sum;
}
