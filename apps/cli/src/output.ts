import type { ProblemOptions } from "@media-ops/formatters";
import { clean, formatProblem } from "@media-ops/formatters/terminal";
import { redact } from "@media-ops/secrets/redact";
import { requestedProfile } from "./profiles.js";
import type { Session } from "./session.js";

/** What is missing if a period begins before the entries that are kept. */
export const BEFORE_KEPT = "Incomplete: entries are kept for 30 days.";

/** The most entries that a command reads. */
export const MOST_READ = 100_000;

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

/** Prints a value for a program. */
export function printJson(value: unknown, { print }: Session): void {
  print(harmlessJson(JSON.stringify(value)));
}

/** Delivers a part of a file. A file receives every character of CSV unchanged; a terminal would execute some. */
export function deliverFile(
  style: "csv" | "json",
  { csv, json }: Readonly<Record<"csv" | "json", () => string>>,
  { world, deliver }: Session,
): Promise<void> {
  if (style === "json") return deliver(harmlessJson(json()));
  return deliver(world.stdout.isTTY ? harmlessCsv(csv()) : csv());
}

/** What follows a failure that another attempt may end. */
export const RETRYING = "Retrying until the service answers.";

/** Reports the start and the end of an outage once each, for commands that go on until they are stopped. */
export function outageReporter({ world, flags, aside, show, say }: Session) {
  let failure: string | undefined;
  return {
    onError(error: unknown): void {
      const name = error instanceof Error ? error.name : "";
      if (name === failure) return;
      failure = name;
      show(problemText(error, { world, flags, aside }));
      say(RETRYING);
    },
    onResponse({ ok }: Response): void {
      if (!ok || failure === undefined) return;
      failure = undefined;
      say("The service answers again.");
    },
  };
}
