import { hideRuns, type SecretPattern } from "./hide-runs.js";
import { redact } from "./redact.js";

const HIDDEN = "[redacted]";
const NAMES = "(?:access_?token|token|secret|password)";
// A member with one of these names is a secret, though it looks like none.
const SECRET_NAME = new RegExp(`^${NAMES}$`, "i");
// The same in what is no JSON: a text, also one that stands within another, or anything else up to where it may end.
const SECRET_MEMBERS: readonly SecretPattern[] = [
  { start: new RegExp(`"${NAMES}"\\s*:\\s*"`, "gi"), piece: /[^"\\]+|\\./sy },
  {
    start: new RegExp(`\\\\{1,8}"${NAMES}\\\\{1,8}"\\s*:\\s*\\\\{1,8}"`, "gi"),
    piece: /[^\\]+|(?!\\{1,8}")\\/y,
  },
  { start: new RegExp(`"${NAMES}"\\s*:\\s*(?!")`, "gi"), piece: /[^\s,}\]]+/y },
];

/** Takes secrets out of a body that others have sent: also what stands under the name of one. */
export function redactBody(text: string): string {
  return redact(withoutSecretMembers(text));
}

function withoutSecretMembers(text: string): string {
  let isHidden = false;
  const hide = (name: string, value: unknown): unknown => {
    if (SECRET_NAME.test(name)) {
      isHidden = true;
      return HIDDEN;
    }
    // JSON within a text is JSON too.
    if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
    const without = withoutSecretMembers(value);
    isHidden ||= without !== value;
    return without;
  };
  try {
    const without = JSON.stringify(JSON.parse(text), hide);
    // As it came, where nothing had to be hidden: numbers may be larger than can be read.
    return isHidden ? without : text;
  } catch {
    return SECRET_MEMBERS.reduce(hideRuns, text);
  }
}
