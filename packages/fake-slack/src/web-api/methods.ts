import { buffer } from "node:stream/consumers";
import { checkBlocks, checkView } from "../block-kit/check.js";
import { type Handler, Refusal, sendText, urlOf } from "../http.js";
import { fieldOf, isObject, parsed } from "../json.js";
import {
  directChannel,
  findMessage,
  postMessage,
  publicReplies,
  takeUpload,
  threadPosition,
  UPLOAD_PATH,
  updateMessage,
} from "../world/messages.js";
import type { Channel, Json, Message, View } from "../world/model.js";
import { countPost, countUpdate } from "../world/rates.js";
import { findTrigger, findView, openView, publishView, updateView } from "../world/views.js";
import { fileAsSlack, messageAsSlack, userAsSlack, viewAsSlack } from "./as-slack.js";
import { blocksOf, messageContent, viewContent } from "./content.js";
import {
  addressOf,
  type BotCall,
  type BotMethods,
  type Call,
  channelOf,
  flagArg,
  formOf,
  invalidArguments,
  neededArg,
  personOf,
  refuseOutsider,
  refuseWithoutScope,
  textArg,
} from "./method.js";

/** The methods about messages and files. */
export const messageMethods: BotMethods = {
  "chat.postEphemeral": {
    scopes: ["chat:write"],
    run: (call) => {
      const { world, team, installation, args } = call;
      const channel = channelOf(call, textArg(args, "channel"));
      const onlyFor = neededArg(args, "user");
      refuseOutsider(call, channel);
      if (!team.users.has(onlyFor) || !channel.members.has(onlyFor)) throw new Refusal("user_not_in_channel");
      const content = { ...messageContent(world, args), userId: installation.botUserId, onlyFor };
      const thread = textArg(args, "thread_ts");
      const { threadTs } = threadPosition(channel, thread);
      // Slack shows it only in a thread that already has a reply, but answers as if it did.
      const isShown = thread === undefined || (threadTs !== undefined && publicReplies(channel, threadTs).length > 0);
      return { message_ts: isShown ? postMessage(world, channel, { ...content, threadTs }).ts : world.newTs() };
    },
  },
  "chat.postMessage": {
    scopes: ["chat:write"],
    run: (call) => {
      const { world, team, installation, args } = call;
      const channel = addressOf(call);
      refuseOutsider(call, channel, "chat:write.public");
      countPost(world, channel);
      const content = { ...messageContent(world, args), userId: installation.botUserId };
      const position = threadPosition(channel, textArg(args, "thread_ts"), flagArg(args, "reply_broadcast"));
      const message = postMessage(world, channel, { ...content, ...position });
      return { channel: channel.id, ts: message.ts, message: messageAsSlack(world, team, message) };
    },
  },
  "chat.update": {
    scopes: ["chat:write"],
    run: (call) => {
      const { world, team, installation, args } = call;
      countUpdate(world, team);
      const channel = channelOf(call, textArg(args, "channel"));
      const message = findMessage(channel, neededArg(args, "ts"));
      // A private message can only be changed through a `response_url`.
      if (!message || message.onlyFor !== undefined) throw new Refusal("message_not_found");
      if (message.userId !== installation.botUserId) throw new Refusal("cant_update_message");
      if (channel.isArchived) throw new Refusal("is_inactive");
      // A new text alone removes the blocks; new blocks alone keep the text.
      const text = textArg(args, "text");
      const blocks = args.blocks ?? (text === undefined ? message.blocks : undefined);
      updateMessage(world, channel, message, messageContent(world, { text: text ?? message.text, blocks }));
      const { ts } = message;
      return { channel: channel.id, ts, text: message.text, message: messageAsSlack(world, team, message) };
    },
  },
  "files.completeUploadExternal": {
    scopes: ["files:write"],
    run: (call) => {
      const { world, team, installation, args } = call;
      const given = parsed(args.files);
      if (!Array.isArray(given) || given.length === 0 || !given.every(isObject)) throw new Refusal("invalid_arguments");
      const announced = given.map((file: Json) => ({ id: neededArg(file, "id"), title: textArg(file, "title") }));
      const address = textArg(args, "channel_id");
      const channel = address === undefined ? undefined : channelOf(call, address);
      if (channel) refuseOutsider(call, channel);
      const text = textArg(args, "initial_comment") ?? "";
      // A comment takes precedence over blocks.
      const blocks = text === "" ? blocksOf(world, args.blocks) : [];
      const position = channel && threadPosition(channel, textArg(args, "thread_ts"));
      const files = announced.map(({ id, title }) => takeUpload(world, team, id, title));
      if (channel) postMessage(world, channel, { text, blocks, userId: installation.botUserId, files, ...position });
      return { files: files.map(fileAsSlack) };
    },
  },
  "files.getUploadURLExternal": {
    scopes: ["files:write"],
    run: ({ world, team, args }) => {
      const name = neededArg(args, "filename");
      const length = Number(neededArg(args, "length"));
      if (!Number.isInteger(length) || length < 1) throw new Refusal("invalid_arguments");
      const id = world.newId("F");
      world.uploads.set(id, { teamId: team.id, name, length, content: undefined });
      return { upload_url: `${world.url}${UPLOAD_PATH}${id}`, file_id: id };
    },
  },
};

