// The form of a study. All choices come from the registries: an entry added there appears here without a change.

import type { Broker, Options, Protocol } from "../api";
import { options } from "../live";
import { RAW, STRUCTURED, counts, otherAxes, rates, setting, toggled, values, withCounts, withKind, withPayloads, withRates, withSetting, withValues } from "../study";
import { Choices, type Option, Pick, Text } from "./choices";
import { OwnLink } from "./link";
import { Command } from "./words";

type Study = Record<string, unknown>;
interface Props { study: Study; change(study: Study): void }

const SIZES = ["10", "100", "1000", "10000"];
const RATES = ["1/s", "10/s", "100/s", "1k/s"];
const COUNTS = ["10", "100", "1000", "10000"];
const LOSSES = ["0", "0.01", "0.05"];
const LOOPBACK = "loopback";
const AXES = ["payload", "codec", "compression", "mode", "broker", "security", "link", "loss", "rate", "messages"];

const grouped = (text: string): string => Number(text).toLocaleString("en-US");
const digits = (least: number, most: number) => (text: string): number | null => {
  const number = Number(text.replace(/[\s,_]/g, ""));
  return Number.isInteger(number) && number >= least && number <= most ? number : null;
};

export function StudyForm(props: Props): preact.JSX.Element {
  const known = options.value;
  if (!known) return <></>;
  return (
    <>
      <div class="card">
        <Protocols {...props} known={known} />
        <Payloads {...props} known={known} />
        <Frequency {...props} />
        <Messages {...props} />
      </div>
      <div class="card">
        <Network {...props} known={known} />
      </div>
      <More {...props} known={known} />
    </>
  );
}

/** The protocol of a mode, or of a client: `dds` of `dds/cyclonedds:reliable`. */
const protocolOf = (mode: string): string => mode.split(/[/:]/)[0] ?? mode;

/** The broker that a protocol lacks here; null if it needs none, or one of its brokers is installed. */
function lacking(protocol: Protocol, brokers: Broker[]): Broker | null {
  if (["brokerless", "direct"].some((alone) => protocol.capabilities.includes(alone))) return null;
  const own = brokers.filter(({ protocols }) => protocols.includes(protocol.id));
  return own.some(({ installed }) => installed) ? null : (own[0] ?? null);
}

function Protocols({ study, change, known }: Props & { known: Options }): preact.JSX.Element {
  const chosen = values(study, "mode");
  const missing = known.protocols.flatMap((protocol) => {
    const broker = chosen.some((mode) => mode.split(":")[0] === protocol.id) ? lacking(protocol, known.brokers) : null;
    return broker ? [broker] : [];
  });
  return (
    <fieldset class="choices protocols">
      <legend>Protocol</legend>
      <p class="hint">Each with its delivery guarantee. Choose several to compare them.</p>
      <div class="grid">
        {known.protocols.map((protocol) => {
          const off = lacking(protocol, known.brokers);
          return (
            <div key={protocol.id} class="protocol" role="group" aria-label={protocol.id}>
              <span class="name" title={`${protocol.library} ${protocol.version}`}>{protocol.id.split("/").map((part, place) => (place === 0 ? part : <>/<wbr />{part}</>))}</span>
              <span class="chips">
                {protocol.modes.map((id, place) => (
                  <label key={id} class={`chip${off ? " off" : ""}`} title={protocol.settings[place]?.about}>
                    <input type="checkbox" aria-label={id} checked={chosen.includes(id)} onChange={() => change(toggled(study, "mode", id))} />
                    <span>{id.split(":")[1] ?? "as it is"}</span>
                  </label>
                ))}
              </span>
            </div>
          );
        })}
      </div>
      {missing.map(({ id, about, install }) => (
        <p key={id} class="hint warn"><strong>{id}</strong> is not installed here ({about}). {install ? <Command text={install} /> : null}</p>
      ))}
    </fieldset>
  );
}

function Payloads({ study, change, known }: Props & { known: Options }): preact.JSX.Element {
  const chosen = values(study, "payload");
  const toggle = (payload: string): void => {
    const next = chosen.includes(payload) ? chosen.filter((one) => one !== payload) : [...chosen, payload];
    change(withPayloads(study, next, STRUCTURED));
  };
  const isOpaque = (payload: string): boolean => payload.startsWith("opaque@");
  const sizes = SIZES.map((size): Option => ({ value: `opaque@${size}`, label: `${grouped(size)} B`, about: `${grouped(size)} arbitrary bytes` }));
  const size = digits(0, 10_000_000);
  const structured = known.payloads.filter(({ id }) => id !== "opaque");
  const others = chosen.filter((payload) => !isOpaque(payload));
  return (
    <>
      <Choices
        title="Payload size" hint={chosen.includes("opaque@0") ? "Empty messages are equal: sent one after the other they have a latency, otherwise they are counted." : "Arbitrary bytes, or messages with fields."} options={sizes} chosen={chosen.filter(isOpaque)} toggle={toggle}
        own={{ label: "Another size in bytes", placeholder: "other bytes", read: (text) => { const found = size(text); return found === null ? null : `opaque@${found}`; } }}
      />
      <details class="inner" open={others.length > 0}>
        <summary>Messages with fields{others.length > 0 ? `: ${others.join(", ")}` : ""}</summary>
        <Choices
          title="Message" options={structured.map(({ id, about, sized, uploaded }) => ({ value: sized ? `${id}@1024` : id, label: uploaded ? `${id} (yours)` : id, about }))}
          chosen={others} toggle={toggle}
        />
        {others.length > 0 ? <Codecs study={study} change={change} known={known} /> : null}
      </details>
    </>
  );
}

