import { fork } from "node:child_process";
import { once } from "node:events";
import type { Sandbox } from "../service/sandbox.js";
import type { Took, Turn } from "./calls.js";

/** A process that calls a service with one client. */
export interface Caller {
  /** What it was answered, by operation. */
  readonly answers: unknown;
  take(turn: Turn): Promise<Took>;
  stop(): Promise<void>;
}

export interface CallerOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How its node is started. */
  readonly flags?: readonly string[];
}

export async function startCaller(
  { adopt }: Sandbox,
  client: string,
  { baseUrl, apiKey, flags = [] }: CallerOptions,
): Promise<Caller> {
  const program = new URL("peer-caller.js", import.meta.url);
  const child = adopt(fork(program, [client, baseUrl, apiKey], { execArgv: [...flags] }));
  const gone = new AbortController();
  child.once("exit", () => gone.abort(new Error(`The caller with ${client} is gone.`)));
  const answer = async (): Promise<unknown> => (await once(child, "message", { signal: gone.signal }))[0];
  return {
    answers: await answer(),
    async take(turn) {
      const took = answer();
      child.send(turn);
      return (await took) as Took;
    },
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}
