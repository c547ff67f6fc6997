// Runs in a thread of its own, so that waiting for the disk holds up nobody.
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../errors.js";
import { Session } from "./session.js";
import type { Answer, Message } from "./writer.js";

const port = parentPort;
if (!port) throw new Error("This file is run as a worker thread.");

const session = open();

function open(): Session | undefined {
  try {
    const opened = new Session(workerData as string, "write");
    port?.postMessage({ ok: true, result: undefined } satisfies Answer);
    return opened;
  } catch (error) {
    port?.postMessage(failed(error));
    return undefined;
  }
}

// One answer for each message, in their order.
port.on("message", (message: Message) => {
  try {
    if (message === "close") {
      // The thread ends with its port, also where SQLite has more to say.
      port.close();
      session?.close();
    } else if (session) {
      port.postMessage({ ok: true, result: resultOf(message, session) } satisfies Answer);
    }
  } catch (error) {
    port.postMessage(failed(error));
  }
});

function resultOf(message: Exclude<Message, "close">, session: Session): unknown {
  if ("texts" in message) return session.runAll(message);
  return "begin" in message ? session.begin(message.begin) : session.run(message);
}

function failed(error: unknown): Answer {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  return { ok: false, message: messageOf(error), code };
}
