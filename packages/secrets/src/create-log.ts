import { isatty } from "node:tty";
import { type DestinationStream, destination, type LevelWithSilent, type Logger, pino } from "pino";
import { PinoPretty } from "pino-pretty";
import { redact } from "./redact.js";

/** Options of {@link createLog}. */
export interface LogOptions {
  readonly level: LevelWithSilent;
  /** Where the lines go. @default standard output, readable in a terminal and JSON elsewhere */
  readonly to?: DestinationStream;
  /** Takes the secrets out of a line. @default {@link redact} */
  readonly redact?: (line: string) => string;
}

/** A program's log. Every line is rid of secrets on its way out, whatever was put into it. */
export function createLog({ level, to = standardOutput(), redact: hide = redact }: LogOptions): Logger {
  const timestamp = (): string => `,"time":"${new Date().toISOString()}"`;
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, timestamp, formatters, base: null }, { write: (line: string) => to.write(hide(line)) });
}

function standardOutput(): DestinationStream {
  // Of the file, since in a worker thread process.stdout is none.
  if (!isatty(1)) return destination({ dest: 1, sync: true });
  return PinoPretty({ colorize: !process.env.NO_COLOR, translateTime: "SYS:HH:MM:ss.l", singleLine: true, sync: true });
}
