import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError, STOPPED } from "./errors.js";

/** Asks whoever sits at the terminal. */
export interface Prompter {
  /** Whether a person answers. Otherwise each line of the input is one answer, and nothing is asked twice. */
  readonly isTerminal: boolean;
  /**
   * Asks for a line until it is right. A wrong answer is explained, and whatever was pasted behind it is dropped.
   *
   * @param read gives what an answer means.
   * @throws {CliError} what `read` throws, if no terminal answers.
   */
  ask<T>(question: string, read: (answer: string) => T, options?: AskOptions): Promise<T>;
  /** Aborted by Ctrl-C, which reaches no one else while a prompter is open. */
  readonly stopped: AbortSignal;
  /** Drops what has been typed or pasted ahead of the next question. */
  drop(): Promise<void>;
  /** Ends it. What was pasted too much is dropped: a shell would run it. */
  close(): Promise<void>;
}

interface AskOptions {
  /**
   * Keeps what is typed off the screen.
   * @default false
   */
  isSecret?: boolean;
}

type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** What is said after Ctrl-C. */
export const NOTHING_CHANGED = "Stopped. Nothing was changed.";

/** A paste has ended if nothing more of it has come for so long. */
const QUIET_MS = 100;

/**
 * Asks on `screen`, and reads from `input`. If the input is no terminal, nothing is asked, and each line of it is one
 * answer: `media login < answers` works.
 */
export function createPrompter(input: Input, screen: NodeJS.WritableStream): Prompter {
  const isTerminal = Boolean(input.isTTY);
  // Also between two questions: of several lines that are pasted at once, any may be the key.
  let isHidden = true;
  const stopped = new AbortController();
  let isClosed = false;
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) screen.write(chunk);
      done();
    },
  });
  // Without a history, which would show one answer in the place of the next.
  const lines = createInterface({ input, output: echo, terminal: isTerminal, historySize: 0 });

  /** The lines that no question has taken yet, each with whether its end was shown on the screen. */
  let typed: { text: string; isEnded: boolean }[] = [];
  let wake: () => void = () => {};
  let received = 0;
  if (isTerminal) input.on("data", countInput);
  function countInput(): void {
    received += 1;
  }
  lines.on("line", (text) => {
    typed.push({ text, isEnded: !isHidden });
    isHidden = true;
    wake();
  });
  lines.on("SIGINT", () => {
    stopped.abort();
    lines.close();
  });
  lines.on("close", () => {
    isClosed = true;
    wake();
  });

  async function nextLine(question: string, isSecret: boolean): Promise<string> {
    if (isTerminal && (isSecret || typed.length > 0)) {
      // Readline would draw what has been typed ahead behind its prompt: of a paste, the key.
      screen.write(question);
    } else if (isTerminal) {
      isHidden = false;
      // By readline's own hand, which draws the line anew when something in it is deleted.
      lines.setPrompt(question);
      lines.prompt();
    }
    while (typed.length === 0 && !isClosed) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const line = typed.shift();
    if (isTerminal && !line?.isEnded) screen.write("\n");
    if (stopped.signal.aborted) throw new CliError(NOTHING_CHANGED, STOPPED);
    if (!line) throw new CliError("The input ended before all was answered. Nothing was changed.");
    return line.text.trim();
  }

  async function drop(): Promise<void> {
    if (!isTerminal || isClosed) return;
    isHidden = true;
    for (let before = -1; before !== received && !isClosed; ) {
      before = received;
      await sleep(QUIET_MS);
    }
    typed = [];
    // What was pasted without a line's end.
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
  }

  return {
    isTerminal,
    stopped: stopped.signal,
    async ask(question, read, { isSecret = false } = {}) {
      for (;;) {
        const answer = await nextLine(question, isSecret);
        try {
          return read(answer);
        } catch (error) {
          if (!isTerminal || !(error instanceof CliError)) throw error;
          await drop();
          screen.write(`${error.message}\n`);
        }
      }
    },
    drop,
    async close() {
      await drop();
      input.off("data", countInput);
      lines.close();
    },
  };
}
