import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { newUser } from "./test/media.js";
import { startRunningService } from "./test/service.js";

/** A port on which nobody listens. */
async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe("what was asked and can't be done", () => {
  it("a key that is refused is told, with what to do, and not shown", async () => {
    const { url } = await startRunningService();
    const apiKey = `mo_0123456789abcdef_${"x".repeat(43)}`;
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: apiKey });
    const { code, out, err } = await user.media(["logs", "webhooks"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("✗ The API key was refused.");
    expect(err).toContain("media login");
    expect(err).not.toContain("x".repeat(10));
  });

  it("a service that is not there is told with its address", async () => {
    const url = await deadUrl();
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
    const { code, out, err } = await user.media(["logs", "webhooks"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("✗ The service was not reached.");
    expect(err).toContain(url);
    expect(err).toContain("ECONNREFUSED");
  });

  it("something else at the address is told", async () => {
    const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>hi"));
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const user = await newUser({ MEDIA_BASE_URL: `http://127.0.0.1:${port}`, MEDIA_API_KEY: "mo_a_b" });
    const { code, err } = await user.media(["status"]);
    expect(code).toBe(1);
    expect(err).toContain("✗ The answer was not one of the media service.");
  });

  it("another project is told", async () => {
    const { url, apiKey } = await startRunningService();
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: apiKey });
    const { code, err } = await user.media(["logs", "webhooks", "in:other"]);
    expect(code).toBe(1);
    expect(err).toContain("✗ This belongs to another project.");
    expect(err).toContain("Leave out in:<project>");
  });

  it.each([
    [["logs", "webhooks", "staus>=400"], "Try: logs webhooks status>=400"],
    [["logs", "webhooks", "status>=four"], "status"],
    [["lgos", "webhooks"], "Try: logs webhooks"],
    [["logs"], "Try: logs "],
    [["token", "lobby", "role:admin"], "role"],
    [["logs", "webhooks", "--jsn"], "There is no --jsn."],
    [["logs", "webhooks", "--profile"], "--profile needs a value"],
    [["logs", "webhooks", "--json=yes"], "--json takes no value"],
    [["logs", "webhooks", "--profile", "nowhere"], 'There is no profile "nowhere". There is none yet.'],
    [["token", "lobby"], "Which project is the channel in?"],
  ])("%j is a usage error, said in one line on the standard error", async (words, message) => {
    const user = await newUser({ MEDIA_API_KEY: "mo_a_b" });
    const { code, out, err } = await user.media(words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.trimEnd().split("\n")).toEqual([expect.stringContaining(message)]);
  });

  it("without a key it is said how to come by one", async () => {
    const { code, err } = await (await newUser()).media(["logs", "webhooks"]);
    expect(code).toBe(1);
    expect(err).toBe("There is no API key yet. Run: media login. Or set MEDIA_BASE_URL and MEDIA_API_KEY.\n");
  });

  it("an address that is none is a usage error", async () => {
    const user = await newUser({ MEDIA_BASE_URL: "media.example", MEDIA_API_KEY: "mo_a_b" });
    const { code, err } = await user.media(["logs", "webhooks"]);
    expect(code).toBe(2);
    expect(err).toContain("baseUrl must be like https://media.example");
  });
});
