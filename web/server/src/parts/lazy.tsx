// A part that is loaded when it is first shown.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Waiting } from "./words";

export function lazy<P extends object>(load: () => Promise<{ default: ComponentType<P> }>): (props: P) => preact.JSX.Element {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [, show] = useState(0);
    useEffect(() => {
      if (loaded) return;
      void load().then((module) => {
        loaded = module.default;
        show(1);
      });
    }, []);
    const Part = loaded;
    return Part ? <Part {...props} /> : <Waiting />;
  };
}
