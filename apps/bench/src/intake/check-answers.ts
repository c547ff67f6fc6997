import assert from "node:assert/strict";
import type { ServiceProcess } from "../service/service-process.js";
import { Connection } from "./events.js";

/** Who is asked, and for whom. */
interface Asked {
  readonly service: ServiceProcess;
  readonly bareUrl: string;
  readonly intakeKey: string;
  readonly projectId: string;
}

/**
 * Throws unless an event is taken by both servers with the same answer, and what is none is not: the bare one has to read
 * what it is sent, and the service the key as well. Gives how many connections have ended by that.
 */
export async function checkAnswers({ service, bareUrl, intakeKey, projectId }: Asked): Promise<number> {
  const ours = (body: string, key = intakeKey) => answerOf(`${service.insideUrl}/intake/event`, body, key);
  const bare = (body: string) => answerOf(bareUrl, body, intakeKey);
  const event = new Connection(projectId, Date.now() - 60_000).end(1);
  const taken = await ours(event);
  assert.equal(taken.status, 200, "an event is taken");
  assert.deepEqual(await bare(event), taken, "the bare server answers the same");
  // Sent again, it is taken, and kept once.
  assert.equal((await ours(event)).status, 200);
  const text = JSON.stringify(event);
  assert.deepEqual([(await ours(text)).status, (await bare(text)).status], [400, 400], "a text is no event");
  const [end, other] = [intakeKey.slice(-1), intakeKey.slice(0, -1)];
  assert.equal((await ours(event, `${other}${end === "A" ? "B" : "A"}`)).status, 401, "a wrong key opens nothing");
  return 1;
}

/** An answer as it counts: the headers by their names, as some differ each time. */
interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

async function answerOf(url: string, body: string, key: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, headers: [...response.headers.keys()], body: await response.text() };
}
