// One colour and one symbol per codec, one colour and one dash per mode, the same in every chart. With more codecs than
// colours, each family of formats has a colour, so that no colour means two things. Colours are CSS variables (see style.css),
// so that light, dark and print need no redrawing.

import { type PageData, familyOf } from "./model";

const COLOURS = 8;
/** Colours of families in their order; the last is the grey one, for plain bytes. */
const OF_FAMILIES = [0, 1, 2, 3, 4, 6];
const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "wye", "cross", "asterisk"] as const;
const DASHES = ["none", "6 3", "2 3", "8 3 2 3", "12 4", "1 2", "4 2 1 2", "10 2"] as const;

export type SymbolName = (typeof SYMBOLS)[number];

export interface Palette {
  codec(id: string): { colour: string; symbol: SymbolName };
  /** What a codec's colour stands for: the codec, or its family. */
  meaning(id: string): string;
  mode(id: string): { colour: string; dash: string };
}

export function palette(data: PageData): Palette {
  const { axes } = data.summary.study;
  const families = axes.codec.length > COLOURS;
  return {
    codec(id) {
      const place = families ? (OF_FAMILIES[familyOf(data, id)] ?? 0) : Math.max(0, axes.codec.indexOf(id));
      return { colour: `var(--codec-${place % COLOURS})`, symbol: SYMBOLS[place % SYMBOLS.length] ?? "circle" };
    },
    meaning: (id) => (families ? data.families[familyOf(data, id)]?.title : undefined) ?? id,
    mode(id) {
      const place = Math.max(0, axes.mode.indexOf(id));
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
  network: "var(--part-5)",
  networkBack: "var(--part-7)",
  broker: "var(--part-6)",
  message: "var(--part-1)",
  acknowledgement: "var(--part-4)",
  transport: "var(--part-3)",
  keepAlive: "var(--part-6)",
  setUp: "var(--part-2)",
  retransmitted: "var(--fate-lost)",
  unread: "var(--line)",
  delivered: "var(--fate-delivered)",
  late: "var(--fate-late)",
  superseded: "var(--fate-superseded)",
  lost: "var(--fate-lost)",
} as const;