/** Receives the bytes of an announced file, as the whole body or as a part of a form. */
export const handleUpload: Handler = async (world, request, response) => {
  const upload = world.uploads.get(urlOf(request).pathname.slice(UPLOAD_PATH.length));
  if (!upload) return sendText(response, 404, "Not found");
  const body = await buffer(request);
  const type = request.headers["content-type"] ?? "";
  const content = type.startsWith("multipart/form-data") ? await fileIn(body, type) : body;
  if (content.length !== upload.length) return sendText(response, 400, "Not as long as announced");
  upload.content = content;
  sendText(response, 200, `OK - ${content.length}`);
};

async function fileIn(body: Buffer, type: string): Promise<Buffer> {
  for (const [, part] of await formOf(body, type)) {
    if (typeof part !== "string") return Buffer.from(await part.arrayBuffer());
  }
  return Buffer.alloc(0);
}

/**
 * Slack's validation of blocks, a message or a view, without sending it. Its pointers are relative to the given value.
 */
export function validateBlocks({ args }: Call): Json {
  const [name, ...more] = ["blocks", "message", "view"].filter((one) => args[one] !== undefined);
  if (name === undefined || more.length > 0) {
    throw invalidArguments("exactly one of blocks, message and view must be given");
  }
  const given = parsed(args[name]);
  const answer =
    name === "view"
      ? checkView(given, fieldOf(given, "type") === "home" ? "home" : "modal")
      : checkBlocks(name === "blocks" ? given : fieldOf(given, "blocks"), "message");
  if (answer.ok) return {};
  const root = name === "message" ? "" : `/${name}`;
  const errors = answer.errors.map((fault) => {
    const [, message = fault, pointer = ""] = /^(.*) \[json-pointer:(.*)\]$/s.exec(fault) ?? [];
    return { pointer: pointer.slice(root.length), code: "failed_constraint", message };
  });
  throw new Refusal(`invalid_${name}`, { errors });
}

/** Each kind of conversation needs its own scope. Group conversations (`mpim`) are not modelled. */
const SCOPE_PREFIXES: Readonly<Record<Channel["kind"], string>> = { public: "channels", private: "groups", im: "im" };

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 999;

/** The methods about channels and direct conversations. */
export const conversationMethods: BotMethods = {
  "conversations.history": {
    scopes: ["channels:history", "groups:history", "mpim:history", "im:history"],
    run: (call) => {
      const { world, team, installation, args } = call;
      const channel = channelOf(call, textArg(args, "channel"));
      refuseWithoutScope(installation, [`${SCOPE_PREFIXES[channel.kind]}:history`]);
      if (!channel.members.has(installation.botUserId)) throw new Refusal("not_in_channel");
      const { messages, hasMore } = historyOf(channel, args);
      return { messages: messages.map((message) => messageAsSlack(world, team, message)), has_more: hasMore };
    },
  },
  "conversations.open": {
    scopes: ["im:write"],
    run: ({ world, team, installation, args }) => {
      const [first, ...more] = textArg(args, "users")?.split(",") ?? [];
      if (first === undefined) throw new Refusal("users_list_not_supplied");
      if (more.length > 0) throw new Refusal("not_enough_users");
      const user = personOf(team, first);
      if (user.isBot) throw new Refusal("cannot_dm_bot");
      return { channel: { id: directChannel(world, team, user.id, installation.botUserId).id } };
    },
  },
};

