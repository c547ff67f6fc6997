import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { checkBlocks, checkView } from "../block-kit/check.js";
import { issueSocketUrl } from "../delivery/deliver.js";
import { answerCall, type Handler, rateLimitAnswer, refusedAnswer, sendText, urlOf } from "../http.js";
import { fieldOf, isObject, parsed } from "../json.js";
import { redeemCode } from "../oauth/oauth.js";
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
import type { Answer, Channel, Installation, Json, Message, Team, User, View } from "../world/model.js";
import { RateLimited, Refusal } from "../world/refusal.js";
import { findTrigger, findView, openView, publishView, updateView } from "../world/views.js";
import type { World } from "../world/world.js";
import { installApp } from "../world/world.js";
import {
  blocksOf,
  fileAsSlack,
  messageAsSlack,
  messageContent,
  userAsSlack,
  viewAsSlack,
  viewContent,
} from "./content.js";

/** A call of the Web API. */
interface Call {
  readonly world: World;
  /** From the header or the arguments; not verified yet. */
  readonly token: string | undefined;
  /** From the URL and the body, which is a form or JSON. In a form, every argument is a text. */
  readonly args: Json;
}

/** A call by the app in a workspace in which it is installed. */
interface BotCall extends Call {
  readonly team: Team;
  readonly installation: Installation;
}

/** Methods that verify their caller themselves, by name. Their responses have the same form as a bot's. */
type OpenMethods = Readonly<Record<string, (call: Call) => Json>>;

/** Methods that need the bot's token, by name. */
type BotMethods = Readonly<
  Record<
    string,
    {
      /** One of these is needed; an empty list needs none. */
      readonly scopes: readonly string[];
      /** Returns the response without `ok: true`; throws a `Refusal` if Slack would refuse. */
      run(call: BotCall): Json;
    }
  >
>;

/** The arguments of a call: those of the URL, overridden by those of the body. Slack may refuse the body. */
async function argumentsOf(request: IncomingMessage): Promise<Json | Refusal> {
  const inAddress = Object.fromEntries(urlOf(request).searchParams);
  const type = request.headers["content-type"] ?? "";
  const body = await buffer(request);
  if (body.length === 0) return inAddress;
  if (!type.startsWith("application/json")) return { ...inAddress, ...Object.fromEntries(await formOf(body, type)) };
  const json = parsed(body.toString());
  if (typeof json === "string") return new Refusal("invalid_json");
  return isObject(json) ? { ...inAddress, ...json } : new Refusal("json_not_object");
}

/** The fields of a form, in one part or in several. */
async function formOf(body: Buffer, type: string): Promise<Iterable<[string, string | Blob]>> {
  if (!type.startsWith("multipart/form-data")) return new URLSearchParams(body.toString());
  return new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
}

