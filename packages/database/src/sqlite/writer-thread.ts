// Runs in its own thread, so that waiting for the disk blocks no other work.
import { parentPort, workerData } from "node:worker_threads";
import { codeOf, DatabaseError, messageOf } from "../errors.js";
import { describeLoss, type FileLoss, type HeldFileRef, newId, watchFile } from "./files.js";
import { Session } from "./session.js";
import type { WriterRequest, WriterResponse } from "./writer.js";

const port = parentPort;
if (!port) throw new Error("This file is run as a worker thread.");

const held = workerData as HeldFileRef;
const opened = open();

function open(): { session: Session; look: () => FileLoss | undefined } | undefined {
  try {
    const session = new Session(held.file, "write");
    const look = watchFile(held, identify(session));
    port?.postMessage({ ok: true, result: undefined } satisfies WriterResponse);
    return { session, look };
  } catch (error) {
    port?.postMessage(failed(error));
    return undefined;
  }
}

/** The database's id; it is assigned one if it has none. */
function identify(session: Session): number {
  if (session.pragma("application_id") === 0) {
    session.transaction(() => {
      if (session.pragma("application_id") === 0) session.pragma(`application_id = ${newId()}`);
    });
    // Writes the id into the file itself, so that it can be compared.
    session.pragma("wal_checkpoint(passive)");
  }
  return Number(session.pragma("application_id"));
}

// One response for each request, in order.
port.on("message", (request: WriterRequest) => {
  try {
    if (request === "close") {
      // The thread ends with its port, even if SQLite fails to close.
      port.close();
      opened?.session.close();
    } else if (opened) {
      port.postMessage({ ok: true, result: respond(request, opened) } satisfies WriterResponse);
    }
  } catch (error) {
    port.postMessage(failed(error));
  }
});

function respond(request: Exclude<WriterRequest, "close">, { session, look }: NonNullable<typeof opened>): unknown {
  if (request === "look") return look();
  if ("forced" in request) return session.run(request.forced);
  const result = "texts" in request ? session.runAll(request) : session.run(request);
  // A commit into a file that is gone must not be acknowledged.
  const loss = session.inTransaction ? undefined : look();
  if (loss !== undefined) throw new DatabaseError("moved", describeLoss(held, loss));
  return result;
}

function failed(error: unknown): WriterResponse {
  return { ok: false, message: messageOf(error), code: codeOf(error) };
}
