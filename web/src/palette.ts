// One colour and one symbol per codec, one colour and one dash per mode, the same in every chart. Colours are
// CSS variables (see style.css), so that light, dark and print need no redrawing.

import type { Axes } from "./model";

const COLOURS = 8;
const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "wye", "cross", "asterisk"] as const;
const DASHES = ["none", "6 3", "2 3", "8 3 2 3", "12 4", "1 2", "4 2 1 2", "10 2"] as const;

export type SymbolName = (typeof SYMBOLS)[number];

export interface Palette {
  codec(id: string): { colour: string; symbol: SymbolName };
  mode(id: string): { colour: string; dash: string };
}

export function palette(axes: Axes): Palette {
  // Codecs beyond the palette go round: colour and symbol step apart, so that pairs stay distinct for long.
  return {
    codec(id) {
      const place = Math.max(0, axes.codec.indexOf(id));
      const symbol = SYMBOLS[(place + Math.floor(place / COLOURS)) % SYMBOLS.length] ?? "circle";
      return { colour: `var(--codec-${place % COLOURS})`, symbol };
    },
    mode(id) {
      const place = Math.max(0, axes.mode?.indexOf(id) ?? 0);
      return { colour: `var(--mode-${place % COLOURS})`, dash: DASHES[place % DASHES.length] ?? "none" };
    },
  };
}

/** Colours of parts of a whole: phases, fates of messages. */
export const PART = {
  build: "var(--part-0)",
  encode: "var(--part-1)",
  send: "var(--part-2)",
  transit: "var(--part-3)",
  decode: "var(--part-4)",
  read: "var(--part-5)",
  compress: "var(--part-6)",
  decompress: "var(--part-7)",
  delivered: "var(--fate-delivered)",
  late: "var(--fate-late)",
  superseded: "var(--fate-superseded)",
  lost: "var(--fate-lost)",
} as const;
