import type { Problem, ProblemError } from "@media-ops/contract";
import { MediaUsageError } from "../errors.js";

// A request's signal follows its caller's only while the request is referenced, and nothing else references these.
const silent = new Set<readonly [Request, unknown]>();

/** Never resolves. Rejects when the request is aborted. */
export function untilAborted(requests: readonly [Request, unknown]): Promise<never> {
  const [{ signal }] = requests;
  silent.add(requests);
  return new Promise((_, reject) => {
    const abort = (): void => {
      silent.delete(requests);
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
}

const named = ["connection", "silence", "html", "cut-off"] as const;

/** How a call of the fake service can fail. */
export type FakeFailure =
  /** The connection breaks before a response. */
  | "connection"
  /** No response: the call ends by its timeout or its signal. */
  | "silence"
  /** 200 with an HTML page, as a proxy or a captive portal sends. */
  | "html"
  /** 200 with the first half of the response. */
  | "cut-off"
  /** A response with this status, and optionally `Retry-After`. */
  | { status: number; detail?: string; retryAfter?: number | string; errors?: ProblemError[] }
  /** Any other response. */
  | (() => Response | Promise<Response>);

/** Refuses an unknown failure from a JavaScript program, for which the call would succeed. */
export function checkFailure(failure: FakeFailure): void {
  if (typeof failure !== "string" || named.includes(failure)) return;
  throw new MediaUsageError(`Unknown failure "${failure}". Use one of: ${named.join(", ")}, a status or a function.`);
}

/** The texts of the contract's examples for each status. */
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

/** A failing response as in the contract. */
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
