import type { MediaError } from "@media-ops/sdk";
import { fieldOf } from "./values/field.js";
import { formatDuration } from "./values/numbers.js";
import { brief, oneLine } from "./values/text.js";

/** An error as people read it. */
interface ProblemWords {
  /** What happened, as a heading. */
  what: string;
  /** Why, in a sentence or two; empty where nothing more is known. */
  why: string;
  /** What to do next. */
  next: string;
  /** The id under which the service has it in its own logs. */
  requestId?: string;
}

/** The code of an error of the SDK, or `Unknown` for everything else that can be thrown. */
export type ProblemCode = MediaError["code"] | "Unknown";

export interface ProblemOptions {
  /** What to do next where it depends on the place: for whom a command stands ready, or whom to ask. */
  next?: { readonly [Code in ProblemCode]?: string | undefined } | undefined;
  /** Whether only what the service itself said is told as the reason, and not what happened on the way to it. @default false */
  isBrief?: boolean | undefined;
}

/** What each failure is called, and what helps against it where the service says nothing better. */
const words: { readonly [Code in ProblemCode]: Pick<ProblemWords, "what" | "next"> } = {
  BadRequest: { what: "The service did not understand the request", next: "Change what it names, and try again." },
  Unauthorized: { what: "The API key was refused", next: "Use a key that is not revoked, or make a new one." },
  Forbidden: {
    what: "This belongs to another project",
    next: "Name the key's own project, or use that project's key.",
  },
  NotFound: { what: "There is no media service at this address", next: "Check the address of the service." },
  MethodNotAllowed: {
    what: "There is another kind of service at this address",
    next: "Check the address of the service.",
  },
  PayloadTooLarge: { what: "The request was too large", next: "Ask for less at once." },
  UnsupportedMediaType: {
    what: "The service did not take the request for JSON",
    next: "Check what stands between here and the service.",
  },
  TooManyRequests: { what: "Too many requests with this API key", next: "Wait a little, and try again." },
  ServiceUnavailable: { what: "The service has too much to do, or is about to stop", next: "Try again in a minute." },
  Api: { what: "The service failed", next: "Try again; if it stays so, tell who runs the service." },
  Connection: { what: "The service was not reached", next: "Check that it runs, and that its address is right." },
  Timeout: {
    what: "The service took too long to answer",
    next: "Try again; if it stays so, tell who runs the service.",
  },
  Response: {
    what: "The answer was not one of the media service",
    next: "Check the address, and what stands before it.",
  },
  Usage: { what: "This cannot be asked", next: "Change what the message names." },
  // What an error of somebody else says may hold a secret, so it is not shown.
  Unknown: { what: "Something went wrong here", next: "Try again; if it stays so, tell who runs this." },
};

/** Longest reason that is shown: an error page from a proxy may be a whole document. */
const WHY = 600;

/** What happened, why, and what to do next, for anything that can be thrown. Nothing of an unknown error is shown. */
export function problemOf(error: unknown, { next = {}, isBrief = false }: ProblemOptions = {}): ProblemWords {
  const code = codeOf(error);
  const known = words[code];
  if (code === "Unknown") return { what: known.what, why: "", next: next.Unknown ?? known.next };
  const [status, requestId, retryAfterMs] = ["status", "requestId", "retryAfterMs"].map((name) => fieldOf(error, name));
  const wait =
    typeof retryAfterMs === "number" && retryAfterMs > 0 ? `Try again in ${formatDuration(retryAfterMs)}.` : undefined;
  return {
    what: code === "Api" && typeof status === "number" ? `${known.what} (status ${status})` : known.what,
    why: isBrief && fieldOf(error, "problem") === undefined ? "" : brief(reasonOf(error), WHY),
    next: wait ?? next[code] ?? known.next,
    ...(typeof requestId === "string" && { requestId: oneLine(requestId) }),
  };
}

/** By the code and not by the class: two copies of the SDK have two sets of classes. */
function codeOf(error: unknown): ProblemCode {
  try {
    if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return "Unknown";
    return error.name === `Media${error.code}Error` && isCode(error.code) ? error.code : "Unknown";
  } catch {
    // Anything can be thrown, also what throws when it is looked at.
    return "Unknown";
  }
}

const isCode = (code: string): code is ProblemCode => Object.hasOwn(words, code);

/** What the service said, fault by fault; where it said nothing, what the SDK says. */
function reasonOf(error: unknown): string {
  const problem = fieldOf(error, "problem");
  const errors = fieldOf(problem, "errors");
  const faults = (Array.isArray(errors) ? errors : []).map(faultWords).filter((text) => text !== "");
  if (faults.length > 0) return faults.join(" ");
  const detail = fieldOf(problem, "detail") ?? fieldOf(error, "message");
  return typeof detail === "string" ? detail : "";
}

function faultWords(fault: unknown): string {
  const [pointer, detail] = [fieldOf(fault, "pointer"), fieldOf(fault, "detail")];
  if (typeof detail !== "string") return "";
  return typeof pointer === "string" && pointer !== "" ? `${pointer.replace(/^#?\//, "")}: ${detail}` : detail;
}
