import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { roomsIn, startStage } from "../test/stage.js";

const room = await roomsIn(startStage);

it.each(["", "connect ", "token ", "logs webhooks url~", "help "])(
  "does not repeat or use a key that is typed after '%s'",
  async (words) => {
    const stage = room();
    const { apiKey } = stage.service;
    const message = await stage.ask(stage.bob, `/media ${words}${apiKey}`);
    const text = textOf(message);
    expect(text).toContain("What you typed contains a key or a token, so nothing was done with it.");
    expect(JSON.stringify(message)).not.toContain(apiKey.slice(0, 30));
    expect(text).toContain("Revoke it");
    expect(stage.bob.modal).toBeUndefined();
    expect(stage.logged()).not.toContain(apiKey);
  },
);
