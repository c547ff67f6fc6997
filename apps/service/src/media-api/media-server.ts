import { Refusal } from "../refusal.js";
import { AnswerError, exchange, type MediaAnswer } from "./exchange.js";

/** A call of the media server's API. */
export interface MediaCall {
  /** Whose call it is. */
  readonly projectId: string;
  /** The operation: `Media_<YYYYMMDD>.<OperationName>`. */
  readonly target: string;
  readonly channelId: string;
  /** JSON, as the caller wrote it. */
  readonly body: Buffer;
  readonly requestId: string;
}

/** A call that was passed on, or was to be. */
export interface PassedOn {
  readonly call: MediaCall;
  /** What the caller is answered. */
  readonly status: number;
  /** When it was begun, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly elapsedMs: number;
}

/** Options of {@link MediaServer}. */
export interface MediaServerOptions {
  /** Its API's address, without a slash at the end. */
  readonly url: string;
  /**
   * How long a call may take, from looking up the name to the end of the answer.
   * @default 10_000
   */
  readonly timeoutMs?: number;
  /** Told of every call before its answer is given, and whatever became of it. */
  onPassedOn(passedOn: PassedOn): void;
  now(): number;
}

const LOOK = "Look whether it runs, and whether MEDIA_UPSTREAM_URL is right.";
const PERHAPS_DONE = "It may have done what was asked all the same.";

/** The media server's own API. */
export class MediaServer {
  readonly #options: MediaServerOptions;
  readonly #url: URL;
  readonly #underWay = new Map<AbortController, Promise<unknown>>();

  constructor(options: MediaServerOptions) {
    this.#options = options;
    this.#url = new URL(`${options.url}/`);
  }

  /**
   * Passes a call on, once, and gives the answer, whatever its status.
   *
   * @throws {Refusal} where there is none, or none that can be read.
   */
  async pass(call: MediaCall): Promise<MediaAnswer> {
    const controller = new AbortController();
    const outcome = this.#outcomeOf(call, controller);
    this.#underWay.set(controller, outcome);
    const answer = await outcome;
    this.#underWay.delete(controller);
    if (answer instanceof Refusal) throw answer;
    return answer;
  }

  /** Gives up the calls that are under way. */
  async close(): Promise<void> {
    const outcomes = [...this.#underWay.values()];
    for (const controller of this.#underWay.keys()) controller.abort("closed");
    await Promise.all(outcomes);
  }

  async #outcomeOf(call: MediaCall, controller: AbortController): Promise<MediaAnswer | Refusal> {
    const { now, onPassedOn, timeoutMs = 10_000 } = this.#options;
    const startedAt = now();
    const since = performance.now();
    const timer = setTimeout(() => controller.abort("timeout"), timeoutMs);
    const outcome = await this.#answerTo(call, controller.signal, timeoutMs);
    clearTimeout(timer);
    onPassedOn({ call, status: outcome.status, startedAt, elapsedMs: performance.now() - since });
    return outcome;
  }

  async #answerTo(call: MediaCall, signal: AbortSignal, timeoutMs: number): Promise<MediaAnswer | Refusal> {
    let isConnected = false;
    const onConnected = (): void => {
      isConnected = true;
    };
    try {
      const headers = {
        "content-type": "application/json",
        "accept-encoding": "identity",
        "x-media-target": call.target,
        "x-request-id": call.requestId,
      };
      const answer = await exchange({ url: this.#url, headers, body: call.body, signal, onConnected });
      // An answer that came to its end while it was given up may lack some of it.
      signal.throwIfAborted();
      return answer;
    } catch (error) {
      return refusalOf(signal.aborted ? signal.reason : error, isConnected, timeoutMs);
    }
  }
}

function refusalOf(why: unknown, isConnected: boolean, timeoutMs: number): Refusal {
  if (why === "timeout") {
    const what = isConnected ? "did not answer" : "could not be reached";
    const advice = isConnected ? PERHAPS_DONE : LOOK;
    return new Refusal("gateway-timeout", `The media server ${what} within ${timeoutMs / 1000} seconds. ${advice}`);
  }
  if (why === "closed") {
    return new Refusal("bad-gateway", `The service stopped before the media server had answered. ${PERHAPS_DONE}`);
  }
  const detail = isConnected
    ? `The media server gave no answer that could be read: ${faultOf(why)}. ${PERHAPS_DONE}`
    : `The media server could not be reached. ${LOOK}`;
  return new Refusal("bad-gateway", detail, { cause: why });
}

function faultOf(why: unknown): string {
  if (why instanceof AnswerError) return `its answer ${why.message}`;
  const code = why instanceof Error && "code" in why ? String(why.code) : "";
  return code.startsWith("HPE_") ? "its answer is no HTTP" : "the connection was lost";
}