/** Codecs by their families; the best known first. */
function Codecs({ study, change, known }: Props & { known: Options }): preact.JSX.Element {
  const chosen = values(study, "codec");
  const rust = known.codecs.filter(({ runner, id }) => (runner === "rust" || chosen.includes(id)) && id !== RAW);
  return (
    <div class="codecs">
      {known.families.map(({ id, title }) => {
        const own = rust.filter(({ family }) => family === id);
        if (own.length === 0) return null;
        return <Choices key={id} title={`Format: ${title}`} options={own.map((codec) => ({ value: codec.id, about: codec.about }))} chosen={chosen.filter((codec) => own.some((one) => one.id === codec))} toggle={(codec) => change(toggled(study, "codec", codec))} />;
      })}
    </div>
  );
}

const FAST: [("closed" | "search"), string, string][] = [
  ["closed", "one after the other", "Each message is sent when the previous one has arrived"],
  ["search", "the highest rate", "The rate rises until the 99th percentile of latency exceeds 100 ms or messages are lost"],
];

function Frequency({ study, change }: Props): preact.JSX.Element {
  const chosen = rates(study);
  const kind = setting(study, "load", "kind");
  const interval = setting(study, "load", "interval");
  const special = FAST.map(([value, label, about]): Option => ({ value, label, about }));
  const marked = kind === "closed" || kind === "search" ? [kind] : chosen;
  const toggle = (value: string): void => {
    if (value === "closed" || value === "search") return change(kind === value ? withRates(study, []) : withKind(study, value));
    change(withRates(study, chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]));
  };
  return (
    <Choices
      title="Frequency" hint={typeof interval === "string" && chosen.length === 0 && kind === "open" ? `Now: a message every ${interval}.` : "Messages per second, whether they arrive or not; or as fast as they arrive."}
      options={[...RATES.map((value) => ({ value, label: value.replace("k/s", ",000/s") })), ...special]} chosen={marked} toggle={toggle}
      own={{ label: "Another frequency, messages per second", placeholder: "other /s", read: (text) => (/^\d+(\.\d+)?$/.test(text) ? `${text}/s` : /^\d+(\.\d+)?[kM]?\/s$/.test(text) ? text : null) }}
    />
  );
}

function Messages({ study, change }: Props): preact.JSX.Element {
  const chosen = counts(study);
  const repeats = String(setting(study, "trials", "repeats") ?? "5");
  const number = digits(1, 5_000_000);
  return (
    <Choices
      title="Number of messages" options={COUNTS.map((value) => ({ value, label: grouped(value) }))} chosen={chosen}
      toggle={(value) => change(withCounts(study, chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]))}
      own={{ label: "Another number of messages", placeholder: "other", read: (text) => { const found = number(text); return found === null ? null : String(found); } }}
    >
      <Pick
        label="Each test" value={repeats} change={(value) => change(withSetting(study, "trials", "repeats", Number(value)))}
        options={[...new Set(["1", "3", "5", "10", "20", repeats])].sort((a, b) => Number(a) - Number(b)).map((value) => ({ value, label: value === "1" ? "once, no interval" : `${value} times${Number(value) < 5 ? ", no interval" : ""}` }))}
      />
    </Choices>
  );
}

function Network({ study, change, known }: Props & { known: Options }): preact.JSX.Element {
  const links: Option[] = [{ value: LOOPBACK, about: "No network between them: what the protocol itself costs" }, ...known.links.map(({ id, about }) => ({ value: id, about }))];
  const chosen = values(study, "link");
  const toggleLink = (link: string): void => {
    const now = chosen.length > 0 ? chosen : [LOOPBACK];
    // Loopback represents an empty choice: another link replaces it.
    const next = now.includes(link) ? now.filter((one) => one !== link) : [...(chosen.length === 0 ? [] : now), link];
    change(withValues(study, "link", next));
  };
  const oneWay = setting(study, "hosts", "subscriber") === "cloud";
  const loss = (text: string): string | null => {
    const per = Number(text.replace(/\s*%$/, ""));
    return text !== "" && per >= 0 && per < 100 ? String(+(per / 100).toPrecision(6)) : null;
  };
  return (
    <>
      <Choices title="Network" options={links} chosen={chosen.length > 0 ? chosen : [LOOPBACK]} toggle={toggleLink}>
        <OwnLink made={(link) => change(withValues(study, "link", [...(chosen.length === 0 ? [] : chosen.filter((one) => one !== LOOPBACK)), link]))} />
      </Choices>
      <Choices
        title="Loss each way" hint={chosen.some((link) => link !== LOOPBACK) ? "Instead of the link's own." : "Needs a link other than loopback."}
        options={LOSSES.map((value) => ({ value, label: `${+(Number(value) * 100).toFixed(4)} %` }))} chosen={values(study, "loss")}
        toggle={(value) => change(toggled(study, "loss", value))} own={{ label: "Another loss in percent", placeholder: "other %", read: loss }}
      >
        <Pick
          label="Measured" value={oneWay ? "cloud" : "edge"} change={(value) => change(withSetting(study, "hosts", "subscriber", value === "edge" ? undefined : value))}
          options={[{ value: "edge", label: "there and back" }, { value: "cloud", label: "one way" }]}
        />
      </Choices>
    </>
  );
}

