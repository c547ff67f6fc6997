import { onTestFinished } from "vitest";
import { listen } from "../server.js";
import type { Patience } from "../world/model.js";
import { addChannel, addTeam, addUser, installApp } from "../world/teams.js";
import { World } from "../world/world.js";

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
