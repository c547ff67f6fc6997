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
 * Throws unless an event is taken by both servers, and what is none is not: the bare one has to read what it is sent, and
 * the service the key as well. Gives how many connections have ended by that.
 */
export async function checkAnswers({ service, bareUrl, intakeKey, projectId }: Asked): Promise<number> {
  const ours = (body: string, key = intakeKey) => statusOf(`${service.insideUrl}/intake/event`, body, key);
  const bare = (body: string) => statusOf(bareUrl, body, intakeKey);
  const event = new Connection(projectId, Date.now() - 60_000).end(1);
  assert.deepEqual([await ours(event), await bare(event)], [200, 200], "an event is taken");
  // Sent again, it is taken, and kept once.
  assert.equal(await ours(event), 200);
  const text = JSON.stringify(event);
  assert.deepEqual([await ours(text), await bare(text)], [400, 400], "a text is no event");
  const [end, other] = [intakeKey.slice(-1), intakeKey.slice(0, -1)];
  assert.equal(await ours(event, `${other}${end === "A" ? "B" : "A"}`), 401, "a wrong key opens nothing");
  return 1;
}

async function statusOf(url: string, body: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body });
  await response.arrayBuffer();
  return response.status;
}