/** Rarely changed settings, each with its default. */
function More({ study, change, known }: Props & { known: Options }): preact.JSX.Element {
  const protocols = new Set(values(study, "mode").map(protocolOf));
  const brokers = known.brokers.filter(({ protocols: served }) => served.some((protocol) => protocols.has(protocol)));
  const secured = known.protocols.filter(({ id }) => protocols.has(protocolOf(id)));
  const securities = [...new Set(secured.flatMap(({ securities: own }) => own))];
  const able = (value: string): string => secured.filter(({ securities: own }) => own.includes(value)).map(({ id }) => id).join(", ");
  const load = (name: string): string => String(setting(study, "load", name) ?? "");
  // The clients of a protocol share its options; some have more than others.
  const tuned = [...protocols].map((protocol) => {
    const clients = known.protocols.filter(({ id }) => protocolOf(id) === protocol);
    const options = [...new Map(clients.flatMap(({ options: own }) => own.map((option) => [option.name, option]))).values()];
    return { protocol, options };
  }).filter(({ options }) => options.length > 0);
  return (
    <details class="card more">
      <summary>More: brokers, security, compression, deadlines, options of protocols</summary>
      {brokers.length > 0 ? (
        <Choices
          title="Broker" hint="If none is chosen, the preferred one of those installed." chosen={values(study, "broker")} toggle={(value) => change(toggled(study, "broker", value))}
          options={brokers.map(({ id, about, installed, install }) => ({ value: id, about, off: installed ? undefined : `Not installed${install ? `: ${install}` : ""}` }))}
        />
      ) : null}
      {securities.length > 1 ? (
        <Choices
          title="Security" hint="If none is chosen, in the clear where a protocol allows it." chosen={values(study, "security")} toggle={(value) => change(toggled(study, "security", value))}
          options={securities.map((value) => ({ value, about: able(value) }))}
        />
      ) : null}
      <Choices
        title="Compression" hint="Of the encoded bytes. Choose several to compare them." chosen={values(study, "compression")} toggle={(value) => change(toggled(study, "compression", value))}
        options={[...new Map(known.compressions.flatMap(({ ids, about }) => ids.map((value) => [value, { value, about }]))).values()]}
      />
      {otherAxes(study, AXES).map((axis) => (
        <Choices
          key={axis} title={axis} options={values(study, axis).map((value) => ({ value }))} chosen={values(study, axis)} toggle={(value) => change(toggled(study, axis, value))}
          own={{ label: `A value of ${axis}`, placeholder: "other", read: (text) => text }}
        />
      ))}
      <div class="row">
        <Text label="Late after" value={load("deadline")} change={(value) => change(withSetting(study, "load", "deadline", value))} hint="2s" size={6} />
        <Text label="Lost after" value={load("drain")} change={(value) => change(withSetting(study, "load", "drain", value))} hint="4s" size={6} />
        <Text label="Seed" value={String(setting(study, "trials", "seed") ?? "")} change={(value) => change(withSetting(study, "trials", "seed", /^\d+$/.test(value) ? Number(value) : undefined))} hint="1" size={6} />
        <Text label="Name" value={String(study["name"] ?? "")} change={(value) => change({ ...study, name: value })} hint="from what is chosen" size={22} />
      </div>
      {tuned.map(({ protocol, options: own }) => (
        <details key={protocol} class="inner">
          <summary>Options of {protocol}</summary>
          {own.map((option) => <Choice key={option.name} protocol={protocol} option={option} study={study} change={change} />)}
        </details>
      ))}
    </details>
  );
}

/** An option of a protocol, as an axis: of its choices, of true and false, or of written values. */
function Choice({ protocol, option, study, change }: Props & { protocol: string; option: Protocol["options"][number] }): preact.JSX.Element {
  const axis = `${protocol}.${option.name}`;
  const { is, of = [] } = option.kind;
  const listed = is === "choice" ? of.map(String) : is === "flag" ? ["false", "true"] : [];
  const own = listed.length > 0 ? {} : { own: { label: `A value of ${axis}`, placeholder: String(option.default), read: (text: string) => text } };
  return (
    <Choices
      title={option.name} hint={`${option.about}. Default: ${String(option.default)}.`} options={listed.map((value) => ({ value }))}
      chosen={values(study, axis)} toggle={(value) => change(toggled(study, axis, value))} {...own}
    />
  );
}
