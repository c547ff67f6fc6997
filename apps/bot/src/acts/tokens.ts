import {
  capital,
  isRevokedBy,
  MOST_LISTED,
  nothingToRevoke,
  revocableTokensRequest,
  revokeRequest,
  tokensRequest,
} from "@media-ops/commands";
import { formatCount } from "@media-ops/formatters";
import { escapeMrkdwn, formatRevoked, formatTokens, type SlackPerson } from "@media-ops/formatters/slack";
import type { IssuedToken } from "@media-ops/sdk";
import { type CommandNamed, language } from "../language.js";
import { mayRevoke } from "../policy/policy.js";
import { nothingIfLacking, openProjectOf } from "../projects/open-project.js";
import { channelIdOf } from "../projects/words.js";
import type { Request } from "../request.js";
import { type Draft, optionOf, plainSection } from "../slack/answer.js";
import { input } from "../slack/views.js";
import {
  type Act,
  actButton,
  announceAct,
  commandButton,
  MOST_IN_WINDOW,
  MOST_SHOWN,
  operationOptions,
  requesterOf,
  requestOf,
  type Scene,
  sceneOf,
  withControls,
} from "./act.js";

/** Names who requested something: a mention for people of this workspace. */
const nameOfIn =
  ({ teamId }: Pick<Request, "teamId">) =>
  (requestedBy: string): string | SlackPerson => {
    const [, userId] = requestedBy.split(`slack:${teamId}/`);
    return userId === undefined ? "" : { userId };
  };

/** `/media tokens`: which access tokens are out, each with a button that revokes it, for those who may. */
export async function tokens(command: CommandNamed<"tokens">, request: Request): Promise<Draft> {
  const project = await openProjectOf(command, request);
  const scene = sceneOf(project, request);
  const limit = Math.min(command.last ?? MOST_SHOWN, MOST_SHOWN);
  const listed = requestOf(tokensRequest({ ...command, last: limit }, operationOptions(scene)));
  const found = await scene.need("tokens", (client, options) => client.tokens.list(listed, options));
  const person = await request.member();
  const message = formatTokens(found.tokens, {
    now: request.now(),
    timeZone: request.timeZone,
    title: capital(language.describe(command, { project: project.id })),
    hasMore: found.next_cursor !== undefined,
    atMost: limit,
    nameOf: nameOfIn(request),
    button: (token) => {
      const isUsable = token.state === "active" || token.state === "not-yet-valid";
      if (!isUsable || !mayRevoke(request.config.policy, person, ownerOf(token, request))) return undefined;
      const revoke = { name: "revoke", id: token.jwt_id, in: project.id } as const;
      return actButton("Revoke…", String(found.tokens.indexOf(token)), revoke);
    },
  });
  const named = { ...command, in: project.id };
  const { all, ...usable } = named;
  return withControls(
    message,
    commandButton("Refresh", "refresh", named),
    all === true
      ? commandButton("Only those that can be used", "usable", usable)
      : commandButton("Revoked and ended, too", "all", { ...named, all: true }),
  );
}

function ownerOf({ requested_by }: IssuedToken, request: Pick<Request, "teamId" | "userId">): string | undefined {
  return requested_by === requesterOf(request) ? request.userId : undefined;
}

const DISCONNECT = "disconnect";

