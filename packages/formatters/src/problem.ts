import { fieldOf } from "@media-ops/reports/entries";
import type { MediaError } from "@media-ops/sdk";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import { formatDuration } from "./values/numbers.js";
import { brief, oneLine } from "./values/words.js";

/** An error for people. */
interface ProblemWords {
  /** What happened, as a heading. */
  what: string;
  /** Why, in a sentence or two; empty if unknown. */
  why: string;
  /** The next step. */
  next: string;
  /** The id in the service's own logs. */
  requestId?: string;
}

/** The code of an error of the SDK, or `Unknown` for anything else that can be thrown. */
export type ProblemCode = MediaError["code"] | "Unknown";

export interface ProblemOptions {
  /** The next step, if it depends on the program. */
  next?: { readonly [Code in ProblemCode]?: string | undefined } | undefined;
  /** Whether the reason is limited to the service's own explanation. @default false */
  isBrief?: boolean | undefined;
  /**
   * What was asked for, if not every service has it, such as "event log": a 404 then means that this service has none.
   * @default every service has it
   */
  part?: string | undefined;
}

/** A heading for each failure, and the next step if the service suggests none. */
const words: { readonly [Code in ProblemCode]: Pick<ProblemWords, "what" | "next"> } = {
  BadRequest: { what: "The service did not understand the request", next: "Correct it, and try again." },
  Unauthorized: { what: "The API key was refused", next: "Use a valid key, or create a new one." },
  Forbidden: {
    what: "This belongs to another project",
    next: "Name the key's own project, or use that project's key.",
  },
  NotFound: { what: "There is no media service at this address", next: "Check the address of the service." },
  MethodNotAllowed: {
    what: "There is a different service at this address",
    next: "Check the address of the service.",
  },
  Conflict: { what: "An earlier revocation rules this out", next: "Follow the service's explanation." },
  PayloadTooLarge: { what: "The request was too large", next: "Ask for less at once." },
  UnsupportedMediaType: {
    what: "The service did not accept the request as JSON",
    next: "Check the proxies between here and the service.",
  },
  TooManyRequests: { what: "Too many requests with this API key", next: "Wait a moment, then try again." },
  ServiceUnavailable: { what: "The service is overloaded or shutting down", next: "Try again in a minute." },
  Api: { what: "The service failed", next: "Try again. If it persists, contact the service's operator." },
  Connection: { what: "The service was not reached", next: "Check that it runs, and that its address is right." },
  Timeout: {
    what: "The service took too long to answer",
    next: "Try again. If it persists, contact the service's operator.",
  },
  Response: {
    what: "The answer did not come from a media service",
    next: "Check the address, and the proxies before it.",
  },
  Usage: { what: "The request is invalid", next: "Correct what the message names." },
  // The message of a foreign error may contain a secret, so it is not shown.
  Unknown: { what: "Something went wrong here", next: "Try again. If it persists, contact the operator." },
};

/** The longest reason: an error page from a proxy may be a whole document. */
const WHY = 600;

/** What happened, why, and the next step, for any thrown value. Nothing of an unknown error is shown. */
export function problemOf(error: unknown, options: ProblemOptions = {}): ProblemWords {
  const { next = {}, isBrief = false, part } = options;
  const code = codeOf(error);
  const known = part && LACKING.has(code) ? lackWords(part) : words[code];
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

/** How a service refuses an operation that it does not have. */
const LACKING = new Set<ProblemCode>(["NotFound", "MethodNotAllowed"]);

const lackWords = (part: string): Pick<ProblemWords, "what" | "next"> => ({
  what: `This service has no ${part}`,
  next: "Ask the service's operator for a version that has one.",
});

/** By code, not by class: two copies of the SDK have two sets of classes. */
function codeOf(error: unknown): ProblemCode {
  try {
    if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return "Unknown";
    return error.name === `Media${error.code}Error` && isCode(error.code) ? error.code : "Unknown";
  } catch {
    return "Unknown";
  }
}

const isCode = (code: string): code is ProblemCode => Object.hasOwn(words, code);

/** The service's explanation, or else the SDK's message. */
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

const ID = 100;

/** Any thrown value as a message: what happened, why, and the next step. */
export function slackProblem(error: unknown, options: ProblemOptions = {}): slack.SlackMessage {
  const { what, why, next, requestId } = problemOf(error, options);
  const blocks: slack.SlackBlock[] = [
    slack.richText(slack.bold(`✗ ${what}`), ...(why === "" ? [] : [slack.piece(`\n${why}`)])),
    slack.richText(slack.bold("What to do: "), slack.piece(slack.fit(next, slack.TEXT))),
  ];
  if (requestId) {
    blocks.push({
      type: "context",
      elements: [slack.mrkdwn(`Request id ${slack.codeSpan(slack.fit(requestId, ID))}`)],
    });
  }
  return { blocks, text: slack.notification(what, next) };
}

/** What happened, why, and the next step, for any thrown value. */
export function terminalProblem(error: unknown, options: terminal.TerminalScreenOptions & ProblemOptions = {}): string {
  const screen = terminal.screenOf(options);
  const { what, why, next, requestId } = problemOf(error, options);
  return [
    ...terminal.textLines(`✗ ${what}.`, "bad", screen),
    ...terminal.textLines(why, "plain", screen),
    ...terminal.textLines(next, "plain", screen),
    ...terminal.textLines(requestId ? `The request id in the service's logs is ${requestId}.` : "", "faint", screen),
  ].join("\n");
}
