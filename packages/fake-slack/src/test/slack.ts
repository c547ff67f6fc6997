import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { serveHttp } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";
import type { OutgoingDelivery } from "../delivery/deliver.js";
import { issueResponseUrl } from "../delivery/response-url.js";
import { listen } from "../server.js";
import type { Channel, Message, Patience, User } from "../world/model.js";
import { addChannel, addTeam, addUser, installApp, World } from "../world/world.js";

/** A world that serves HTTP, with a clock that can be moved forward. */
export async function startSlack(patience: Partial<Patience> = {}) {
  let passedMs = 0;
  const world = new World({
    app: {
      id: "A0000000001",
      clientId: "1.2",
      clientSecret: "client secret",
      signingSecret: "signing secret",
      appToken: "xapp-1",
      scopes: ["commands", "chat:write"],
      commands: ["/media"],
      escapesCommands: false,
      messageShortcuts: [],
      requestUrl: undefined,
      redirectUrl: undefined,
    },
    now: () => Date.now() + passedMs,
    patience: { answerWithinMs: 3000, wait: () => Promise.resolve(), ...patience },
  });
  await listen(world, 0);
  onTestFinished(() => world.stop());
  return {
    world,
    stop: () => world.stop(),
    pass: (ms: number) => {
      passedMs += ms;
    },
    ...addWorkspace(world, "acme"),
  };
}

/** A workspace with the app, and a channel with two people but without the bot. */
export function addWorkspace(world: World, name: string) {
  const team = addTeam(world, name);
  const ann = addUser(world, team, { name: "ann" });
  const bob = addUser(world, team, { name: "bob" });
  const channel = addChannel(world, team, { name: "general", kind: "public", members: [ann.id, bob.id] });
  const installation = installApp(world, team, ann.id);
  return { team, ann, bob, channel, installation };
}

export function command(world: World, user: User, channel: Channel, text = ""): OutgoingDelivery {
  return {
    kind: "slash_command",
    teamId: user.teamId,
    payload: {
      command: "/media",
      text,
      team_id: user.teamId,
      channel_id: channel.id,
      user_id: user.id,
      user_name: user.name,
      api_app_id: world.app.id,
      response_url: issueResponseUrl(world, {
        teamId: user.teamId,
        channelId: channel.id,
        userId: user.id,
        origin: { kind: "slash_command" },
      }),
    },
  };
}

export function click(world: World, user: User, message: Message, actionId: string): OutgoingDelivery {
  const { ts, channelId } = message;
  return {
    kind: "interactive",
    teamId: user.teamId,
    payload: {
      type: "block_actions",
      team: { id: user.teamId },
      user: { id: user.id },
      channel: { id: channelId },
      container: { type: "message", message_ts: ts, channel_id: channelId },
      actions: [{ type: "button", action_id: actionId, block_id: "block" }],
      response_url: issueResponseUrl(world, {
        teamId: user.teamId,
        channelId,
        userId: user.id,
        origin: { kind: "message", ts },
      }),
    },
  };
}

export function submission(user: User): OutgoingDelivery {
  return {
    kind: "interactive",
    teamId: user.teamId,
    payload: {
      type: "view_submission",
      team: { id: user.teamId },
      user: { id: user.id },
      view: { callback_id: "connect", state: { values: {} } },
    },
  };
}

export function homeOpened(user: User): OutgoingDelivery {
  return { kind: "event", teamId: user.teamId, payload: { type: "app_home_opened", user: user.id, tab: "home" } };
}

interface TakenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface StubAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Starts an app that records its requests, and responds as configured; it repeats the last response. */
export async function startStubApp(world: World, answers: readonly (StubAnswer | "hang" | "break")[]) {
  const taken: TakenRequest[] = [];
  const { url, close: stop } = await serveHttp(async (request, response) => {
    const answer = answers[Math.min(taken.length, answers.length - 1)];
    taken.push({ headers: request.headers, body: await text(request) });
    if (answer === "break") request.socket.destroy();
    else if (answer !== "hang" && answer) response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  onTestFinished(stop);
  world.app.requestUrl = `${url}/slack/events`;
  return { taken, stop };
}
