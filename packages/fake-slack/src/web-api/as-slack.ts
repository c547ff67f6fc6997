// The world in the format of Slack's responses.
import { findMessage, publicReplies } from "../world/messages.js";
import type { Json, Message, SharedFile, Team, User, View } from "../world/model.js";
import type { World } from "../world/world.js";

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
