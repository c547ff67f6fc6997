import { HIDDEN, hideRuns, redact, type SecretPattern } from "./redact.js";

const NAMES = "(?:access_?token|token|secret|password)";
// The value of a member with one of these names is always a secret.
const SECRET_NAME = new RegExp(`^${NAMES}$`, "i");
// The same outside of JSON: a string, possibly within a string, or any other value up to its end.
const SECRET_MEMBERS: readonly SecretPattern[] = [
  { start: new RegExp(`"${NAMES}"\\s*:\\s*"`, "gi"), piece: /[^"\\]+|\\./sy },
  {
    start: new RegExp(`\\\\{1,8}"${NAMES}\\\\{1,8}"\\s*:\\s*\\\\{1,8}"`, "gi"),
    piece: /[^\\]+|(?!\\{1,8}")\\/y,
  },
  { start: new RegExp(`"${NAMES}"\\s*:\\s*(?!")`, "gi"), piece: /[^\s,}\]]+/y },
];

/** Removes secrets from a request or response body, including the values of members with the name of a secret. */
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
    // JSON within a string is JSON, too.
    if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
    const without = withoutSecretMembers(value);
    isHidden ||= without !== value;
    return without;
  };
  try {
    const without = JSON.stringify(JSON.parse(text), hide);
    // Unchanged if nothing was hidden: JSON.parse may change large numbers.
    return isHidden ? without : text;
  } catch {
    return SECRET_MEMBERS.reduce(hideRuns, text);
  }
}
