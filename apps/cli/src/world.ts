/** All that a command touches: handed in, so that a test can hand in its own. */
export interface World {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & Pick<NodeJS.WriteStream, "isTTY" | "columns">;
  stderr: NodeJS.WritableStream & Pick<NodeJS.WriteStream, "isTTY" | "columns">;
  env: NodeJS.ProcessEnv;
  /** The user's home folder, where there is one. */
  home: string | undefined;
  platform: NodeJS.Platform;
  /** The present in milliseconds since 1970. */
  now(): number;
  /** The user's zone, by its IANA name. Asked for only where a time is read or shown: it takes as long as all of the help. */
  timeZone(): string;
  /** Aborted when whoever typed the command stops it. */
  signal: AbortSignal;
}
