import { fork } from "node:child_process";
import { once } from "node:events";
import type { Sandbox } from "./sandbox.js";

/** A server that only does what cannot be left out, in a process of its own. */
export interface BareServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a program that says at which port of 127.0.0.1 it listens.
 *
 * @param message What it waits for before that, if it does.
 */
export async function startBareServer({ adopt }: Sandbox, program: URL, message?: string): Promise<BareServer> {
  const child = adopt(fork(program));
  if (message !== undefined) child.send(message);
  const [port] = await once(child, "message");
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}
