# Generates a header from a definition: the number and kind of its one field, or why there is none.
# The input is Wiredyno's lowered definition: one field per line, no imports, no options.
/^message / { messages++ }
/^ +.* = [0-9]+;/ { fields++; kind = $1; number = $4; sub(/;.*/, "", number) }
END {
  alone = messages == 1 && fields == 1 && (kind == "string" || kind == "bytes")
  name = message; sub(/.*\./, "", name)
  printf "#define DEFINITION \"%s\"\n", digest > out
  printf "#define FIELD %d\n", alone ? number : 0 > out
  printf "#define IS_TEXT %d\n", kind == "string" > out
  printf "#define REFUSES \"%s\"\n", alone ? "" : "`" name "` is more than one string or bytes field" > out
}
