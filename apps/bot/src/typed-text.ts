import { redact } from "@media-ops/secrets";
import { onlyFaults } from "./features.js";
import { connectButton, mayConnectHere } from "./projects/open-project.js";
import { typed } from "./projects/words.js";
import type { Request } from "./request.js";
import { type Draft, mrkdwnSection, row } from "./slack/blocks.js";

// Slack turns typed text into references in angle brackets, and three characters into entities.
const REFERENCE = /<([#@!]?)([^<>|]*)(?:\|([^<>]*))?>/g;
const ENTITY = /&(amp|lt|gt);/g;
const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">" };

/** Restores what a person typed: Slack sends `status&gt;=400` for `status>=400`. */
export function undoEscapes(text: string): string {
  return text
    .replace(REFERENCE, (_, kind: string, target: string, label: string | undefined) => textTyped(kind, target, label))
    .replace(ENTITY, (_, name: string) => signs[name] ?? "");
}

function textTyped(kind: string, target: string, label: string | undefined): string {
  if (kind === "!") return label ?? target;
  // A Slack channel in a command means the media channel of that name. Private ones have no label.
  if (kind !== "") return label || target;
  // Slack turns text such as lobby@demo.example into an address; the label is what was typed.
  return label ?? target.replace(/^mailto:/, "");
}

/** Whether a text contains a key, a token or another secret, and must be neither stored nor repeated. */
const holdsSecret = (text: string): boolean => redact(text) !== text;

const WORDS =
  "This contains a key or a token, so nothing was done with it. Remove it here, revoke it, and use a new one.";

/** The fields of a window that contain a secret; undefined if none does. */
export function secretFaults(
  values: Readonly<Record<string, string | undefined>>,
  { secretField }: { readonly secretField?: string | undefined },
): Readonly<Record<string, string>> | undefined {
  const faults = Object.entries(values).map(([field, text]) => {
    const isFault = field !== secretField && text !== undefined && holdsSecret(text);
    return [field, isFault ? WORDS : undefined];
  });
  return onlyFaults(Object.fromEntries(faults));
}

/** A warning if a text contains a key or a token, without repeating it; undefined if it contains none. */
export async function keyInChat(
  text: string,
  request: Pick<Request, "prefix" | "config" | "member">,
): Promise<Draft | undefined> {
  if (!holdsSecret(text)) return undefined;
  const words = "*What you typed contains a key or a token, so nothing was done with it.*";
  const next = `Revoke it: Slack's history may contain it now. API keys are entered in a window: ${typed(request.prefix, "connect")} opens.`;
  const isAllowed = await mayConnectHere(request);
  return {
    blocks: [
      mrkdwnSection(`${words} ${next}`),
      ...row(isAllowed ? connectButton("Connect a project", { style: "primary" }) : undefined),
    ],
    text: `${words} ${next}`,
  };
}
