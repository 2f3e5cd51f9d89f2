// A chart that fills the width of its container.

import { useEffect, useRef } from "preact/hooks";
import { namePicture } from "../../../src/sections";
import { plotTools } from "../../../src/tools";

export function Picture({ draw, label, inputs }: { draw(width: number): Element; label: string; inputs: unknown[] }): preact.JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    let width = 0;
    const show = (): void => {
      if (box.clientWidth === width || box.clientWidth === 0) return;
      width = box.clientWidth;
      const plot = draw(width);
      namePicture(plot, label);
      box.replaceChildren(plot, ...(plot instanceof SVGSVGElement ? [plotTools(plot, label)] : []));
    };
    const observer = new ResizeObserver(show);
    observer.observe(box);
    show();
    return () => observer.disconnect();
  }, inputs);
  return <div class="panel" ref={place} />;
}
