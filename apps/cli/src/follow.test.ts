import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { json, startAnswering } from "./test/answers.js";
import { delivery } from "./test/entries.js";
import { newUser } from "./test/media.js";
import { startRunningService } from "./test/service.js";

async function followed(...words: string[]) {
  const service = await startRunningService();
  await service.add("webhooks", delivery(5, "session.created", 500, 1));
  const user = await newUser({ MEDIA_BASE_URL: service.url, MEDIA_API_KEY: service.apiKey });
  const child = user.start(["follow", "webhooks", "every:1s", ...words]);
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  return { service, child, out: () => out, err: text(child.stderr) };
}

it("follows a log: shows each new entry that matches, until Ctrl-C, which is no failure", async () => {
  const { service, child, out, err } = await followed("status>=400", "since:10m");
  await expect.poll(out).toContain("✗ 500");
  await service.add("webhooks", delivery(0, "connection.created", 200, 2), delivery(0, "connection.created", 404, 3));
  await expect.poll(out).toContain("▲ 404");
  expect(out().trimEnd().split("\n")).toHaveLength(2);
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([0, null]);
  expect(await err).toMatch(/^Following webhook logs, status ≥ 400.*Ctrl-C ends it\.\n$/);
});

it("what was there before is not shown unless it was asked for, and --json gives lines of JSON", async () => {
  const { service, child, out } = await followed("--json");
  // It looks again after a second; what comes before its first look is not new.
  await expect
    .poll(
      async () => {
        await service.add("webhooks", delivery(0, "connection.created", 200, 2));
        return out();
      },
      { interval: 1_100 },
    )
    .toContain("connection.created");
  expect(out()).not.toContain('"status":500');
  expect(JSON.parse(out().split("\n")[0] ?? "")).toMatchObject({ type: "connection.created", elapsed_time_ms: 2 });
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([0, null]);
});

it("says once that the service fails, goes on, and says once that it answers again", async () => {
  let isUp = true;
  let [answered, failed] = [0, 0];
  const url = await startAnswering((_, response) => {
    if (isUp) {
      answered += 1;
      return json(response, []);
    }
    failed += 1;
    response.writeHead(503, { "retry-after": "0" }).end();
  });
  const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
  const child = user.start(["follow", "webhooks", "every:1s"]);
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  // What fails from the beginning is no outage.
  await expect.poll(() => answered).toBe(1);
  isUp = false;
  // Each look is three tries: this is the third that fails.
  await expect.poll(() => failed).toBeGreaterThan(6);
  isUp = true;
  await expect.poll(() => err).toContain("It answers again.");
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([0, null]);
  expect(err.match(/✗/g)).toHaveLength(1);
  expect(err.match(/answers again/g)).toHaveLength(1);
});

it("ends by itself when whoever reads has enough", async () => {
  const { service, child, out } = await followed("since:10m");
  await expect.poll(out).toContain("✗ 500");
  child.stdout.destroy();
  const added = async () => {
    await service.add("webhooks", delivery(0, "connection.created", 200, 2));
    return child.exitCode;
  };
  await expect.poll(added, { interval: 500 }).toBe(0);
});
