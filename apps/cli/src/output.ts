import type { ProblemOptions } from "@media-ops/formatters";
import { clean, formatProblem } from "@media-ops/formatters/terminal";
import { redact } from "@media-ops/secrets/redact";
import { requestedProfile } from "./profiles.js";
import type { Session } from "./session.js";

/** What is missing if a period begins before the entries that are kept. */
export const BEFORE_KEPT = "Incomplete: entries are kept for 30 days.";

type NextSteps = NonNullable<ProblemOptions["next"]>;

const CREATE_KEY = "Create keys on the service's machine with: media-ops keys create.";
const OWN_BUG = "This is a bug in media. Set MEDIA_DEBUG=1 to see where.";

const withProfile: NextSteps = {
  Unauthorized: `Log in with a valid key: media login. ${CREATE_KEY}`,
  Forbidden: "Omit in:<project>, or log in with that project's key: media login <profile>.",
  NotFound: "Check the address: media profiles shows it, media login changes it.",
  Connection: "Check that the service runs, and its address: media profiles shows it, media login changes it.",
  Unknown: OWN_BUG,
};

const withEnvironment: NextSteps = {
  Unauthorized: `Set MEDIA_API_KEY to a valid key, or unset it and run: media login. ${CREATE_KEY}`,
  Forbidden: "Omit in:<project> and MEDIA_PROJECT_ID, or set MEDIA_API_KEY to that project's key.",
  NotFound: "Check the address in MEDIA_BASE_URL.",
  Connection: "Check that the service runs, and its address in MEDIA_BASE_URL.",
  Unknown: OWN_BUG,
};

/** The next steps right after address, project and key were typed. */
export const nextAtLogin: NextSteps = {
  Unauthorized: CREATE_KEY,
  Forbidden: "Name the key's own project, or none, or use that project's key.",
  NotFound: "Check the address.",
  Connection: "Check that the service runs, and its address.",
};

/** The error, its cause and the next step, for the standard error. */
export function problemText(
  error: unknown,
  { aside, flags, world }: Pick<Session, "aside" | "flags" | "world">,
  next?: NextSteps,
): string {
  const usesEnvironment = world.env.MEDIA_API_KEY && requestedProfile(flags.profile, world.env) === undefined;
  return formatProblem(error, { ...aside, next: next ?? (usesEnvironment ? withEnvironment : withProfile) });
}

/** The stack of an error, without keys and tokens. */
export function debugText(error: unknown): string {
  return redact(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

// Characters that JSON leaves unescaped and a terminal may execute: later control characters and changes of the writing
// direction. Joiners stay: emoji and many scripts need them.
const UNRULY = /(?![\u200c\u200d])[\u007f-\u009f\p{Cf}\u2028\u2029]/gu;

/** Equivalent JSON, or lines of it, in which every character that a terminal would execute is escaped. */
export function harmlessJson(json: string): string {
  return json.replace(UNRULY, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}

/** CSV for a screen: every character is shown, and none is executed. */
export function harmlessCsv(csv: string): string {
  return csv.split("\r\n").map(clean).join("\r\n");
}

/** CSV as an output receives it: a file receives every character unchanged; a terminal would execute some. */
export function csvFor({ isTTY }: Pick<Session["world"]["stdout"], "isTTY">, csv: string): string {
  return isTTY ? harmlessCsv(csv) : csv;
}
