import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CliError, STOPPED } from "../errors.js";

/** Asks whoever sits at the terminal. */
export interface Prompter {
  /** Asks for a line. `isSecret` keeps what is typed off the screen. */
  ask(question: string, options?: { isSecret?: boolean }): Promise<string>;
  close(): void;
}

type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/**
 * Asks on `screen`, and reads from `input`. Where the input is no terminal, nothing is asked, and each line of it is one
 * answer: `media login < answers` works.
 */
export function createPrompter(input: Input, screen: NodeJS.WritableStream): Prompter {
  const isTerminal = Boolean(input.isTTY);
  // Also between two questions: of several lines that are pasted at once, any may be the key.
  let isHidden = true;
  let isStopped = false;
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) screen.write(chunk);
      done();
    },
  });
  // Without a history, which would show one answer in the place of the next.
  const lines = createInterface({ input, output: echo, terminal: isTerminal, historySize: 0 });
  const answers = lines[Symbol.asyncIterator]();
  lines.on("SIGINT", () => {
    isStopped = true;
    lines.close();
  });

  /** Whether each answer's line was ended on the screen. */
  const ended: boolean[] = [];
  lines.on("line", () => {
    ended.push(!isHidden);
    isHidden = true;
  });

  return {
    async ask(question, { isSecret = false } = {}) {
      if (isTerminal) {
        isHidden = false;
        // By readline's own hand, which draws the line anew when something in it is deleted.
        lines.setPrompt(question);
        lines.prompt();
        isHidden = isSecret;
      }
      const { done, value } = await answers.next();
      if (isTerminal && !ended.shift()) screen.write("\n");
      if (isStopped) throw new CliError("Stopped. Nothing was changed.", STOPPED);
      if (done) throw new CliError("The input ended before all was answered. Nothing was changed.");
      return value.trim();
    },
    close() {
      lines.close();
    },
  };
}
