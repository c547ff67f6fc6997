import { columns, formatCount } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { Action, Actions, Forms } from "../features.js";
import { type CommandNamed, language } from "../language.js";
import type { Request } from "../request.js";
import { type Draft, plainSection, Refused, row, runButton, smallPrint } from "../slack/blocks.js";
import { refusalOf } from "../slack/client.js";
import { type Bookmark, bookmarkIn, NEWEST } from "./bookmark.js";
import { RELATED, showDetails } from "./details.js";
import { forEveryone, type Listing, openListing } from "./find.js";
import {
  bookmarkButton,
  CSV,
  DETAILS,
  emptyMessage,
  LOOK_CLOSER,
  logsMessage,
  messageOf,
  PAGE,
  pageDraft,
  SHARE,
} from "./message.js";

/** `/media logs`: the newest matching entries, or all of them as a file. */
export async function logs(command: CommandNamed<"logs">, request: Request): Promise<Draft | undefined> {
  const { as, ...asked } = command;
  if (as === "csv" || as === "json") return fileAtOnce({ command: asked, spot: NEWEST }, as, request);
  return logsMessage({ command, spot: NEWEST }, request);
}

// A second share of the same page, or a second file, within this time is a double click.
const ONCE_MS = 10_000;

const withBookmark = (run: (bookmark: Bookmark, request: Request) => Promise<void>): Pick<Action, "run"> => ({
  run: (request, { value }) => run(bookmarkIn(value, request), request),
});

export const logActions: Actions = {
  [PAGE]: withBookmark(async (bookmark, request) => request.answer.replace(await logsMessage(bookmark, request))),
  [LOOK_CLOSER]: withBookmark(async (bookmark, request) => request.answer.say(await logsMessage(bookmark, request))),
  [SHARE]: { ...withBookmark(share), onceForMs: ONCE_MS },
  [CSV]: { ...withBookmark(giveCsv), onceForMs: ONCE_MS },
  [DETAILS]: { ...withBookmark(showDetails), isUrgent: true },
};

export const logForms: Forms = {
  [RELATED]: {
    async run(request, { kept: { related } }) {
      const bookmark = bookmarkIn(typeof related === "string" ? related : "", request);
      await request.answer.replace(await logsMessage(bookmark, request));
    },
  },
};

/** Shows a page to everyone in the channel, and confirms it to the person. */
async function share(bookmark: Bookmark, request: Request): Promise<void> {
  const listing = await openListing(bookmark, request);
  if (listing.entries.length > 0) await request.answer.share(sharedMessage(listing, request.userId));
  const said = listing.entries.length > 0 ? "Shared with everyone here." : "Not shared: no entry matches any more.";
  await request.answer.replace(await messageOf(listing, request, { said, isShared: true }));
}

/** A page for everyone, with the person who shared it and a button that opens the reader's own listing. */
export function sharedMessage(listing: Listing, userId: string): Draft {
  return pageDraft(forEveryone(listing), ({ here }) => [
    smallPrint(`Shared by <@${userId}>`),
    ...row(bookmarkButton("Look closer", LOOK_CLOSER, { ...here, back: undefined })),
  ]);
}

type Form = "csv" | "json";

/** `as:csv` and `as:json`: sends a file and says where it is. */
async function fileAtOnce(bookmark: Bookmark, form: Form, request: Request): Promise<Draft> {
  const listing = await openListing(bookmark, request);
  if (listing.entries.length === 0) return emptyMessage(listing, []);
  const words = await upload(listing, form, request);
  return {
    blocks: [plainSection(words), ...row(runButton("Show them here", language.write(listing.command)))],
    text: escapeMrkdwn(words),
  };
}

/** Handles the CSV button: sends a file and adds its location to the message. */
async function giveCsv(bookmark: Bookmark, request: Request): Promise<void> {
  const listing = await openListing(bookmark, request);
  const said = listing.entries.length === 0 ? undefined : await upload(listing, "csv", request);
  await request.answer.replace(await messageOf(listing, request, { said }));
}

/** Sends all entries to the person as a file, and returns a sentence that says where it is. */
async function upload(listing: Listing, form: Form, { slack, userId, log }: Request): Promise<string> {
  const { command, entries, heading, project, now } = listing;
  const filename = nameOf(command.kind, project.id, form, now);
  const { one, many } = columns[command.kind];
  try {
    const { channel } = await slack.conversations.open({ users: userId });
    if (channel?.id === undefined) throw new TypeError("Slack's answer to conversations.open has no channel id.");
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
    log.error({ err: error }, "Slack refused a file");
    throw new Refused(code === "missing_scope" ? NO_SCOPE : `Slack refused the file (${code}). ${AGAIN}`);
  }
  const amount = `${formatCount(entries.length)} ${entries.length === 1 ? one : many}`;
  return `The file ${filename} with ${amount} is in your direct messages with the bot.`;
}

const AGAIN = "Try again; if it keeps failing, tell the bot's operator.";
const NO_SCOPE =
  "No file was sent: the bot may not send files in this workspace. An admin can add the scopes files:write and im:write to the app.";

function contentOf({ command, entries }: Listing, form: Form): string {
  // Excel needs the byte order mark to recognize UTF-8.
  return form === "csv"
    ? csv.formatLogs(command.kind, entries, { bom: true })
    : jsonl.formatLogs(command.kind, entries);
}

/** Builds a file name such as "webhooks-demo-2026-11-21T1403Z.csv" from characters that every system allows. */
export function nameOf(kind: string, projectId: string, form: Form, now: number): string {
  const project = projectId.replaceAll(/[^\w.-]+/g, "_").slice(0, 60);
  const time = `${new Date(now).toISOString().slice(0, 16).replace(":", "")}Z`;
  return `${kind}-${project}-${time}.${form === "csv" ? "csv" : "jsonl"}`;
}
