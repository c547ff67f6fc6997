import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { type CodeBlock, takeDocument } from "./document.js";
import { Shell } from "./shell.js";
import { ask, expectUnderstood, startReceiver, startSlack, takeCaddy } from "./world.js";

const BOT = "npx -y pnpm@12 media-bot";

takeDocument("docs/slack-setup.md", async (trial) => {
  const world = await startSlack(trial.atEnd);
  const { slack, team, ann, general } = world;
  const { app } = slack;
  const shell = await Shell.open(trial, {
    settings: {
      "media-bot": { SLACK_API_URL: slack.apiUrl },
      "media-ops": { MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true" },
    },
    runsUntil: "Who may create tokens",
  });
  const botUrl = `http://127.0.0.1:${shell.ports.bot}`;
  const key = (await shell.run("npx -y pnpm@12 media-ops projects create demo")).match(/mo_[\w-]+/)?.[0] ?? "";
  await shell.run("npx -y pnpm@12 media-ops serve");
  // A failed webhook for the commands to find.
  const receiver = await startReceiver(trial.atEnd, { status: 500, body: "{}" });
  await shell.run(`npx -y pnpm@12 media-ops webhooks set demo event ${receiver.url}/event`);
  await shell.run("npx -y pnpm@12 media-ops webhooks test demo event || true");

  shell.put("SLACK_APP_TOKEN=xapp-…", `SLACK_APP_TOKEN=${app.appToken}`);
  shell.put("SLACK_BOT_TOKEN=xoxb-…", `SLACK_BOT_TOKEN=${team.botToken}`);
  shell.put("SLACK_SIGNING_SECRET=…", `SLACK_SIGNING_SECRET=${app.signingSecret}`);
  shell.put("SLACK_CLIENT_ID=…", `SLACK_CLIENT_ID=${app.clientId}`);
  shell.put("SLACK_CLIENT_SECRET=…", `SLACK_CLIENT_SECRET=${app.clientSecret}`);
  shell.put("MEDIA_API_KEY=mo_…", `MEDIA_API_KEY=${key}`);
  // Browsers are redirected back to this URL.
  shell.put("BOT_PUBLIC_URL=https://media-bot.example", `BOT_PUBLIC_URL=${botUrl}`);

  /** Delivers Slack's requests the way these settings expect. */
  function reachBot({ text }: CodeBlock): void {
    if (text.includes("SLACK_APP_TOKEN")) delete app.requestUrl;
    else app.requestUrl = `${botUrl}/slack/events`;
    app.redirectUrl = `${botUrl}/slack/oauth_redirect`;
  }

  return {
    caddy: takeCaddy,

    async sh(block) {
      const { section, text } = block;
      if (text.includes(BOT)) {
        // Each block is an alternative way to start.
        await shell.newTerminal();
        reachBot(block);
        await shell.paste(block);
      } else {
        // The block sets variables before the bot starts.
        await shell.paste(block);
        await shell.run(BOT);
      }
      if (section === "Many workspaces") {
        const joined = slack.addWorkspace({ name: "other", installed: false });
        const { status } = await slack.allow(`${botUrl}/slack/install`, { by: joined.addUser({ name: "bob" }) });
        expect(status).toBe(200);
      } else if (text.includes("MEDIA_PROJECT_ID=demo")) {
        await ask(world, "/media projects", "demo");
      } else {
        await ask(world, "/media help", "/media logs");
      }
    },

    async slack({ text }) {
      for (const line of text.split("\n")) {
        if (line !== "/media connect") {
          await ask(world, line, "500");
          continue;
        }
        expectUnderstood(line);
        await ann.command(line, { in: general });
        await slack.until(() => ann.modal?.submit);
        const url = `http://127.0.0.1:${shell.ports.service}`;
        await ann.submit({ Address: url, Project: "demo", "API key": key });
        await slack.until(() => ann.modal?.title === "Connected");
        await ann.close();
      }
    },

    // The token policy. The bot validates it at startup.
    async json({ text }) {
      await writeFile(join(shell.folder, "policy.json"), text);
      await shell.run(`export BOT_TOKEN_POLICY=policy.json\n${BOT}`);
      await shell.stopAll();
    },
  };
});
