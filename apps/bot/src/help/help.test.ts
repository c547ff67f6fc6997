import { buttonsOf, checkBlocks, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { describe, expect, it } from "vitest";
import { language } from "../language.js";
import { startStage } from "../test/stage.js";

const commands = language.commands.map(({ name }) => name);
const topics = [...commands, "sessions", "connections", "api", "media-api", "webhooks", "events", "filters", "times"];

const stage = await startStage({ atEnd: closeAfterAll() });

describe("/media help", () => {
  it("shows every command with an example, and links to more help", async () => {
    const { ann } = stage;
    const page = await stage.ask(ann, "/media help");
    for (const name of commands) expect(textOf(page)).toContain(`/media ${name}`);
    const more = await stage.press(page, "Help on filters");
    expect(textOf(more)).toContain("A filter is a field, a comparison and a value.");
  });

  it.each(topics)("explains %s within Slack's limits, and its examples run", async (topic) => {
    const { ann } = stage;
    const page = await stage.ask(ann, `/media help ${topic}`);
    expect(checkBlocks(page.blocks, "message")).toEqual({ ok: true });
    expect(textOf(page)).toContain(language.help(topic).about);
    // All are known to parse; one of each page is run.
    for (const { text, value } of buttonsOf(page).slice(0, 1)) {
      const answer = await stage.press(page, text);
      expect(textOf(answer), value).toMatch(
        /project demo|demo at|One project|Nothing is watched yet|Audit log|The file audit|Access tokens|deliveries of demo|endpoints of demo/,
      );
    }
  });

  it("has no button that creates a token or changes anything", async () => {
    for (const topic of ["token", "use", "forget", "connect", "revoke", "resend", "enable", "disconnect"]) {
      expect(buttonsOf(await stage.ask(stage.ann, `/media help ${topic}`))).toEqual([]);
    }
  });
});
