import { makeEntry, measured, type NewEntry } from "../service/entries.js";

const LISTED = 1000;

/** Commits one entry to a log; all that can be done before has been done. */
export type Commit = () => void;

/** The measured log as it stands in one file, and a connection of ours that writes to it. */
export class MeasuredLog {
  readonly #prepare: (entry: NewEntry) => Commit;
  /** The texts of its entries, the oldest first. */
  readonly #texts: string[] = [];
  #lastAt: number;

  /**
   * @param texts What stands in it already, the oldest first.
   * @param lastAt When the last of them was.
   */
  constructor(prepare: (entry: NewEntry) => Commit, texts: readonly string[], lastAt: number) {
    this.#prepare = prepare;
    this.#texts.push(...texts);
    this.#lastAt = lastAt;
  }

  /** What its listing must be. */
  get listing(): string {
    return `[${this.#texts.slice(-LISTED).reverse().join(",")}]`;
  }

  /** Makes the entry that comes next ready to be committed. */
  next(): { readonly timestamp: string; readonly commit: Commit } {
    this.#lastAt += 1;
    const entry = makeEntry(measured.projectId, measured.kind, this.#lastAt);
    const write = this.#prepare(entry);
    const commit = (): void => {
      write();
      this.#texts.push(entry.text);
    };
    return { timestamp: entry.timestamp, commit };
  }
}
