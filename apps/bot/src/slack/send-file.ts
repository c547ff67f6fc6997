import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { Request } from "../request.js";
import { Refused } from "./answer.js";
import { refusalOf } from "./client.js";

/** The forms of a file. */
export type FileForm = "csv" | "json";

// Enough for the name of a log and of most projects.
const LONGEST_NAME = 69;

/** A file name such as "webhooks-demo-2026-11-21T1403Z.csv", of characters that every system allows. */
export function fileName(name: string, form: FileForm, now: number): string {
  const time = `${new Date(now).toISOString().slice(0, 16).replace(":", "")}Z`;
  const short = name.replaceAll(/[^\w.-]+/g, "_").slice(0, LONGEST_NAME);
  return `${short}-${time}.${form === "csv" ? "csv" : "jsonl"}`;
}

/** The sentence about where a file of entries ends; empty if it has all. */
export const endText = (end: string | undefined): string =>
  end === undefined ? "" : `It is not complete: entries before ${end} are missing.`;

/** A file for the person who asked for it. */
export interface OutgoingFile {
  readonly filename: string;
  readonly file: Buffer;
  readonly amount: string;
  readonly heading: string;
  /** A sentence that says where it ends; empty if it is complete. */
  readonly end: string;
}

/** Sends a file to the person, and returns a sentence that says where it is and where it ends. */
export async function sendFile(
  { filename, file, amount, heading, end }: OutgoingFile,
  { slack, userId, log }: Pick<Request, "slack" | "userId" | "log">,
): Promise<string> {
  try {
    const { channel } = await slack.conversations.open({ users: userId });
    if (channel?.id === undefined) throw new TypeError("Slack's answer to conversations.open has no channel id.");
    await slack.files.uploadV2({
      channel_id: channel.id,
      filename,
      title: filename,
      file,
      initial_comment: escapeMrkdwn(end === "" ? heading : `${heading}. ${end}`),
    });
  } catch (error) {
    const code = refusalOf(error)?.code;
    if (code === undefined) throw error;
    log.error({ err: error }, "Slack refused a file");
    throw new Refused(code === "missing_scope" ? NO_SCOPE : `Slack refused the file (${code}). ${AGAIN}`);
  }
  const where = `The file ${filename} with ${amount} is in your direct messages with the bot.`;
  return end === "" ? where : `${where} ${end}`;
}

const AGAIN = "Try again; if it keeps failing, tell the bot's operator.";
const NO_SCOPE =
  "No file was sent: the bot may not send files in this workspace. An admin can add the scopes files:write and im:write to the app.";