/** `/media revoke`: ends a token, or the tokens of a channel. */
export function revoking(command: CommandNamed<"revoke">): Act {
  const { id, channel, in: projectId = "", disconnect } = command;
  /** The tokens that it concerns, with those that have ended if it names one. */
  const concerned = async (scene: Scene): Promise<IssuedToken[]> => {
    const body = requestOf(revokeRequest(command, operationOptions(scene)));
    const list = revocableTokensRequest(body);
    const found = await scene.need("tokens", (client, options) => client.tokens.list(list, options));
    return found.tokens.filter((token) => isRevokedBy(body, token));
  };
  return {
    title: id === undefined ? "Revoke tokens" : "Revoke a token",
    submit: "Revoke",
    right: "revoke",
    doing: id === undefined ? "revoke tokens" : "revoke this token",
    record: { action: "token.revoke", subject: id ?? channelIdOf(channel ?? "", projectId) },
    async isAllowedAnyway(member, scene) {
      const [token] = id === undefined ? [] : await concerned(scene);
      const { request } = scene;
      return token !== undefined && mayRevoke(request.config.policy, member, ownerOf(token, request));
    },
    async look(scene) {
      const { request, project } = scene;
      const found = await concerned(scene);
      const what = found.length === 0 ? "No known token" : found.length === 1 ? "This token" : "These tokens";
      const { blocks } = formatTokens(found, {
        now: request.now(),
        timeZone: request.timeZone,
        title: `${what} would end, project ${project.id}`,
        hasMore: found.length >= MOST_LISTED,
        atMost: MOST_IN_WINDOW,
        nameOf: nameOfIn(request),
      });
      const [token] = found;
      const nothing = id === undefined || !token ? undefined : nothingToRevoke(command, token);
      if (nothing !== undefined) return { blocks: [plainSection(nothing), ...blocks.slice(1)], isPossible: false };
      const notes = [
        ...(id !== undefined && !token
          ? ["This service has not issued this token, or it ended long ago. Revoking it refuses it nevertheless."]
          : []),
        ...(channel === undefined
          ? []
          : [
              `Tokens for every channel that were issued before then are refused in ${channel}, too.${await connectedText(channel, scene)}`,
            ]),
        "It takes at most a second, and can't be undone.",
      ];
      const such = id === undefined ? "such a token" : "it";
      const option = optionOf(DISCONNECT, `Disconnect the clients that are connected with ${such}, too`);
      const initial = disconnect === true ? { initial_options: [option] } : {};
      const box = { type: "checkboxes" as const, options: [option], ...initial };
      const hint = "Otherwise, who is connected stays connected.";
      const field = input(DISCONNECT, "Their connections", box, { optional: true, hint });
      return { blocks: [...blocks, plainSection(notes.join(" "))], field };
    },
    async run(scene, record, values) {
      const { project, request, need } = scene;
      const { disconnect: _asked, ...rest } = command;
      const chosen = values[DISCONNECT] === DISCONNECT ? { ...rest, disconnect: true as const } : rest;
      const body = requestOf(revokeRequest(chosen, operationOptions(scene)));
      const revoked = await need("tokens", (client, options) => client.tokens.revoke(body, options));
      const { tokens: count, disconnected, not_disconnected: left } = revoked;
      const connections =
        disconnected === undefined ? "connections stayed" : `${disconnected} disconnected, ${left ?? 0} not`;
      record.note({ detail: `${count} known, ${connections}` });
      const { jwt_id, channel_id = "" } = body;
      announceAct(record, scene, `revoked ${jwt_id === undefined ? "the tokens of a channel" : "an access token"}`, [
        jwt_id === undefined ? ["Channel", escapeMrkdwn(channel_id)] : ["Token id", escapeMrkdwn(jwt_id)],
        ["Known tokens", formatCount(count)],
        ["Connections", connections],
      ]);
      return withControls(
        formatRevoked(revoked, { now: request.now(), timeZone: request.timeZone }),
        commandButton("Tokens", "tokens", { name: "tokens", in: project.id }),
      );
    },
  };
}

/** How many are connected in a channel, with or without such a token; empty if the service can't say that. */
async function connectedText(channel: string, { project, ask }: Scene): Promise<string> {
  const wanted = { project_id: project.id, channel_id: channelIdOf(channel, project.id), limit: 1 };
  const found = await ask((client, options) => client.live(wanted, options)).catch(nothingIfLacking);
  if (!found) return "";
  const count = found.connections;
  return ` ${formatCount(count)} ${count === 1 ? "connection is" : "connections are"} there now.`;
}
