import type { Statement } from "../database.js";
import type { DatabaseError } from "../errors.js";
import { damageFault, isDamage, toFault } from "./faults.js";
import type { Runner, StatementBatch, StatementResult } from "./session.js";

/** Whether a file is sound, as far as any of its connections has seen. */
export class Soundness {
  readonly #name: string;
  #damage: DatabaseError | undefined;

  /** @param name How errors name the database: its file, or "in memory". */
  constructor(name: string) {
    this.#name = name;
  }

  /** @throws {DatabaseError} once any connection has seen damage, until the program is started again. */
  check(): void {
    if (this.#damage) throw this.#damage;
  }

  /** Notes damage that an error shows. Returns the error for the caller. */
  noteFault(error: unknown): unknown {
    if (isDamage(error)) this.#damage ??= damageFault(this.#name, error);
    return this.#damage ?? toFault(this.#name, error);
  }
}

/**
 * Runs statements on a connection as long as the file is sound. A damaged file may accept writes that
 * no reader finds again: the first sign of damage, on any connection, ends all writing and reading.
 */
export class CheckedRunner implements Runner {
  readonly #runner: Runner;
  readonly #soundness: Soundness;

  constructor(runner: Runner, soundness: Soundness) {
    this.#runner = runner;
    this.#soundness = soundness;
  }

  run(statement: Statement): Promise<StatementResult> {
    return this.#checked(() => this.#runner.run(statement), statement.sql === "rollback");
  }

  begin(first: Statement): Promise<StatementResult> {
    return this.#checked(() => this.#runner.begin(first));
  }

  runAll(batch: StatementBatch): Promise<unknown[][]> {
    return this.#checked(() => this.#runner.runAll(batch));
  }

  close(): void | Promise<void> {
    return this.#runner.close();
  }

  /** @param isRollback A transaction that began before the damage was seen must still end. */
  async #checked<Result>(work: () => Result | Promise<Result>, isRollback = false): Promise<Result> {
    if (!isRollback) this.#soundness.check();
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      throw this.#soundness.noteFault(error);
    }
    // Another connection may have seen damage while this one wrote.
    if (!isRollback) this.#soundness.check();
    return result;
  }
}
