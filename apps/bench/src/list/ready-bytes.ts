import type { Answer } from "../service/connection.js";

/** What a bare server answers: it is told in one message. */
export interface ReadyBytes {
  readonly headers: Readonly<Record<string, string>>;
  readonly base64: string;
}

// What node:http puts there by itself.
const NODES_OWN = ["date", "connection", "keep-alive"];

/** An answer of the service, for somebody else to send. */
export function toReadyBytes({ headers, body }: Answer): ReadyBytes {
  const told = Object.entries(headers).filter(([name]) => !NODES_OWN.includes(name));
  return {
    headers: Object.fromEntries(told.map(([name, value]) => [name, String(value)])),
    base64: body.toString("base64"),
  };
}
