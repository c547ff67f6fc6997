import { messageOf } from "../../text/message-of.js";

const TIMEOUT_MS = 3000;
// No answer that is of interest is longer.
const MAX_CHARACTERS = 10_000;

/** An answer to a GET. */
export interface Asked {
  readonly kind: "answered";
  readonly status: number;
  readonly text: string;
  /** Its Date header, in ms. */
  readonly date: number | undefined;
}

/** That there was no answer. */
export interface NotAsked {
  /** "refused" if nothing listens there. */
  readonly kind: "refused" | "silent";
  readonly reason: string;
}

/** Asks an address once. */
export async function ask(url: string): Promise<Asked | NotAsked> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
    const date = Date.parse(response.headers.get("date") ?? "");
    return {
      kind: "answered",
      status: response.status,
      text: await beginningOf(response),
      date: Number.isNaN(date) ? undefined : date,
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    return { kind: code === "ECONNREFUSED" ? "refused" : "silent", reason: messageOf(cause) };
  }
}

/** Whatever listens there may send without end. */
async function beginningOf({ body }: Response): Promise<string> {
  let text = "";
  if (body === null) return text;
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.length > MAX_CHARACTERS) break;
  }
  return text;
}
