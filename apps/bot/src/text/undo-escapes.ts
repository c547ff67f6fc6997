// What Slack makes of what people type: references in angle brackets, and three signs as entities.
const REFERENCE = /<([#@!]?)([^<>|]*)(?:\|([^<>]*))?>/g;
const ENTITY = /&(amp|lt|gt);/g;
const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">" };

/** What a person typed, from what Slack made of it: `status&gt;=400` was `status>=400`. */
export function undoEscapes(text: string): string {
  return text
    .replace(REFERENCE, (_, kind: string, target: string, label: string | undefined) => typed(kind, target, label))
    .replace(ENTITY, (_, name: string) => signs[name] ?? "");
}

function typed(kind: string, target: string, label: string | undefined): string {
  if (kind === "!") return label ?? target;
  // Whoever names a channel of Slack in a command means the media channel of that name. Private ones have no label.
  if (kind !== "") return label || target;
  // Slack makes addresses of what only looks like one, such as lobby@demo.example; the label is what was there.
  return label ?? target.replace(/^mailto:/, "");
}
