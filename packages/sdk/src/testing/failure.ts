import { MediaUsageError } from "../errors.js";
import type { Problem, ProblemError } from "../generated/media.js";

const named = ["connection", "silence", "html", "cut-off"] as const;

/** How a call of the fake service may fail. */
export type FakeFailure =
  /** The connection breaks before an answer comes. */
  | "connection"
  /** No answer ever comes: the call ends by its timeout or its signal. */
  | "silence"
  /** 200 with an HTML page, as a proxy or a captive portal sends. */
  | "html"
  /** 200 with the first half of the answer. */
  | "cut-off"
  /** An answer with this status, and with a `Retry-After` where it is given. */
  | { status: number; detail?: string; retryAfter?: number | string; errors?: ProblemError[] }
  /** Any other answer. */
  | (() => Response | Promise<Response>);

/** Refuses a failure whose name a JavaScript program has misspelt: the call would simply succeed. */
export function checkFailure(failure: FakeFailure): void {
  if (typeof failure !== "string" || named.includes(failure)) return;
  throw new MediaUsageError(`Unknown failure "${failure}". Use one of: ${named.join(", ")}, a status or a function.`);
}

/** What the contract's examples say of each status. */
const kinds: Readonly<Record<number, readonly [name: string, title: string]>> = {
  400: ["bad-request", "Bad input"],
  401: ["unauthorized", "Not authorized"],
  403: ["forbidden", "Another project"],
  404: ["not-found", "No such operation"],
  405: ["method-not-allowed", "Wrong method"],
  413: ["payload-too-large", "Body too large"],
  415: ["unsupported-media-type", "Not JSON"],
  429: ["too-many-requests", "Too many calls"],
  503: ["service-unavailable", "Not available now"],
};

/** A failing answer as the contract describes it. */
export function problemResponse(
  status: number,
  detail: string,
  requestId: string,
  more: { errors?: ProblemError[] | undefined; headers?: Record<string, string> } = {},
): Response {
  const [name, title] = kinds[status] ?? ["internal-error", "Fault of the service"];
  const problem: Problem = {
    type: `urn:media-ops:problem:${name}`,
    title,
    status,
    detail,
    request_id: requestId,
    ...(more.errors && { errors: more.errors }),
  };
  return new Response(JSON.stringify(problem), {
    status,
    headers: { ...more.headers, "content-type": "application/problem+json", "x-request-id": requestId },
  });
}
