import { shorten } from "@media-ops/commands";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { type CommandNamed, language } from "../language.js";
import { mayAct } from "../policy/decide.js";
import { whoIn } from "../projects/words.js";
import type { Request } from "../request.js";
import {
  type Draft,
  inPlace,
  mrkdwnMessage,
  mrkdwnSection,
  Refused,
  row,
  runButton,
  slackDate,
} from "../slack/blocks.js";
import { pageOf, sendAudit } from "./audit-file.js";
import type { AuditEntry, AuditFilter } from "./audit-log.js";

type AuditCommand = CommandNamed<"audit">;

// As many as are read in a message, within Slack's limits.
const MOST_SHOWN = 20;
const LONGEST_DETAIL = 200;

/** `/media audit`: who did what in this workspace, newest first. Only the person who asks sees it. */
export async function audit(command: AuditCommand, request: Request): Promise<Draft> {
  const { config, member, audit: log, teamId } = request;
  const { policy } = config;
  if (!mayAct(policy, await member(), "audit")) {
    throw new Refused(mrkdwnMessage(`You may not read the audit log. Ask ${whoIn(policy.act.audit)}.`));
  }
  const filter = filterOf(command, request);
  const { as: form } = command;
  if (form === "csv" || form === "json") return sendAudit({ form, filter, last: command.last }, request);
  const limit = Math.min(command.last ?? MOST_SHOWN, MOST_SHOWN);
  const found = await log.find(teamId, { ...filter, limit: limit + 1 });
  return auditDraft(command, pageOf(found, limit), found.length > limit);
}

function filterOf(
  { since, until, by, action, in: projectId }: AuditCommand,
  { userId, teamId }: Request,
): Omit<AuditFilter, "limit"> {
  return { since, until, action, projectId, userId: by && idOf(by, { userId, teamId }) };
}

/** @throws {Refused} if a name is none of a person in this workspace. */
function idOf(by: NonNullable<AuditCommand["by"]>, { userId, teamId }: { userId: string; teamId: string }): string {
  if (by.is === "me") return userId;
  if (by.is === "slack") return by.user;
  const id = by.name.startsWith(`slack:${teamId}/`) ? by.name.slice(`slack:${teamId}/`.length) : by.name;
  if (/^[UW][A-Z0-9]+$/.test(id)) return id;
  throw new Refused("The bot's audit log has people of this workspace only. Name one with by:@name, or by:me.");
}

function auditDraft(command: AuditCommand, entries: readonly AuditEntry[], hasMore: boolean): Draft {
  const heading =
    entries.length === 0 ? "*Audit log:* no entry matches." : `*Audit log:* ${countText(entries, hasMore)}`;
  const oldest = entries.at(-1)?.at;
  const older = hasMore && oldest !== undefined ? language.write({ ...command, until: oldest }) : undefined;
  const file = entries.length === 0 ? undefined : language.write({ ...command, as: "json" });
  return {
    blocks: [
      mrkdwnSection(heading),
      ...entries.map(entryBlock),
      ...row(
        older === undefined ? undefined : runButton("Older", older, { id: "older" }),
        file === undefined ? undefined : runButton("JSON lines", file, { id: "file" }),
      ),
    ],
    text: heading,
  };
}

function countText(entries: readonly AuditEntry[], hasMore: boolean): string {
  const amount = entries.length === 1 ? "1 entry" : `${entries.length} entries`;
  return hasMore ? `the newest ${amount}` : amount;
}

function entryBlock({ at, userId, action, placeId, via, projectId, subject, outcome, detail }: AuditEntry): SlackBlock {
  const facts = [
    slackDate(at),
    `<@${escapeMrkdwn(userId)}>`,
    `*${escapeMrkdwn(action)}*`,
    escapeMrkdwn(outcome === "begun" ? "begun, outcome unknown" : outcome),
    ...(projectId === undefined ? [] : [escapeMrkdwn(projectId)]),
    ...(placeId === undefined ? [] : [inPlace(placeId)]),
    ...(via === undefined ? [] : [`by ${escapeMrkdwn(via)}`]),
    ...(subject === undefined ? [] : [escapeMrkdwn(subject)]),
  ];
  const more = detail === undefined ? "" : `\n${escapeMrkdwn(shorten(detail, LONGEST_DETAIL))}`;
  return mrkdwnSection(`${facts.join(" · ")}${more}`);
}
