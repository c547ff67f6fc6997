import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type CodeBlock, root, takeDocument } from "./document.js";
import { Shell } from "./shell.js";
import { ask, expectUnderstood, startSlack, takeCaddy, typeOnPage } from "./world.js";

takeDocument("README.md", async (trial) => {
  const world = await startSlack(trial.atEnd);
  const { slack, team } = world;
  const shell = await Shell.open(trial, {
    settings: { "media-bot": { SLACK_API_URL: slack.apiUrl } },
    // The sections before this one talk to the programs that `start` runs.
    runsUntil: "Use it in Slack",
  });
  shell.put("SLACK_APP_TOKEN=xapp-…", `SLACK_APP_TOKEN=${slack.app.appToken}`);
  shell.put("SLACK_BOT_TOKEN=xoxb-…", `SLACK_BOT_TOKEN=${team.botToken}`);

  return {
    async sh(block) {
      if (block.text.includes("docker compose")) expectKnownToCompose(block);
      const printed = await shell.paste(block);
      if (block.text.includes("failing.mjs")) expect(printed).toMatch(/^\S+Z (0|[45]\d\d) http/m);
      if (block.text.includes("check.mjs")) expect(printed).toContain("channel_id: 'lobby@demo'");
      if (block.text.includes("pnpm@12 media-bot")) await ask(world, "/media help", "/media logs");
    },
    caddy: takeCaddy,
    // The diagram of the components.
    text: ({ text }) => expect(text).toContain("service"),
    async slack({ text }) {
      for (const line of text.split("\n")) {
        expectUnderstood(line);
        await typeOnPage(`http://127.0.0.1:${shell.ports.page}`, line, "project demo");
      }
    },
  };
});

/** Fails if a variable has no effect because compose.yaml does not read it. */
function expectKnownToCompose({ text }: CodeBlock): void {
  const compose = readFileSync(join(root, "compose.yaml"), "utf8");
  const [, given = ""] = /^export (.+)$/m.exec(text) ?? [];
  const names = [...given.matchAll(/(\w+)=/g)].map(([, name]) => name);
  expect(names.filter((name) => !compose.includes(`\${${name}`))).toEqual([]);
}
