// Choosing among values: toggles, and a field for values that are not among them.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

export interface Option { value: string; label?: string; about?: string | undefined; off?: string | undefined }

interface Props {
  title: string;
  hint?: ComponentChildren;
  options: Option[];
  chosen: string[];
  /** At most one value, rather than several side by side. */
  one?: boolean;
  toggle(value: string): void;
  /** A value that is not offered: label and placeholder of its field, and the value of a text; null if it is invalid. */
  own?: { label: string; placeholder: string; read(text: string): string | null };
  children?: ComponentChildren;
}

/** A group of toggles. Chosen values that are not among the options are shown too. */
export function Choices({ title, hint, options, chosen, one = false, toggle, own, children }: Props): preact.JSX.Element {
  const name = useId();
  const known = new Set(options.map(({ value }) => value));
  const shown = [...options, ...chosen.filter((value) => !known.has(value)).map((value): Option => ({ value, label: own ? value.split("@").at(-1) ?? value : value }))];
  return (
    <fieldset class="choices">
      <legend>{title}</legend>
      {hint ? <p class="hint">{hint}</p> : null}
      <div class="chips">
        {shown.map(({ value, label = value, about, off }) => (
          <label key={value} class={`chip${off ? " off" : ""}`} title={off ?? about}>
            <input type={one ? "radio" : "checkbox"} name={name} value={value} checked={chosen.includes(value)} onChange={() => toggle(value)} />
            <span>{label}{off ? <small> {"\u2013"} not here</small> : null}</span>
          </label>
        ))}
        {own ? <Own {...own} add={(value) => chosen.includes(value) || toggle(value)} /> : null}
      </div>
      {children}
    </fieldset>
  );
}

function Own({ label, placeholder, read, add }: NonNullable<Props["own"]> & { add(value: string): void }): preact.JSX.Element {
  const [text, set] = useState("");
  const value = text.trim() === "" ? null : read(text.trim());
  const enter = (): void => {
    if (value === null) return;
    add(value);
    set("");
  };
  return (
    <span class="own">
      <input
        aria-label={label} placeholder={placeholder} value={text} size={Math.max(placeholder.length, 6)} aria-invalid={text !== "" && value === null}
        onInput={(event) => set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          enter();
        }}
        onBlur={enter}
      />
    </span>
  );
}

/** One of many, in a list that opens. */
export function Pick({ label, value, options, change }: { label: string; value: string; options: Option[]; change(value: string): void }): preact.JSX.Element {
  return (
    <label class="pick">
      {label}
      <select value={value} onChange={(event) => change(event.currentTarget.value)}>
        {options.map((option) => <option key={option.value} value={option.value}>{option.label ?? option.value}</option>)}
      </select>
    </label>
  );
}

/** A short text. */
export function Text({ label, value, change, hint, size = 12 }: { label: string; value: string; change(value: string): void; hint?: string; size?: number }): preact.JSX.Element {
  return (
    <label class="pick">
      {label}
      <input value={value} size={size} placeholder={hint} onInput={(event) => change(event.currentTarget.value)} />
    </label>
  );
}
