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
import {
  escapeMrkdwn,
  formatRevoked,
  formatTokens,
  type SlackBlock,
  type SlackPerson,
} from "@media-ops/formatters/slack";
import type { IssuedToken } from "@media-ops/sdk";
import type { InputBlock } from "@slack/types";
import type { ActRecord } from "../audit/audited.js";
import type { SentForm } from "../features.js";
import { type CommandNamed, language } from "../language.js";
import { mayRevoke } from "../policy/decide.js";
import type { Member } from "../policy/policy.js";
import { nothingIfLacking, openProject } from "../projects/open-project.js";
import { channelIdOf } from "../projects/words.js";
import type { Request } from "../request.js";
import { type Draft, optionOf, plainSection, row, runButton } from "../slack/blocks.js";
import { input } from "../slack/views.js";
import {
  type Act,
  actButton,
  announceAct,
  MOST_IN_WINDOW,
  MOST_SHOWN,
  operationOptions,
  type Prospect,
  requesterOf,
  requestOf,
  type Scene,
  sceneOf,
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
  const { now, timeZone, config, member } = request;
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  const limit = Math.min(command.last ?? MOST_SHOWN, MOST_SHOWN);
  const listed = requestOf(tokensRequest({ ...command, last: limit }, operationOptions(project, request)));
  const { need } = sceneOf(project, request);
  const found = await need("tokens", (client, options) => client.tokens.list(listed, options));
  const person = await member();
  const named = { ...command, in: project.id };
  const { blocks, text } = formatTokens(found.tokens, {
    now: now(),
    timeZone,
    title: capital(language.describe(command, { project: project.id })),
    hasMore: found.next_cursor !== undefined,
    atMost: limit,
    nameOf: nameOfIn(request),
    button: (token) => {
      const isUsable = token.state === "active" || token.state === "not-yet-valid";
      if (!isUsable || !mayRevoke(config.policy, person, ownerOf(token, request))) return undefined;
      return actButton("Revoke…", String(found.tokens.indexOf(token)), {
        name: "revoke",
        id: token.jwt_id,
        in: project.id,
      });
    },
  });
  const { all, ...usable } = named;
  return {
    blocks: [
      ...blocks,
      ...row(
        runButton("Refresh", language.write(named), { id: "refresh" }),
        all === true
          ? runButton("Only those that can be used", language.write(usable), { id: "usable" })
          : runButton("Revoked and ended, too", language.write({ ...named, all: true }), { id: "all" }),
      ),
    ],
    text,
  };
}

/** The id of the person in this workspace who requested a token. */
function ownerOf({ requested_by }: IssuedToken, request: Pick<Request, "teamId" | "userId">): string | undefined {
  return requested_by === requesterOf(request) ? request.userId : undefined;
}

/** The box of the window that disconnects clients, too. */
const DISCONNECT = "disconnect";

/** `/media revoke`: ends a token, or the tokens of a channel. */
export function revoking(command: CommandNamed<"revoke">): Act {
  const { id, channel = "", in: project = "" } = command;
  return {
    title: id === undefined ? "Revoke tokens" : "Revoke a token",
    submit: "Revoke",
    right: "revoke",
    doing: id === undefined ? "revoke tokens" : "revoke this token",
    record: { action: "token.revoke", subject: id ?? channelIdOf(channel, project) },
    async isAllowedAnyway(member: Member, scene: Scene) {
      const [token] = id === undefined ? [] : await tokensOf(command, scene);
      const { request } = scene;
      return token !== undefined && mayRevoke(request.config.policy, member, ownerOf(token, request));
    },
    look: (scene) => lookAtTokens(command, scene),
    run: (scene, record, values) => revoke(command, scene, record, values),
  };
}

/** The tokens that a command concerns, with those that have ended if it names one. */
async function tokensOf(command: CommandNamed<"revoke">, { project, request, need }: Scene): Promise<IssuedToken[]> {
  const body = requestOf(revokeRequest(command, operationOptions(project, request)));
  const found = await need("tokens", (client, options) => client.tokens.list(revocableTokensRequest(body), options));
  return found.tokens.filter((token) => isRevokedBy(body, token));
}

