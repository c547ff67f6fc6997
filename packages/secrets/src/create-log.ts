import { isatty } from "node:tty";
import { type DestinationStream, destination, type LevelWithSilent, type Logger, pino } from "pino";
import { PinoPretty } from "pino-pretty";
import { redact } from "./redact.js";

/** Options of {@link createLog}. */
export interface LogOptions {
  readonly level: LevelWithSilent;
  /** The output. @default standard output, readable in a terminal and JSON elsewhere */
  readonly to?: DestinationStream;
  /** Removes the secrets from a line. @default {@link redact} */
  readonly redact?: (line: string) => string;
}

// The buffer for lines that cannot be written, in bytes.
const MAX_UNWRITTEN = 2 ** 20;

/** A program's log. Secrets are removed from each line. */
export function createLog({ level, to = standardOutput(), redact: hide = redact }: LogOptions): Logger {
  const timestamp = (): string => `,"time":"${new Date().toISOString()}"`;
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, timestamp, formatters, base: null }, { write: (line: string) => to.write(hide(line)) });
}

function standardOutput(): DestinationStream {
  // In a worker thread, process.stdout is never a TTY.
  if (isatty(1)) {
    return PinoPretty({
      colorize: !process.env.NO_COLOR,
      translateTime: "SYS:HH:MM:ss.l",
      singleLine: true,
      sync: true,
    });
  }
  const output = destination({ dest: 1, sync: true, maxLength: MAX_UNWRITTEN });
  // If the disk is full, lines are lost, and the process continues.
  output.on("error", () => {});
  return output;
}
