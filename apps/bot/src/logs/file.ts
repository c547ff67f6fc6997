import { columns, formatCount } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { language } from "../language.js";
import { Refused } from "../refused.js";
import type { Request } from "../request.js";
import { row, runButton } from "../slack/controls.js";
import type { Draft } from "../slack/draft.js";
import { refusalOf } from "../slack/refusal.js";
import { plainSection, wordsOnly } from "../slack/sections.js";
import type { Bookmark } from "./bookmark.js";
import { emptyMessage } from "./empty.js";
import { type Listing, openListing } from "./listing.js";
import { messageOf } from "./message.js";

type Form = "csv" | "json";

/** `as:csv` and `as:json`: the file, and where it is. */
export async function fileAtOnce(bookmark: Bookmark, form: Form, request: Request): Promise<Draft> {
  const listing = await openListing(bookmark, request);
  if (listing.entries.length === 0) return emptyMessage(listing, []);
  const words = await upload(listing, form, request);
  return {
    blocks: [plainSection(words), ...row(runButton("Show them here", language.write(listing.command)))],
    text: escapeMrkdwn(words),
  };
}

/** The button CSV: the file, and the message says where it is. */
export async function giveCsv(bookmark: Bookmark, request: Request): Promise<void> {
  const listing = await openListing(bookmark, request);
  const said = listing.entries.length === 0 ? undefined : await upload(listing, "csv", request);
  await request.answer.replace(await messageOf(listing, request, { said }));
}

/** Puts all entries into a file that the asker alone has, and gives the words that say where it is. */
async function upload(listing: Listing, form: Form, { slack, userId, log }: Request): Promise<string> {
  const { command, entries, heading, project, now } = listing;
  const filename = nameOf(command.kind, project.id, form, now);
  const { one, many } = columns[command.kind];
  try {
    const { channel } = await slack.conversations.open({ users: userId });
    if (channel?.id === undefined) throw new TypeError("Slack opened a conversation and did not say which.");
    await slack.files.uploadV2({
      channel_id: channel.id,
      filename,
      title: filename,
      file: Buffer.from(contentOf(listing, form)),
      initial_comment: escapeMrkdwn(heading),
    });
  } catch (error) {
    const code = refusalOf(error)?.code;
    if (code === undefined) throw error;
    log.error({ err: error }, "Slack did not take a file");
    throw new Refused(
      wordsOnly(code === "missing_scope" ? NO_SCOPE : `Slack did not take the file (${code}). ${AGAIN}`),
    );
  }
  const amount = `${formatCount(entries.length)} ${entries.length === 1 ? one : many}`;
  return `The file ${filename} with ${amount} is in your direct messages with the bot.`;
}

const AGAIN = "Try again; if it stays so, tell whoever runs the bot.";
const NO_SCOPE =
  "No file was made: the bot may not give files to people in this workspace. Whoever installed it can allow that: it needs files:write and im:write.";

function contentOf({ command, entries }: Listing, form: Form): string {
  // Excel needs the mark to see that it is UTF-8.
  return form === "csv"
    ? csv.formatLogs(command.kind, entries, { bom: true })
    : jsonl.formatLogs(command.kind, entries);
}

/** "webhooks-demo-2026-11-21T1403Z.csv", in signs that every system takes. */
export function nameOf(kind: string, projectId: string, form: Form, now: number): string {
  const project = projectId.replaceAll(/[^\w.-]+/g, "_").slice(0, 60);
  const time = `${new Date(now).toISOString().slice(0, 16).replace(":", "")}Z`;
  return `${kind}-${project}-${time}.${form === "csv" ? "csv" : "jsonl"}`;
}
