import { createHmac } from "node:crypto";
import { parsed } from "../json.js";
import type { World } from "../world/world.js";
import { type Attempt, type AttemptResult, unanswered } from "./outgoing.js";

/** Sends an attempt to the app's request URL, signed. */
export async function sendOverHttp(
  world: World,
  url: string,
  { kind, content, retry }: Attempt,
): Promise<AttemptResult> {
  const fields = kind === "interactive" ? { payload: JSON.stringify(content) } : content;
  const form = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
  const body = kind === "event" ? JSON.stringify(content) : String(new URLSearchParams(form));
  const timestamp = String(Math.floor(world.now() / 1000));
  const { signingSecret } = world.app;
  const timeout = AbortSignal.timeout(world.patience.answerWithinMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": kind === "event" ? "application/json" : "application/x-www-form-urlencoded",
        "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        // A keep-alive connection might lead to an app that has restarted since.
        connection: "close",
        "x-slack-request-timestamp": timestamp,
        "x-slack-signature": `v0=${createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex")}`,
        ...(retry && { "x-slack-retry-num": String(retry.number), "x-slack-retry-reason": retry.reason }),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([timeout, world.stopped]),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      body: text === "" ? undefined : isJson ? parsed(text) : text,
      failure: response.ok ? undefined : "http_error",
    };
  } catch {
    return unanswered(timeout.aborted ? "http_timeout" : "connection_failed");
  }
}
