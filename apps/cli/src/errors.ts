/** The exit code after Ctrl-C, as in shells. */
export const STOPPED = 130;

/** The exit code of an unsuccessful command: 1 failed, 2 not understood, 130 stopped. */
export type FailureCode = 1 | 2 | typeof STOPPED;

/** An error whose message is shown to the user unchanged. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: FailureCode;

  /** @param exitCode 1 if something failed, 2 if the command cannot work as typed. */
  constructor(message: string, exitCode: FailureCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The system's message about a file, without the path. */
export function systemReason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+( '.*)?$/s, "") : String(error);
}
