// Runs in a thread of its own, so that waiting for the disk holds up nobody.
import { parentPort, workerData } from "node:worker_threads";
import { DatabaseError, messageOf } from "../errors.js";
import { describeLoss, FilePlace, type HeldFile, newId } from "./held-file.js";
import { Session } from "./session.js";
import type { Answer, Message } from "./writer.js";

const port = parentPort;
if (!port) throw new Error("This file is run as a worker thread.");

const opened = open(workerData as HeldFile);

function open(held: HeldFile): { session: Session; place: FilePlace } | undefined {
  try {
    const session = new Session(held.file, "write");
    const place = new FilePlace(held, identify(session));
    port?.postMessage({ ok: true, result: undefined } satisfies Answer);
    return { session, place };
  } catch (error) {
    port?.postMessage(failed(error));
    return undefined;
  }
}

/** The database's id; it gets one if it has none. */
function identify(session: Session): number {
  if (session.pragma("application_id") === 0) {
    session.begin({ sql: "select 1", parameters: [] });
    if (session.pragma("application_id") === 0) session.pragma(`application_id = ${newId()}`);
    session.run({ sql: "commit", parameters: [] });
    // Into the file itself, where it can be compared.
    session.pragma("wal_checkpoint(passive)");
  }
  return Number(session.pragma("application_id"));
}

// One answer for each message, in their order.
port.on("message", (message: Message) => {
  try {
    if (message === "close") {
      // The thread ends with its port, also where SQLite has more to say.
      port.close();
      opened?.session.close();
    } else if (opened) {
      const { session, place } = opened;
      const result = message === "look" ? place.look() : resultOf(message, session, place);
      port.postMessage({ ok: true, result } satisfies Answer);
    }
  } catch (error) {
    port.postMessage(failed(error));
  }
});

function resultOf(message: Exclude<Message, string>, session: Session, place: FilePlace): unknown {
  if ("anyway" in message) return session.run({ sql: message.anyway, parameters: [] });
  const result = run(message, session);
  // Nothing is acknowledged that was committed into a file that is gone.
  const loss = session.inTransaction ? undefined : place.look();
  if (loss !== undefined) throw new DatabaseError("moved", describeLoss(place.file, loss));
  return result;
}

function run(message: Exclude<Message, string | { anyway: string }>, session: Session): unknown {
  if ("texts" in message) return session.runAll(message);
  return "begin" in message ? session.begin(message.begin) : session.run(message);
}

function failed(error: unknown): Answer {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  return { ok: false, message: messageOf(error), code };
}