/** A text, or a number as text; undefined if it is missing or empty. */
export function textArg(args: Json, name: string): string | undefined {
  const value = args[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Whether a flag is set; in a form, it is a text. */
function flagArg(args: Json, name: string): boolean {
  return [true, 1, "true", "1"].some((set) => args[name] === set);
}

/** @throws {Refusal} if the argument is missing. */
function neededArg(args: Json, name: string): string {
  const value = textArg(args, name);
  if (value === undefined) throw invalidArguments(`missing required field: ${name}`);
  return value;
}

/** Slack's refusal of arguments, with the reason. */
function invalidArguments(reason: string): Refusal {
  return new Refusal("invalid_arguments", { response_metadata: { messages: [`[ERROR] ${reason}`] } });
}

/** A conversation that the bot can see: a public channel, or any that it is in. */
function channelOf({ team, installation }: Pick<BotCall, "team" | "installation">, id: unknown): Channel {
  const channel = typeof id === "string" ? team.channels.get(id) : undefined;
  if (!channel || (channel.kind !== "public" && !channel.members.has(installation.botUserId))) {
    throw new Refusal("channel_not_found");
  }
  return channel;
}

/** The target of `chat.postMessage`: a conversation, a person's direct conversation, or a channel by its name. */
function addressOf(call: BotCall): Channel {
  const { world, team, installation, args } = call;
  const address = textArg(args, "channel");
  if (address === undefined) throw new Refusal("channel_not_found");
  const user = team.users.get(address);
  if (user && !user.isBot) return directChannel(world, team, user.id, installation.botUserId);
  const name = address.replace(/^#/, "");
  const named = [...team.channels.values()].find((channel) => channel.kind !== "im" && channel.name === name);
  return channelOf(call, named?.id ?? address);
}

/**
 * Refuses writing in an archived channel, and in one that the bot is not in.
 *
 * @param publicScope The scope that allows writing in public channels without being a member.
 */
function refuseOutsider({ installation }: BotCall, channel: Channel, publicScope?: string): void {
  if (channel.isArchived) throw new Refusal("is_archived");
  const isMember = channel.members.has(installation.botUserId);
  const mayFromOutside = publicScope !== undefined && installation.scopes.includes(publicScope);
  if (!isMember && !mayFromOutside) throw new Refusal("not_in_channel");
}

/** Refuses a call if the app has none of these scopes; an empty list needs none. */
function refuseWithoutScope({ scopes: provided }: Installation, scopes: readonly string[]): void {
  if (scopes.length === 0 || scopes.some((scope) => provided.includes(scope))) return;
  throw new Refusal("missing_scope", { needed: scopes.join(","), provided: provided.join(",") });
}

/** @throws {Refusal} `user_not_found` */
function personOf(team: Team, id: unknown): User {
  const user = typeof id === "string" ? team.users.get(id) : undefined;
  if (!user) throw new Refusal("user_not_found");
  return user;
}

/** The methods of a bot. */
export const botMethods: BotMethods = {
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
      world.rates?.countPost(channel);
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
      world.rates?.countUpdate(team);
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
function validateBlocks({ args }: Call): Json {
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

/** A method that responds with the view that it shows. */
function showing(show: (call: BotCall) => View): BotMethods[string] {
  return { scopes: [], run: (call) => ({ view: viewAsSlack(call.world, call.team, show(call)) }) };
}

/** The methods without a bot token. */
export const openMethods: OpenMethods = {
  "blocks.validate": validateBlocks,
  /** Needs the app-level token, which does not belong to a workspace. */
  "apps.connections.open": ({ world, token }) => {
    if (token === undefined) throw new Refusal("not_authed");
    if (token !== world.app.appToken) {
      throw new Refusal(token.startsWith("xapp-") ? "invalid_auth" : "not_allowed_token_type");
    }
    return { url: issueSocketUrl(world) };
  },
  "oauth.v2.access": ({ world, args }) => {
    if (args.client_id !== world.app.clientId) throw new Refusal("invalid_client_id");
    if (args.client_secret !== world.app.clientSecret) throw new Refusal("bad_client_secret");
    const { teamId, userId, scopes } = redeemCode(world, args.code, args.redirect_uri);
    const team = world.teams.get(teamId);
    if (!team) throw new Refusal("invalid_code");
    const { botToken, botUserId } = installApp(world, team, userId, scopes);
    return {
      app_id: world.app.id,
      authed_user: { id: userId },
      scope: scopes.join(","),
      token_type: "bot",
      access_token: botToken,
      bot_user_id: botUserId,
      team: { id: team.id, name: team.name },
      enterprise: null,
      is_enterprise_install: false,
    };
  },
};

/** The path of the Web API. */
export const API_PATH = "/api/";

type Holder = Pick<BotCall, "team" | "installation">;

/** Handles a call of the Web API, and records it in the transcript. */
export const handleCall: Handler = async (world, request, response) => {
  const name = urlOf(request).pathname.slice(API_PATH.length);
  const read = await argumentsOf(request);
  const args = read instanceof Refusal ? {} : read;
  const token = tokenOf(request, args);
  const holder = holderOf(world, token);
  // Slack doesn't show these to developers either.
  const { token: _, client_secret: __, ...shown } = args;
  const users = holder ? [holder.installation.botUserId] : [];
  await answerCall(world, response, { teamId: holder?.team.id, name, users, args: shown }, () =>
    answerTo(name, read instanceof Refusal ? read : { world, token, args }, holder),
  );
};

function answerTo(name: string, call: Call | Refusal, holder: Holder | undefined): Answer {
  const headers = scopeHeaders(name, holder);
  try {
    if (call instanceof Refusal) throw call;
    return { status: 200, headers, body: { ok: true, ...run(name, call, holder) } };
  } catch (error) {
    if (error instanceof RateLimited) return rateLimitAnswer(error.retryAfter);
    if (error instanceof Refusal) return { ...refusedAnswer(200, error.error, error.extra), headers };
    throw error;
  }
}

function run(name: string, call: Call, holder: Holder | undefined): Json {
  const open = openMethods[name];
  if (open) return open(call);
  const method = botMethods[name];
  if (!method) {
    throw new Refusal("unknown_method", { req_method: name, detail: `fake-slack does not model ${name}` });
  }
  if (!holder) throw wrongToken(call);
  refuseWithoutScope(holder.installation, method.scopes);
  return method.run({ ...call, ...holder });
}

function scopeHeaders(name: string, holder: Holder | undefined): Readonly<Record<string, string>> {
  const method = botMethods[name];
  if (!method || !holder) return {};
  return {
    "x-oauth-scopes": holder.installation.scopes.join(","),
    "x-accepted-oauth-scopes": method.scopes.join(","),
  };
}

function tokenOf(request: IncomingMessage, args: Json): string | undefined {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  return bearer ?? (typeof args.token === "string" ? args.token : undefined);
}

/** The workspace, and the installation in it, that a token belongs to. */
function holderOf(world: World, token: string | undefined): Holder | undefined {
  for (const team of world.teams.values()) {
    const { installation } = team;
    if (installation && installation.botToken === token) return { team, installation };
  }
  return undefined;
}

function wrongToken({ world, token }: Call): Refusal {
  if (token === undefined || token === "") return new Refusal("not_authed");
  if (token === world.app.appToken) return new Refusal("not_allowed_token_type");
  return new Refusal(world.deadTokens.get(token) ?? "invalid_auth");
}
