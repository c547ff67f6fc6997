import { buffer } from "node:stream/consumers";
import { checkBlocks, checkView } from "../../block-kit/check.js";
import { type Handler, sendText, urlOf } from "../../http.js";
import { fieldOf, isObject, parsed } from "../../json.js";
import { Refusal } from "../../refusal.js";
import { findMessage, postMessage, takeUpload, UPLOAD_PATH, updateMessage } from "../../world/messages.js";
import type { Json } from "../../world/model.js";
import { countPost, countUpdate } from "../../world/rates.js";
import { publicReplies, threadPosition } from "../../world/threads.js";
import { flagArg, formOf, invalidArguments, neededArg, textArg } from "../arguments.js";
import { fileAsSlack, messageAsSlack } from "../as-slack.js";
import { blocksOf, messageContent } from "../content.js";
import { addressOf, channelOf, refuseOutsider } from "../lookup.js";
import type { BotMethods, Call } from "../method.js";

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
