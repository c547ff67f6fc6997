/** What can be asked of a start. */
export interface Arguments {
  /** Whether to begin anew. */
  readonly fresh: boolean;
  /** The page's port. */
  readonly port: number | undefined;
  readonly help: boolean;
}

/** What was typed cannot be understood; the message says what can be. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

const names = ["--fresh", "--port", "--help"];

export const helpText = `npx -y pnpm@12 start runs all of it on this machine: the service with a demo project, a media server, the bot, and a page
that looks and works like Slack.

  --fresh       deletes what it has kept, and begins anew
  --port <n>    the port of the page; by itself 4000
  --help        says this

It is kept in the folder .data, or in the one that PLAYGROUND_DATA names. With PLAYGROUND_PORTS=any everything listens
where it can, as tests want it. With SLACK_BOT_TOKEN, SLACK_APP_TOKEN or
SLACK_CLIENT_ID set (in the environment or in the file .env), the bot talks to the real Slack, and there is no page.
`;

/**
 * Reads what was typed.
 *
 * @throws {ArgumentError} which says what was not understood, and what would be.
 */
export function readArguments(args: readonly string[]): Arguments {
  // pnpm passes on the "--" that npm wants.
  const words = args.filter((word) => word !== "--").flatMap((word) => cut(word));
  let fresh = false;
  let help = false;
  let port: number | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--fresh") fresh = true;
    else if (word === "--help" || word === "-h") help = true;
    else if (word === "--port") port = readPort(words[++at]);
    else throw new ArgumentError(`There is no option ${word}. There are: ${names.join(", ")}.`);
  }
  return { fresh, port, help };
}

/** `--port=4100` is two words. */
function cut(word: string): string[] {
  const at = word.indexOf("=");
  return at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

function readPort(text: string | undefined): number {
  const port = /^\d+$/.test(text ?? "") ? Number(text) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  const seen = text === undefined ? "" : `, not ${text}`;
  throw new ArgumentError(`--port is a number from 1 to 65535${seen}: --port 4100.`);
}
