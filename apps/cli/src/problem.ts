import { formatProblem } from "@media-ops/formatters/terminal";
import { profileAskedFor } from "./profiles/choose.js";
import type { Session } from "./session.js";

/** What happened, why, and what to do next: in the terminal's own words, for the standard error. */
export function problemText(error: unknown, { aside, flags, world }: Session): string {
  const usesEnvironment = world.env.MEDIA_API_KEY && profileAskedFor(flags.profile, world.env) === undefined;
  const next = usesEnvironment ? nextWithEnvironment : nextWithProfile;
  return formatProblem(error, { ...aside, next });
}

const KEYS = "Keys are made where the service runs: media-ops keys create.";
const UNKNOWN = "This is a mistake in media itself. With MEDIA_DEBUG=1 it says where.";

const nextWithProfile = {
  Unauthorized: `Log in with a key that is good: media login. ${KEYS}`,
  Forbidden: "Leave out in:<project>, or log in with that project's key: media login <profile>.",
  NotFound: "Check the address: media profiles shows it, media login changes it.",
  Connection: "Check that the service runs, and its address: media profiles shows it, media login changes it.",
  Unknown: UNKNOWN,
};

const nextWithEnvironment = {
  Unauthorized: `Put a key that is good into MEDIA_API_KEY, or unset it and run: media login. ${KEYS}`,
  Forbidden: "Leave out in:<project> and MEDIA_PROJECT_ID, or put that project's key into MEDIA_API_KEY.",
  NotFound: "Check the address in MEDIA_BASE_URL.",
  Connection: "Check that the service runs, and its address in MEDIA_BASE_URL.",
  Unknown: UNKNOWN,
};

/** Where an error came from, for whoever mends `media`. No key or token that stands in it is shown. */
export function debugText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.replace(/(?:mo_|eyJ)[\w.-]+/g, "[redacted]");
}
