import { WebAPIPlatformError } from "@slack/web-api";

/** Slack did not take what it was given. */
export class SlackRefusal extends Error {
  override readonly name = "SlackRefusal";
  /** What Slack calls it: `invalid_blocks`. */
  readonly code: string;
  /** What it says of it, often with a pointer: `must be less than 151 characters [json-pointer:/blocks/0/text/text]`. */
  readonly faults: readonly string[];

  constructor(what: string, code: string, faults: readonly string[] = []) {
    super(`${what} was refused by Slack: ${[code, ...faults].join("; ")}`);
    this.code = code;
    this.faults = faults;
  }
}

/** What Slack said against a call of its Web API, or of a response address; undefined for every other error. */
export function refusalOf(error: unknown): Pick<SlackRefusal, "code" | "faults"> | undefined {
  if (error instanceof SlackRefusal) return error;
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  return { code: error.data.error, faults: faultsIn(error.data) };
}

/** The faults that an answer of Slack names. */
export function faultsIn(answer: object): string[] {
  const { errors, response_metadata } = answer as { errors?: unknown; response_metadata?: { messages?: unknown } };
  const listed = Array.isArray(errors) ? errors : response_metadata?.messages;
  return Array.isArray(listed) ? listed.map((fault) => String(fault).replace(/^\[ERROR\] /, "")) : [];
}

const ABOUT_BLOCKS = new Set(["invalid_blocks", "invalid_blocks_format", "invalid_arguments", "msg_blocks_too_long"]);

/** Whether it is the blocks that Slack does not take, so that others may do better. */
export const isAboutBlocks = (code: string): boolean => ABOUT_BLOCKS.has(code);
