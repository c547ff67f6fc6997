import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError, STOPPED } from "./session.js";

/** Asks the user questions. */
export type Prompter = ReturnType<typeof createPrompter>;

type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** The message after Ctrl-C. */
export const NOTHING_CHANGED = "Stopped. Nothing was changed.";

/** A paste has ended if no input arrives for this long. */
const QUIET_MS = 100;

/** Shows questions on `screen`; without a terminal, none, and each line of `input` is an answer. */
export function createPrompter(input: Input, screen: NodeJS.WritableStream) {
  const isTerminal = Boolean(input.isTTY);
  // Hidden between questions, too: any of several pasted lines may be the key.
  let isHidden = true;
  const stopped = new AbortController();
  let isClosed = false;
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) screen.write(chunk);
      done();
    },
  });
  // No history, which would offer one answer for the next question.
  const lines = createInterface({ input, output: echo, terminal: isTerminal, historySize: 0 });

  /** The lines that no question has used yet, and whether the end of each was shown. */
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
      // Readline would show text that was typed ahead after its prompt: of a paste, the key.
      screen.write(question);
    } else if (isTerminal) {
      isHidden = false;
      // Prompts through readline, which redraws the line when characters are deleted.
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
    if (!line) throw new CliError("The input ended before the last answer. Nothing was changed.");
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
    // Clear pasted text without a line end.
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
  }

  return {
    isTerminal,
    /** Aborted by Ctrl-C, which only the prompter receives while it is open. */
    stopped: stopped.signal,
    /** Repeats a question until `read` takes the answer; an error of `read` is shown on a terminal, and thrown otherwise. */
    async ask<T>(question: string, read: (answer: string) => T, { isSecret = false } = {}): Promise<T> {
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
    /** Stops reading. Excess pasted text is dropped: a shell would execute it. */
    async close(): Promise<void> {
      await drop();
      input.off("data", countInput);
      lines.close();
    },
  };
}
