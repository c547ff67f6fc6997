import type { Problem, ProblemError } from "@media-ops/contract";
import { isUnavailable } from "@media-ops/database";
import { splitChannelId } from "@media-ops/tokens";
import { redact } from "./secrets/redact.js";

/** Each kind of problem, with its status and title: the contract's, and those of HTTP itself. */
const kinds = {
  "bad-request": [400, "Bad input"],
  unauthorized: [401, "Not authorized"],
  forbidden: [403, "Another project"],
  "not-found": [404, "No such operation"],
  "method-not-allowed": [405, "Wrong method"],
  "request-timeout": [408, "Too slow"],
  conflict: [409, "Not possible"],
  "payload-too-large": [413, "Body too large"],
  "unsupported-media-type": [415, "Not JSON"],
  "expectation-failed": [417, "Expectation not met"],
  "too-many-requests": [429, "Too many calls"],
  "headers-too-large": [431, "Headers too large"],
  "internal-error": [500, "Fault of the service"],
  "bad-gateway": [502, "No answer from the media server"],
  "service-unavailable": [503, "Not available now"],
  "gateway-timeout": [504, "The media server is slow"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type RefusalKind = keyof typeof kinds;

interface RefusalOptions extends ErrorOptions {
  headers?: Readonly<Record<string, string>>;
  errors?: readonly ProblemError[];
  /** Keeps the refusal out of the log: a flood of such refusals must not fill a disk. @default false */
  isQuiet?: boolean;
}

// The contract's limits.
const MAX_DETAIL = 4096;
/** How many faults of a body a problem lists at most. */
export const MAX_ERRORS = 100;
const MAX_ERROR_TEXT = 1024;

/** Makes the service answer a call with a problem. `message` explains the fault and the next step. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly kind: RefusalKind;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly ProblemError[] | undefined;
  readonly isQuiet: boolean;

  constructor(
    kind: RefusalKind,
    detail: string,
    { headers = {}, errors, isQuiet = false, ...options }: RefusalOptions = {},
  ) {
    super(detail, options);
    this.kind = kind;
    this.headers = headers;
    this.errors = errors;
    this.isQuiet = isQuiet;
  }

  get status(): number {
    return kinds[this.kind][0];
  }

  /** The body of the answer, without secrets. */
  toProblem(requestId: string): Problem {
    const [status, title] = kinds[this.kind];
    return {
      type: `urn:media-ops:problem:${this.kind}`,
      title,
      status,
      detail: cut(redact(this.message), MAX_DETAIL),
      request_id: requestId,
      ...(this.errors && {
        errors: this.errors.slice(0, MAX_ERRORS).map(({ pointer, detail }) => ({
          pointer: cut(redact(pointer), MAX_ERROR_TEXT),
          detail: cut(redact(detail), MAX_ERROR_TEXT),
        })),
      }),
    };
  }
}

/** A refusal for the faults of a body. The problem lists {@link MAX_ERRORS} of them; if there are more, it says so. */
export function badInput(faults: readonly ProblemError[]): Refusal {
  const errors = faults.map(({ pointer, detail }) => {
    // A secret is not recognised while its slashes are escaped.
    const plain = pointer.replaceAll("~1", "/").replaceAll("~0", "~");
    return { pointer: redact(plain) === plain ? pointer : redact(plain), detail };
  });
  const [first] = errors;
  const number = errors.length > MAX_ERRORS ? `more than ${MAX_ERRORS}` : errors.length;
  const count = errors.length === 1 ? "1 fault" : `${number} faults, the first`;
  const at = first?.pointer ? ` at ${first.pointer}` : "";
  return new Refusal("bad-request", `The request body has ${count}${at}: ${first?.detail}`, { errors });
}

/** A refusal of a channel that does not belong to the project of the caller's key. */
export function foreignChannel(projectId: string): Refusal {
  const detail = `This channel belongs to another project. Write <channel_name>@${projectId}, or use that project's key.`;
  return new Refusal("forbidden", detail);
}

/** @throws {Refusal} if a body's channel does not belong to the project of the caller's key, or is no channel's id. */
export function checkOwnChannel(channelId: string, projectId: string): void {
  const channel = splitChannelId(channelId);
  if (!channel) {
    const detail = "Must be well-formed Unicode, and have at most 255 bytes in UTF-8.";
    throw badInput([{ pointer: "/channel_id", detail }]);
  }
  if (channel.projectId !== projectId) throw foreignChannel(projectId);
}

/** @throws {Refusal} if a body names another project than that of the caller's key. */
export function checkOwnProject(named: string | undefined, projectId: string): void {
  if (named === undefined || named === projectId) return;
  const detail = "This API key belongs to another project. Leave project_id out, or use that project's key.";
  throw new Refusal("forbidden", detail);
}

/** A refusal of a call that may succeed a little later; `detail` says when to try again. */
export function unavailable(detail: string, retryAfterSeconds: number, options: ErrorOptions = {}): Refusal {
  return new Refusal("service-unavailable", detail, {
    ...options,
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

/** Wraps an error as a refusal, unless it is one already. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (isUnavailable(error)) {
    return unavailable("The service cannot use its database now. Try again in 5 seconds.", 5, { cause: error });
  }
  return new Refusal("internal-error", "The service failed to answer. The fault is in its log under the request id.", {
    cause: error,
  });
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  return `${text.slice(0, length - 1).toWellFormed()}…`;
}
