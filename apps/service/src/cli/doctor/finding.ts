import { messageOf } from "../../text/message-of.js";

/** How something that was looked at is. */
export type FindingState =
  /** It was checked, and is well. */
  | "ok"
  | "wrong"
  /** There is none yet. */
  | "missing"
  | "not running"
  /** It could not be checked. */
  | "unknown"
  /** It is optional, and not in use. */
  | "not set";

/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  readonly state: FindingState;
  /** What was seen, and what to do if it is not well. */
  readonly detail: string;
}

/** What a check gives: without the state it is "ok". */
export type Seen = string | Omit<Finding, "check">;

/** Looks at one thing; what the check throws is wrong. */
export async function look(check: string, at: () => Promise<Seen> | Seen): Promise<Finding> {
  try {
    const seen = await at();
    return typeof seen === "string" ? { check, state: "ok", detail: seen } : { check, ...seen };
  } catch (error) {
    return { check, state: "wrong", detail: messageOf(error) };
  }
}

/** 0 if all is well, 1 if something is wrong, 3 if nothing is, but something is missing, not running or unknown. */
export function exitCodeFor(findings: readonly Finding[]): number {
  if (findings.some(({ state }) => state === "wrong")) return 1;
  return findings.every(({ state }) => state === "ok" || state === "not set") ? 0 : 3;
}
