import { redact } from "./redact.js";

const HIDDEN = "[redacted]";
// What bears one of these names is a secret, though it looks like none.
const SECRET_NAME = /^(?:access_?token|token|secret|password)$/i;
// The same in what is no JSON: a text, also one that stands within another, or anything else up to where it may end.
const NAME = "(?:access_?token|token|secret|password)";
const SECRET_MEMBERS: readonly RegExp[] = [
  new RegExp(`("${NAME}"\\s*:\\s*)"(?:[^"\\\\]|\\\\[^])*"?`, "gi"),
  new RegExp(`(\\\\{1,8}"${NAME}\\\\{1,8}"\\s*:\\s*)\\\\{1,8}"(?:(?!\\\\{1,8}")[^])*`, "gi"),
  new RegExp(`("${NAME}"\\s*:\\s*)(?!")[^\\s,}\\]]+`, "gi"),
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
    return SECRET_MEMBERS.reduce((rest, member) => rest.replace(member, `$1"${HIDDEN}"`), text);
  }
}
