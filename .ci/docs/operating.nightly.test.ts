import { readFileSync } from "node:fs";
import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDatabase, takeServer } from "@media-ops/testing/server";
import { expect } from "vitest";
import { parse } from "yaml";
import { root, takeDocument } from "./document.js";
import { Shell } from "./shell.js";
import { startReceiver, takeCaddy } from "./world.js";

takeDocument("docs/operating.md", async (trial) => {
  const receiver = await startReceiver(trial.atEnd, { status: 200, body: '{"allowed":true}' });
  const shell = await Shell.open(trial, {
    // The receiver runs on this machine.
    settings: { "media-ops": { MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true" } },
  });
  shell.put("https://demo.example", receiver.url);
  shell.put("media-ops keys revoke 0123456789abcdef", "media-ops keys revoke $(printed 'mo_([0-9a-f]{16})_')");
  shell.put("intake-keys revoke 0123456789abcdef", "intake-keys revoke $(printed 'mi_([0-9a-f]{16})_')");
  shell.put("0mwpvfytn0000001001", "$(printed '^(\\w{19})  +demo')");
  // The document assumes a running service.
  await shell.run("media-ops serve");

  /** Creates a pending delivery: the media server has sent an event, and the receiver rejects it. */
  async function makeDelivery(): Promise<void> {
    receiver.answer = { status: 503, body: "{}" };
    const key = (await shell.run("media-ops intake-keys create")).match(/mi_[\w-]+/)?.[0];
    await shell.run(`media-ops webhooks set demo event ${receiver.url}/event`);
    const intake = parse(readFileSync(join(root, "openapi/intake.yaml"), "utf8"));
    const response = await fetch(`http://127.0.0.1:${shell.ports.intake}/intake/event`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(intake.components.examples.ConnectionCreated.value),
    });
    expect(response.status).toBe(200);
    // A delivery cannot be retried while an attempt is in progress.
    await expect.poll(() => shell.run("media-ops deliveries list")).toContain("503");
  }

  const server = await takeServer();
  trial.atEnd(() => server.release());
  async function newDatabase(): Promise<string> {
    const { url, drop } = await makeDatabase(server.url);
    trial.atEnd(drop);
    return url;
  }
  shell.put("postgres://media:password@db.example:5432/media?connections=20", await newDatabase());
  shell.put('"$MEDIA_DATABASE_URL"', await newDatabase());
  let section = "";

  return {
    async sh(block) {
      // The PostgreSQL section starts on another machine, without the variables exported before.
      if (section === "PostgreSQL" && block.section !== section) await shell.newTerminal();
      section = block.section;
      if (/migrate-store|media-ops restore/.test(block.text)) await shell.stopAll();
      // The document assumes that the service is running again.
      if (block.text.includes("doctor")) await shell.run("media-ops serve");
      if (block.text.includes("deliveries")) await makeDelivery();
      await shell.paste(block);
    },
    caddy: takeCaddy,
    // Captures a webhook of the service, and replays it to the receiver of the snippet.
    async js({ text }) {
      const secret = (await shell.run(`media-ops webhooks set demo event ${receiver.url}/event`)).match(
        /whsec_\S+/,
      )?.[0];
      await shell.run("media-ops webhooks test demo event");
      const { headers, body } = receiver.requests.at(-1) ?? {};
      const modules = join(shell.folder, "../receiver/node_modules/@media-ops");
      await mkdir(modules, { recursive: true });
      await symlink(await realpath(join(root, "node_modules/@media-ops/sdk")), join(modules, "sdk"));
      const send = `
        const { headers, body } = JSON.parse(process.env.MESSAGE);
        await new Promise((resolve) => server.on("listening", resolve));
        const url = "http://127.0.0.1:" + server.address().port;
        console.log((await fetch(url, { method: "POST", headers, body })).status);
        server.close();`;
      await writeFile(join(modules, "../../receiver.mjs"), `${text}\n${send}\n`);

      const check = (message: object): Promise<string> =>
        shell.run(`MESSAGE='${JSON.stringify(message)}' WEBHOOK_SECRET=${secret} PORT=0 node ../receiver/receiver.mjs`);
      const sent = Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name.startsWith("webhook-")));
      expect(await check({ headers: sent, body })).toBe("webhook.test\n204\n");
      expect(await check({ headers: sent, body: `${body} ` })).toMatch(/\b400\n$/);
    },
  };
});
