/** What shells give for a command that Ctrl-C ended. */
export const STOPPED = 130;

/** What a command ends with where it did not do what was asked: 1 failed, 2 not understood, 130 stopped. */
export type FailureCode = 1 | 2 | typeof STOPPED;

/** Something to tell whoever typed the command; nothing else is shown of it. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: FailureCode;

  /** @param exitCode 1 where something failed, 2 where what was typed can't be done. */
  constructor(message: string, exitCode: FailureCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What the system says of a file, without the path, which the message around it names. */
export function systemReason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+( '.*)?$/s, "") : String(error);
}