/** A page of a channel's messages, newest first, without private ones and without replies in threads. */
function historyOf(channel: Channel, args: Json): { messages: Message[]; hasMore: boolean } {
  const oldest = timeArg(args, "oldest");
  const latest = timeArg(args, "latest");
  const limit = Number(textArg(args, "limit") ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) throw new Refusal("invalid_limit");
  const isInclusive = flagArg(args, "inclusive");
  const isWithin = ({ ts }: Message): boolean => {
    const time = Number(ts);
    if (time === oldest || time === latest) return isInclusive;
    return (oldest === undefined || time > oldest) && (latest === undefined || time < latest);
  };
  const isListed = ({ onlyFor, threadTs, isBroadcast }: Message): boolean =>
    onlyFor === undefined && (threadTs === undefined || isBroadcast === true);
  const found = channel.messages.filter((message) => isListed(message) && isWithin(message));
  // With only a start, Slack returns the messages that follow it; otherwise those before the end.
  const isForward = oldest !== undefined && latest === undefined;
  const page = isForward ? found.slice(0, limit) : found.slice(-limit);
  return { messages: page.reverse(), hasMore: found.length > limit };
}

function timeArg(args: Json, name: "oldest" | "latest"): number | undefined {
  const given = textArg(args, name);
  if (given === undefined) return undefined;
  const time = Number(given);
  if (!Number.isFinite(time)) throw new Refusal(`invalid_ts_${name}`);
  return time;
}

/** The methods about modals and homes. */
export const viewMethods: BotMethods = {
  "views.open": showing(({ world, team, args }) => {
    const content = viewContent(world, args.view, "modal");
    return openView(world, team, findTrigger(world, team, args.trigger_id), content);
  }),
  "views.publish": showing(({ world, team, args }) => {
    const content = viewContent(world, args.view, "home");
    const user = personOf(team, neededArg(args, "user_id"));
    return publishView(world, team, user, content, textArg(args, "hash"));
  }),
  "views.update": showing(({ world, team, args }) => {
    const view = findView(team, neededArg(args, "view_id"));
    // The type of the existing view decides which content is valid.
    const content = viewContent(world, args.view, view?.type ?? "modal");
    if (!view) throw new Refusal("not_found");
    return updateView(world, team, view, content, textArg(args, "hash"));
  }),
};

/** A method that responds with the view that it shows. */
function showing(show: (call: BotCall) => View): BotMethods[string] {
  return { scopes: [], run: (call) => ({ view: viewAsSlack(call.world, call.team, show(call)) }) };
}

/** The methods about the workspace, its people and their groups. */
export const workspaceMethods: BotMethods = {
  "auth.test": {
    scopes: [],
    run: ({ team, installation }) => ({
      url: `https://${team.domain}.slack.com/`,
      team: team.name,
      team_id: team.id,
      user: team.users.get(installation.botUserId)?.name,
      user_id: installation.botUserId,
      bot_id: installation.botId,
      ...(team.organization && { enterprise_id: team.organization.id }),
      is_enterprise_install: team.organization?.isOrgWide === true,
    }),
  },
  "usergroups.users.list": {
    scopes: ["usergroups:read"],
    run: ({ team, args }) => {
      const group = team.groups.get(neededArg(args, "usergroup"));
      if (!group) throw new Refusal("no_such_subteam");
      return { users: group.members };
    },
  },
  "users.info": {
    scopes: ["users:read"],
    run: ({ world, team, installation, args }) => {
      // An org-wide installation sees the people of all its workspaces.
      const teams = [...world.teams.values()].filter((one) => one === team || one.installation === installation);
      const user = teams.map((one) => one.users.get(neededArg(args, "user"))).find((found) => found !== undefined);
      if (!user) throw new Refusal("user_not_found");
      return { user: userAsSlack(world, user) };
    },
  },
};
