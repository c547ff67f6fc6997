import { readCommandLine } from "@media-ops/settings/command-line";

/** Options of `start`. */
export interface Arguments {
  /** Whether to delete what was kept, and begin anew. */
  readonly fresh: boolean;
  /** The page's port; undefined for the default. */
  readonly port: number | undefined;
  readonly help: boolean;
}

/** The command line is wrong; the message says what is right. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

export const helpText = `npx -y pnpm@12 start runs everything on this machine: the service with a demo project, a media server, the bot, and a page
that looks and works like Slack.

  --fresh       deletes the kept data, and begins anew
  --port <n>    the page's port (default: 4000)
  --help        shows this

Data is kept in the folder .data, or in the one that PLAYGROUND_DATA names. With PLAYGROUND_PORTS=any every listener takes
any free port, as tests need it. With SLACK_BOT_TOKEN, SLACK_APP_TOKEN or SLACK_CLIENT_ID set (in the environment or in the
file .env), the bot talks to the real Slack, and there is no page.
`;

/**
 * Reads what was typed after `start`.
 *
 * @throws {ArgumentError} which says what is wrong, and what is right.
 */
export function readArguments(args: readonly string[]): Arguments {
  const { given, faults } = readCommandLine(args, {
    name: "start",
    options: [{ name: "fresh" }, { name: "port", value: "<n>" }],
    commonOptions: [{ name: "help" }],
  });
  const [fault] = faults;
  if (fault !== undefined) throw new ArgumentError(fault);
  const { port } = given.values;
  return {
    fresh: given.switches.has("fresh"),
    port: port === undefined ? undefined : readPort(port),
    help: given.switches.has("help"),
  };
}

function readPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  throw new ArgumentError(`--port must be a number from 1 to 65535, but is "${text}". Example: --port 4100.`);
}
