import { text } from "node:stream/consumers";
import { answerCall, type Handler, refusedAnswer as refused, urlOf } from "../http.js";
import { isObject, parsed } from "../json.js";
import { textArg } from "../web-api/api.js";
import { messageContent } from "../web-api/content.js";
import { deleteMessage, findMessage, postMessage, threadPosition, updateMessage } from "../world/messages.js";
import type { Answer, IssuedUrl, Json, ResponseUrl } from "../world/model.js";
import { Refusal } from "../world/refusal.js";
import { newSecret, type World } from "../world/world.js";

const PATH = "/response/";
const MAX_USES = 5;
const LIFETIME_MS = 30 * 60_000;

/** Issues a URL for the app's responses to a command, shortcut, click or form, even in a channel that it is not in. */
export function issueResponseUrl(world: World, responseUrl: ResponseUrl): string {
  const secret = newSecret(32);
  world.responseUrls.set(secret, { ...responseUrl, issuedAt: world.now(), uses: 0 });
  return `${world.url}${PATH}${secret}`;
}

/** Answers `POST /response/…`. */
export const answerResponseUrl: Handler = async (world, request, response) => {
  const issued = world.responseUrls.get(urlOf(request).pathname.slice(PATH.length));
  const args = parsed(await text(request));
  const installation = issued && world.teams.get(issued.teamId)?.installation;
  const users = installation ? [installation.botUserId] : [];
  await answerCall(world, response, { teamId: issued?.teamId, name: "response_url", users, args }, () =>
    answerTo(world, request.method, issued, args),
  );
};

function answerTo(world: World, method: string | undefined, issued: IssuedUrl | undefined, args: unknown): Answer {
  if (method !== "POST") return refused(405, "method_not_allowed");
  if (issued === undefined || world.now() - issued.issuedAt > LIFETIME_MS) return refused(404, "expired_url");
  if (issued.uses >= MAX_USES) return refused(404, "used_url");
  if (!isObject(args)) return refused(400, "invalid_payload");
  try {
    respond(world, issued, args);
  } catch (error) {
    if (error instanceof Refusal) return refused(400, error.error, error.extra);
    throw error;
  }
  issued.uses += 1;
  return { status: 200, headers: {}, body: "ok" };
}

function respond(world: World, { teamId, channelId, userId, origin }: ResponseUrl, args: Json): void {
  const team = world.teams.get(teamId);
  const channel = team?.channels.get(channelId);
  if (!team?.installation || !channel) throw new Refusal("no_service");
  if (channel.isArchived) throw new Refusal("is_archived");

  const original = origin.kind === "message" ? findMessage(channel, origin.ts) : undefined;
  if (args.delete_original === true && origin.kind === "message") {
    if (original) deleteMessage(world, channel, original);
    return;
  }
  const content = messageContent(world, args);
  if (args.replace_original === true && original) {
    updateMessage(world, channel, original, content);
    return;
  }
  const isPublic = args.response_type === "in_channel";
  postMessage(world, channel, {
    ...content,
    userId: team.installation.botUserId,
    onlyFor: isPublic ? undefined : userId,
    ...(isPublic && threadPosition(channel, textArg(args, "thread_ts"))),
  });
}
