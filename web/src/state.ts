// The reader's choices, as the fragment of the page's address: a section, and lists of values by name, as in
// `#latency&mode=-udp,-coap:con&sort=results-table:3:desc`. Pure; address.ts has the browser's side.

export type Values = Record<string, string[]>;

export interface State {
  /** The element that the address points to; empty for none. */
  section: string;
  values: Values;
}

/** Characters of ids that need no escape in a fragment. */
const READABLE = /%(2F|3A|40)/g;

function escaped(text: string): string {
  return encodeURIComponent(text).replace(READABLE, decodeURIComponent);
}

/** Unchanged if it can't be decoded. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads a fragment, with its `#` or without. */
export function parse(fragment: string): State {
  const parts = fragment.replace(/^#/, "").split("&");
  const section = parts[0]?.includes("=") ? "" : unescaped(parts.shift() ?? "");
  const values: Values = {};
  for (const part of parts) {
    const [name = "", list = ""] = part.split("=", 2);
    const found = list.split(",").filter(Boolean).map(unescaped);
    if (name && found.length > 0) values[unescaped(name)] = found;
  }
  return { section, values };
}

/** Writes a fragment with its `#`; empty if there is nothing to write. */
export function print({ section, values }: State): string {
  const lists = Object.entries(values).filter(([, list]) => list.length > 0);
  const parts = lists.map(([name, list]) => `${escaped(name)}=${list.map(escaped).join(",")}`);
  return section || parts.length > 0 ? `#${[escaped(section), ...parts].join("&")}` : "";
}
