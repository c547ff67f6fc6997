import { answerOf, type BlocksAnswer, checkBlocks, checkView, faultAt } from "../block-kit/check.js";
import { fieldOf, isObject, itemsOf, parsed, textIn } from "../json.js";
import { findMessage, publicReplies } from "../world/messages.js";
import type { Json, Message, MessageContent, SharedFile, Team, User, View, ViewContent } from "../world/model.js";
import { Refusal } from "../world/refusal.js";
import type { World } from "../world/world.js";

// The world in the format of Slack's responses.

/** A person of this workspace, or of a shared channel. */
export function userAsSlack(world: World, user: User): Json {
  const { id, name, realName, timeZone, isAdmin, isOwner, isBot, isDeleted, guest } = user;
  const teamId = user.homeTeamId ?? user.teamId;
  return {
    id,
    team_id: teamId,
    name,
    real_name: realName,
    deleted: isDeleted,
    tz: timeZone,
    is_admin: isAdmin,
    is_owner: isOwner,
    is_primary_owner: false,
    // A single-channel guest has both flags.
    is_restricted: guest !== undefined,
    is_ultra_restricted: guest === "single-channel",
    is_bot: isBot,
    is_app_user: false,
    profile: { real_name: realName, display_name: name, team: teamId },
    ...enterpriseUserOf(world, user, teamId),
  };
}

/** Slack's further fields for a member of an organization. */
function enterpriseUserOf(world: World, { id, workspaces }: User, teamId: string): Json {
  const organization = world.teams.get(teamId)?.organization;
  if (!organization) return {};
  const { id: enterprise_id, name: enterprise_name } = organization;
  const teams = workspaces ?? [teamId];
  return { enterprise_user: { id, enterprise_id, enterprise_name, is_admin: false, is_owner: false, teams } };
}

/** A message in the format that the app receives. */
export function messageAsSlack(world: World, team: Team, message: Message): Json {
  const { ts, userId, text, blocks, files, isEdited } = message;
  const bot = team.installation?.botUserId === userId ? team.installation : undefined;
  return {
    type: "message",
    ts,
    user: userId,
    team: team.id,
    text,
    ...(bot && { bot_id: bot.botId, app_id: world.app.id }),
    ...(blocks.length > 0 && { blocks }),
    ...(files.length > 0 && { files: files.map(fileAsSlack) }),
    ...threadFieldsOf(team, message),
    ...(isEdited && { edited: { user: userId, ts } }),
  };
}

/** Slack's fields of a reply, and of a message with replies. */
function threadFieldsOf({ channels }: Team, { ts, channelId, threadTs, isBroadcast }: Message): Json {
  const channel = channels.get(channelId);
  if (!channel) return {};
  if (threadTs !== undefined) {
    const parent = findMessage(channel, threadTs);
    return {
      thread_ts: threadTs,
      ...(parent && { parent_user_id: parent.userId }),
      ...(isBroadcast && { subtype: "thread_broadcast" }),
    };
  }
  const replies = publicReplies(channel, ts);
  if (replies.length === 0) return {};
  const users = [...new Set(replies.map(({ userId }) => userId))];
  return {
    thread_ts: ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    reply_users: users,
    latest_reply: replies.at(-1)?.ts,
  };
}

/** A shared file. */
export function fileAsSlack({ id, name, title, content }: SharedFile): Json {
  return { id, name, title, size: content.length };
}

/** A modal or a home, with the entries of a person. */
export function viewAsSlack(world: World, team: Team, view: View, values: Json = {}): Json {
  const { payload } = view;
  return {
    id: view.id,
    team_id: view.teamId,
    type: view.type,
    ...(view.type === "modal" && {
      title: payload.title,
      submit: payload.submit ?? null,
      close: payload.close ?? null,
    }),
    blocks: view.blocks,
    private_metadata: view.privateMetadata,
    callback_id: view.callbackId,
    external_id: "",
    state: { values },
    hash: view.hash,
    clear_on_close: view.clearOnClose,
    notify_on_close: view.notifyOnClose,
    root_view_id: view.id,
    previous_view_id: null,
    app_id: world.app.id,
    bot_id: team.installation?.botId ?? null,
    app_installed_team_id: team.id,
  };
}

// Some methods truncate shorter texts, others refuse them; at 40,000 all of them refuse.
const TEXT_CHARACTERS = 40_000;
const VIEW_BYTES = 250_000;

/**
 * The content of a message, from the arguments of `chat.postMessage` or `chat.update`, a `response_url`, or an
 * acknowledgement. Blocks may be passed as JSON.
 */
export function messageContent(world: World, args: Json): MessageContent {
  const text = textIn(args.text);
  const blocks = blocksOf(world, args.blocks);
  if (text === "" && blocks.length === 0) throw new Refusal("no_text");
  if (text.length > TEXT_CHARACTERS) throw new Refusal("msg_too_long");
  return { text, blocks };
}

/** @throws {Refusal} if Slack would refuse these blocks in a message. */
export function blocksOf(world: World, given: unknown): readonly Json[] {
  if (given === undefined || given === null || given === "") return [];
  const blocks = parsed(given);
  refuseWrong(checkBlocks(blocks, "message"));
  const list = itemsOf(blocks).filter(isObject);
  refuseUnknown(world, list, "/blocks", "invalid_blocks");
  return list;
}

/** Reads a view, passed as an object or as JSON. */
export function viewContent(world: World, given: unknown, type: View["type"]): ViewContent {
  const view = parsed(given);
  refuseWrong(checkView(view, type));
  if (!isObject(view)) throw new Refusal("invalid_arguments");
  const blocks = itemsOf(view.blocks).filter(isObject);
  refuseUnknown(world, blocks, "/view/blocks", "invalid_arguments");
  if (Buffer.byteLength(JSON.stringify(view)) > VIEW_BYTES) throw new Refusal("view_too_large");
  return {
    type,
    callbackId: textIn(view.callback_id),
    privateMetadata: textIn(view.private_metadata),
    title: textIn(fieldOf(view.title, "text")),
    submit: textIn(fieldOf(view.submit, "text")) || undefined,
    close: textIn(fieldOf(view.close, "text")) || undefined,
    notifyOnClose: view.notify_on_close === true,
    clearOnClose: view.clear_on_close === true,
    blocks,
    payload: view,
  };
}

function refuseWrong(answer: BlocksAnswer): void {
  if (answer.ok) return;
  const { error, ok: _, ...extra } = answer;
  throw new Refusal(error, extra);
}

/** Refuses blocks of types that `refuseBlocks` has disabled. */
function refuseUnknown(
  world: World,
  blocks: readonly Json[],
  pointer: string,
  error: Parameters<typeof answerOf>[1],
): void {
  const faults = blocks.flatMap(({ type }, index) =>
    typeof type === "string" && world.refusedBlocks.has(type)
      ? [faultAt(`unsupported type: ${type}`, pointer, [index, "type"])]
      : [],
  );
  refuseWrong(answerOf(faults, error));
}
