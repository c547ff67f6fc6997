import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CliError } from "../errors.js";

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
  let isHidden = false;
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) screen.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input, output: echo, terminal: isTerminal });
  lines.on("SIGINT", () => lines.close());
  const answers = lines[Symbol.asyncIterator]();

  return {
    async ask(question, { isSecret = false } = {}) {
      if (isTerminal) {
        // By readline's own hand, which draws the line anew when something in it is deleted.
        lines.setPrompt(question);
        lines.prompt();
        isHidden = isSecret;
      }
      const answer = await answers.next();
      if (isTerminal && isSecret) screen.write("\n");
      isHidden = false;
      if (answer.done) throw new CliError("Nothing was changed.");
      return answer.value.trim();
    },
    close() {
      lines.close();
    },
  };
}
