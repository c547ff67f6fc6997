import assert from "node:assert/strict";
import { type Answer, Connections } from "./connection.js";
import type { Sandbox } from "./sandbox.js";
import { type BareServer, startBareServer } from "./start-bare.js";

/** What a bare server answers: it is told in one message. */
export interface ReadyBytes {
  readonly headers: Readonly<Record<string, string>>;
  readonly base64: string;
}

// What node:http puts there by itself.
const NODES_OWN = ["date", "connection", "keep-alive"];

/** Starts a bare server that answers what the service answered, whatever it is asked. */
export async function startBareAnswer(sandbox: Sandbox, { headers, body }: Answer): Promise<BareServer> {
  const told = Object.entries(headers).filter(([name]) => !NODES_OWN.includes(name));
  const ready: ReadyBytes = {
    headers: Object.fromEntries(told.map(([name, value]) => [name, String(value)])),
    base64: body.toString("base64"),
  };
  const server = await startBareServer(sandbox, new URL("bare-answer.js", import.meta.url), JSON.stringify(ready));
  const connections = new Connections(server.url);
  const same = await connections.answer({ path: "/", apiKey: "none" });
  connections.close();
  assert(same.body.equals(body), "the bare server sends the same bytes");
  assert.deepEqual(namesOf(same.headers), namesOf(headers), "the bare server sends the same headers");
  return server;
}

const namesOf = (headers: Answer["headers"]): string[] => Object.keys(headers).sort();
