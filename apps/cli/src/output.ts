import type { ProblemOptions } from "@media-ops/formatters";
import { clean, formatProblem } from "@media-ops/formatters/terminal";
import { redact } from "@media-ops/secrets/redact";
import { profileAskedFor } from "./profiles.js";
import type { Session } from "./session.js";

const KEYS = "Keys are made where the service runs: media-ops keys create.";
const UNKNOWN = "This is a mistake in media itself. With MEDIA_DEBUG=1 it says where.";

type Next = NonNullable<ProblemOptions["next"]>;

const nextWithProfile: Next = {
  Unauthorized: `Log in with a key that is good: media login. ${KEYS}`,
  Forbidden: "Leave out in:<project>, or log in with that project's key: media login <profile>.",
  NotFound: "Check the address: media profiles shows it, media login changes it.",
  Connection: "Check that the service runs, and its address: media profiles shows it, media login changes it.",
  Unknown: UNKNOWN,
};

const nextWithEnvironment: Next = {
  Unauthorized: `Put a key that is good into MEDIA_API_KEY, or unset it and run: media login. ${KEYS}`,
  Forbidden: "Leave out in:<project> and MEDIA_PROJECT_ID, or put that project's key into MEDIA_API_KEY.",
  NotFound: "Check the address in MEDIA_BASE_URL.",
  Connection: "Check that the service runs, and its address in MEDIA_BASE_URL.",
  Unknown: UNKNOWN,
};

/** Where address, project and key have just been typed. */
export const nextAtLogin: Next = {
  Unauthorized: KEYS,
  Forbidden: "Name the key's own project, or none, or take that project's key.",
  NotFound: "Check the address.",
  Connection: "Check that the service runs, and its address.",
};

/** What happened, why, and what to do next: in the terminal's own words, for the standard error. */
export function problemText(error: unknown, { aside, flags, world }: Session, next?: Next): string {
  const usesEnvironment = world.env.MEDIA_API_KEY && profileAskedFor(flags.profile, world.env) === undefined;
  return formatProblem(error, { ...aside, next: next ?? (usesEnvironment ? nextWithEnvironment : nextWithProfile) });
}

/** Where an error came from, for whoever mends `media`. No key or token that stands in it is shown. */
export function debugText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return redact(text);
}

// What JSON leaves as it is, and a terminal may obey: later control characters and turns of the direction of writing.
// Joiners stay: emoji and many scripts are written with them.
const UNRULY = /(?![\u200c\u200d])[\u007f-\u009f\p{Cf}\u2028\u2029]/gu;

/** JSON, or lines of it, that means the same and holds nothing that a terminal would obey. */
export function harmlessJson(json: string): string {
  return json.replace(UNRULY, (sign) => {
    return Array.from({ length: sign.length }, (_, at) => hex(sign.charCodeAt(at))).join("");
  });
}

const hex = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`;

/** CSV for a screen: each of its signs is shown, and none is obeyed. */
export function harmlessCsv(csv: string): string {
  return csv.split("\r\n").map(clean).join("\r\n");
}
