/** Lets those who need the writer for more than one statement have it one after another, in the order in which they came. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Waits for a turn; gives what ends it. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end: () => void = () => {};
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  }

  /** Waits until those who came before have ended their turns. What is then done in one go needs none of its own. */
  pass(): Promise<void> {
    return this.#last;
  }
}
