/** What a command ends with where it did not do what was asked. */
export type FailureCode = 1 | 2;

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
