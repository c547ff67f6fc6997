import { statSync } from "node:fs";
import { link, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { DatabaseWatcher } from "../database.js";
import { DatabaseError, hasCode, messageOf } from "../errors.js";
import { checkFile } from "./check-file.js";
import type { Soundness } from "./driver.js";
import { lacksRoom, toFault } from "./faults.js";
import {
  cleanStamp,
  describeLoss,
  type FileLoss,
  freeName,
  type HeldFileRef,
  isDeleted,
  syncFile,
  writeCopy,
} from "./files.js";
import type { Writer } from "./writer.js";

interface GuardOptions {
  readonly held: HeldFileRef;
  readonly writer: Writer;
  readonly soundness: Soundness;
  readonly isNew: boolean;
  /** Without one, commits are guarded, but nothing is checked or saved between them. */
  readonly watcher: DatabaseWatcher | undefined;
}

const LOOK_EVERY_MS = 1000;
// A full disk rarely has space sooner.
const SAVE_AGAIN_MS = 10_000;
// A program must start, or report why it does not, within 15 s.
const CHECK_AT_START_MS = 5000;

/** Guards a database file during use: stops writes once the file is gone or damaged, and saves its content. */
export class Guard {
  readonly #options: GuardOptions;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #reported: string | undefined;
  #damage: DatabaseError | undefined;
  #isIntact = false;
  /** Whether the file is marked as in use; a clean close removes the mark. */
  #isMarked = false;
  /** Set while what the file held is being saved, and from then on if the program has to restart. */
  #saving: Promise<void> | undefined;
  #saved: FileLoss | undefined;
  #logInode: number | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
    options.soundness.onMoved = () => void this.look().catch(() => {});
  }

  /** Checks a file that was copied or not closed cleanly. @throws {DatabaseError} if damage is found in time. */
  async start(): Promise<void> {
    const { held, writer, watcher, isNew } = this.#options;
    if (!watcher) return;
    this.#logInode = inodeOf(`${held.file}-wal`);
    const { rows } = await writer.run({ sql: "pragma user_version", parameters: [] });
    const [{ user_version }] = rows as [{ user_version: number }];
    if (isNew || user_version === cleanStamp(held)) this.#isIntact = true;
    else await this.#checkWhole(watcher);
    await this.#markInUse();
    const lookAfter = (): Promise<void> => this.look().then(() => this.#markInUse());
    this.#timer = setInterval(() => void lookAfter().catch(() => {}), LOOK_EVERY_MS).unref();
  }

  /** Marks the file as in use, and writes its first page, with the database's id, into the log. */
  async #markInUse(): Promise<void> {
    if (this.#isMarked) return;
    const { held, writer } = this.#options;
    try {
      await writer.run({ sql: "pragma user_version = 0", parameters: [] });
      this.#isMarked = true;
    } catch (error) {
      // Reads still work. It is tried again until there is room.
      if (!lacksRoom(error)) throw toFault(held.file, error);
    }
  }

  /** @throws {DatabaseError} which says why writes are refused now. */
  async look(): Promise<void> {
    const { held, writer, soundness, watcher } = this.#options;
    const loss = await writer.look();
    soundness.isOverwritten = loss === "overwritten";
    this.#report(loss === undefined ? this.#damage : new DatabaseError("moved", describeLoss(held, loss)));
    if (loss === undefined || loss === "overwritten") this.#saved = undefined;
    else if (loss !== this.#saved && watcher) this.#saving ??= this.#save(loss, watcher);
    if (soundness.fault) throw soundness.fault;
  }

  /** Stops, before the database is closed. Returns whether the file is still in its place. */
  async close(): Promise<boolean> {
    const { held, writer, soundness } = this.#options;
    clearInterval(this.#timer);
    this.#closing.abort();
    const isWell = await this.look().then(
      () => true,
      () => false,
    );
    await this.#saving;
    if (isWell && this.#isMarked && this.#isIntact) {
      await writer.run({ sql: `pragma user_version = ${cleanStamp(held)}`, parameters: [] }).catch(() => {});
    }
    return isWell || soundness.fault?.code === "damaged";
  }

  #report(fault: DatabaseError | undefined): void {
    const { soundness, watcher } = this.#options;
    soundness.fault = fault;
    if (fault?.message === this.#reported) return;
    this.#reported = fault?.message;
    watcher?.changed(fault);
  }

  async #checkWhole(watcher: DatabaseWatcher): Promise<void> {
    const { held, soundness } = this.#options;
    const { file } = held;
    const since = performance.now();
    const checking = checkFile(file, this.#closing.signal).then(
      (fault) => {
        if (fault !== undefined) return damaged(file, fault);
        if (this.#closing.signal.aborted) return undefined;
        this.#isIntact = true;
        const seconds = ((performance.now() - since) / 1000).toFixed(1);
        watcher.note(`${file} is intact: checked in ${seconds} s, as it is new here or was not closed cleanly`);
        return undefined;
      },
      (error: unknown) => watcher.note(`${file} could not be checked for damage: ${messageOf(error)}`),
    );
    const found = await Promise.race([checking, setTimeout(CHECK_AT_START_MS, "late" as const, { ref: false })]);
    if (found instanceof DatabaseError) throw found;
    if (found !== "late") return;
    watcher.note(`${file} is large and still being checked for damage; the program serves meanwhile`);
    void checking.then((fault) => {
      if (!(fault instanceof DatabaseError)) return;
      this.#damage = fault;
      this.#report(soundness.fault ?? fault);
    });
  }

  /** Saves the content of a file that only this process still has open. */
  async #save(loss: FileLoss, watcher: DatabaseWatcher): Promise<void> {
    const { held } = this.#options;
    try {
      const restartReason = await (isDeleted(held) ? this.#rescue(watcher) : this.#bringInLog(loss, watcher));
      this.#saved = loss;
      // Everything is saved, regardless of changes to the file until the program restarts.
      if (restartReason !== undefined) {
        return watcher.restart(new DatabaseError("moved", `${restartReason} The program must be started again.`));
      }
    } catch (error) {
      watcher.note(`What ${held.file} held could not be saved; it is tried again in 10 s: ${messageOf(error)}`);
      await setTimeout(SAVE_AGAIN_MS, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
    }
    this.#saving = undefined;
  }

  /** Writes all that a deleted file holds to a new one. Returns why the program must restart to use it. */
  async #rescue(watcher: DatabaseWatcher): Promise<string | undefined> {
    const { held, writer } = this.#options;
    const { file } = held;
    const copy = freeName(`${file}.rescued`);
    await writeCopy(copy, (to) => writer.runForced(`vacuum into '${to.replaceAll("'", "''")}'`));
    if (await putBack(copy, file, this.#logInode)) {
      return `The database ${file} was deleted while it was in use. All that it held was saved and is in its place again.`;
    }
    watcher.note(`All that the deleted ${file} held is in ${copy}. To use that, stop the program and restore ${copy}.`);
    return undefined;
  }

  async #bringInLog(loss: FileLoss, watcher: DatabaseWatcher): Promise<string | undefined> {
    const { held, writer } = this.#options;
    const [row] = await writer.runForced("pragma wal_checkpoint(truncate)");
    if ((row as { busy: number }).busy !== 0) throw new Error("another program is reading it");
    if (loss === "log") {
      return `The log ${held.file}-wal was moved, deleted or replaced while it was in use. All that it held is in ${held.file}.`;
    }
    watcher.note(`The file that was ${held.file} holds all that was acknowledged, without its log.`);
    return undefined;
  }
}

const damaged = (file: string, fault: string): DatabaseError =>
  new DatabaseError(
    "damaged",
    `The database ${file} is damaged: ${fault}. Stop the program and restore the latest backup with its restore command; the damaged file is kept.`,
  );

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;

/** Replaces a missing file by a copy; returns false, and changes nothing, if there is another file by now. */
async function putBack(copy: string, file: string, logInode: number | undefined): Promise<boolean> {
  if (inodeOf(file) !== undefined) return false;
  // The copy includes the old log; SQLite would use a remaining one for the copy.
  const log = inodeOf(`${file}-wal`);
  if (log !== undefined && log !== logInode) await rename(`${file}-wal`, `${copy}.other-wal`);
  for (const suffix of ["-wal", "-shm"]) await rm(file + suffix, { force: true });
  try {
    await link(copy, file);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
  await rm(copy);
  await syncFile(dirname(file));
  return true;
}