async function lookAtTokens(command: CommandNamed<"revoke">, scene: Scene): Promise<Prospect> {
  const { id } = command;
  const { request, project } = scene;
  const found = await tokensOf(command, scene);
  const title = found.length === 1 ? "This token would end" : "These tokens would end";
  const { blocks } = formatTokens(found, {
    now: request.now(),
    timeZone: request.timeZone,
    title: `${found.length === 0 ? "No known token would end" : title}, project ${project.id}`,
    hasMore: found.length >= MOST_LISTED,
    atMost: MOST_IN_WINDOW,
    nameOf: nameOfIn(request),
  });
  const [token] = found;
  const nothing = id === undefined || !token ? undefined : nothingToRevoke(command, token);
  if (nothing !== undefined) return { blocks: [plainSection(nothing), ...blocks.slice(1)], isPossible: false };
  return { blocks: [...blocks, await notesOn(command, found.length, scene)], field: disconnectBox(command) };
}

async function notesOn({ id, channel }: CommandNamed<"revoke">, found: number, scene: Scene): Promise<SlackBlock> {
  const notes = [
    id !== undefined && found === 0
      ? "This service has not issued this token, or it ended long ago. Revoking it refuses it nevertheless."
      : "",
    channel === undefined
      ? ""
      : `Tokens for every channel that were issued before then are refused in ${channel}, too.${await connectedText(channel, scene)}`,
    "It takes at most a second, and can't be undone.",
  ];
  return plainSection(notes.filter(Boolean).join(" "));
}

/** How many are connected in a channel, with or without such a token; empty if the service can't say that. */
async function connectedText(channel: string, { project, ask }: Scene): Promise<string> {
  const wanted = { project_id: project.id, channel_id: channelIdOf(channel, project.id), limit: 1 };
  const found = await ask((client, options) => client.live(wanted, options)).catch(nothingIfLacking);
  if (!found) return "";
  const count = found.connections;
  return ` ${formatCount(count)} ${count === 1 ? "connection is" : "connections are"} there now.`;
}

function disconnectBox({ id, disconnect }: CommandNamed<"revoke">): InputBlock {
  const such = id === undefined ? "such a token" : "it";
  const option = optionOf(DISCONNECT, `Disconnect the clients that are connected with ${such}, too`);
  const initial = disconnect === true ? { initial_options: [option] } : {};
  const element = { type: "checkboxes" as const, options: [option], ...initial };
  return input(DISCONNECT, "Their connections", element, {
    optional: true,
    hint: "Otherwise, who is connected stays connected.",
  });
}

async function revoke(
  command: CommandNamed<"revoke">,
  scene: Scene,
  record: ActRecord,
  values: SentForm["values"],
): Promise<Draft> {
  const { project, request, need } = scene;
  const { now, timeZone } = request;
  const { disconnect: _asked, ...rest } = command;
  const chosen = values[DISCONNECT] === DISCONNECT ? { ...rest, disconnect: true as const } : rest;
  const body = requestOf(revokeRequest(chosen, operationOptions(project, request)));
  const revoked = await need("tokens", (client, options) => client.tokens.revoke(body, options));
  const { tokens: count, disconnected, not_disconnected: left } = revoked;
  const connections =
    disconnected === undefined ? "connections stayed" : `${disconnected} disconnected, ${left ?? 0} not`;
  record.note({ detail: `${count} known, ${connections}` });
  announceAct(record, scene, `revoked ${body.jwt_id === undefined ? "the tokens of a channel" : "an access token"}`, [
    body.jwt_id === undefined
      ? ["Channel", escapeMrkdwn(body.channel_id ?? "")]
      : ["Token id", escapeMrkdwn(body.jwt_id)],
    ["Known tokens", formatCount(count)],
    ["Connections", connections],
  ]);
  const { blocks, text } = formatRevoked(revoked, { now: now(), timeZone });
  const list = language.write({ name: "tokens", in: project.id });
  return { blocks: [...blocks, ...row(runButton("Tokens", list, { id: "tokens" }))], text };
}
