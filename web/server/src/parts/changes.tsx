// What changes when one run replaces another, as the engine concludes.

import { answers } from "../api";
import { useAnswer } from "./answer";
import { Problem, Waiting } from "./words";
import { Answered } from "./written";

export function Changes({ base, newer }: { base: string; newer: string }): preact.JSX.Element {
  const { value, error } = useAnswer((signal) => answers.compare(base, newer, {}, signal), [base, newer]);
  if (error) return <Problem error={error} />;
  if (!value) return <Waiting what="Comparing" />;
  return <Answered html={value.page} />;
}
