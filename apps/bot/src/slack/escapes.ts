// Slack turns typed text into references in angle brackets, and three characters into entities.
const REFERENCE = /<([#@!]?)([^<>|]*)(?:\|([^<>]*))?>/g;
const ENTITY = /&(amp|lt|gt);/g;
const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">" };

/** Restores the text that a person typed: Slack sends `status&gt;=400` for `status>=400`. */
export function undoEscapes(text: string): string {
  return text
    .replace(REFERENCE, (_, kind: string, target: string, label: string | undefined) => textTyped(kind, target, label))
    .replace(ENTITY, (_, name: string) => signs[name] ?? "");
}

function textTyped(kind: string, target: string, label: string | undefined): string {
  if (kind === "!") return label ?? target;
  // A Slack channel in a command means the media channel of that name. Private channels have no label.
  if (kind !== "") return label || target;
  // Slack turns text such as lobby@demo.example into a link; the label is the typed text.
  return label ?? target.replace(/^mailto:/, "");
}
