import { checkRequest } from "@media-ops/commands";
import * as terminal from "@media-ops/formatters/terminal";
import { connect } from "./connect.js";
import { CliError } from "./errors.js";
import type { CommandNamed } from "./language.js";
import { harmlessJson } from "./output.js";
import { createPrompter } from "./prompter.js";
import { knownTo, requestIn } from "./requests.js";
import type { Session } from "./session.js";

// The service reads no longer one.
const LONGEST = 8192;

/** `media token check`: says whether a token is good. It is read from a hidden question, or from the standard input. */
export async function check(command: CommandNamed<"check">, session: Session): Promise<void> {
  const { world, flags, screen, print } = session;
  const connected = await connect(session);
  // Checked before the question: what is missing cannot be typed later.
  requestIn(checkRequest(command, "", knownTo(connected, session)));
  const token = await readToken(session);
  const request = requestIn(checkRequest(command, token, knownTo(connected, session)));
  const checked = await connected.wait(connected.client.tokens.check(request, { signal: world.signal }));
  print(flags.json ? harmlessJson(JSON.stringify(checked)) : terminal.formatCheckedToken(checked, screen));
  // A script learns it from the exit code.
  const isGood = checked.active && checked.admission?.allowed !== false;
  if (!isGood) throw new CliError("A client with this token is refused.");
}

async function readToken({ world: { stdin, stderr } }: Session): Promise<string> {
  const prompter = createPrompter(stdin, stderr);
  try {
    return await prompter.ask("Access token (hidden): ", tokenIn, { isSecret: true });
  } finally {
    await prompter.close();
  }
}

/** The token in an answer, which may be a header's value or JSON as `media token --json` prints it. */
function tokenIn(answer: string): string {
  const token = answer.replace(/^Bearer\s+/i, "").replace(/^.*"access_token"\s*:\s*"([^"]*)".*$/, "$1");
  if (token === "") throw new CliError("The token is missing. Pipe it, or type it at the question.", 2);
  if (token.length > LONGEST)
    throw new CliError(`This isn't an access token: it is longer than ${LONGEST} characters.`, 2);
  if (!/^[\w.-]+$/.test(token)) throw new CliError("This isn't an access token: it contains other characters.", 2);
  return token;
}
