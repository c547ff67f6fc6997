import { request as requestHttp } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { lookThrough, startWindowStage } from "../test/window.js";
import { startWindow } from "./server.js";

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request with headers that `fetch` does not allow, and with an unnormalized path. */
async function ask(url: string, path: string, { method = "GET", headers = {}, body }: Asked = {}) {
  const { hostname, port, host } = new URL(url);
  return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const asked = requestHttp({ hostname, port, path, method, headers: { host, ...headers } }, (response) => {
        text(response).then(
          (read) => resolve({ status: response.statusCode, headers: response.headers, text: read }),
          reject,
        );
      });
      asked.on("error", reject).end(body);
    },
  );
}

const json = { "content-type": "application/json" };

describe("the page", () => {
  it("is served with its assets, and may load nothing from elsewhere", async () => {
    const { window } = await startWindowStage();
    expect(window.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const page = await ask(window.url, "/");
    expect(page).toMatchObject({
      status: 200,
      text: "<!doctype html><title>Slack</title>",
      headers: {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        "content-security-policy": expect.stringMatching(/^default-src 'none'; script-src 'self';/),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      },
    });
    const script = await ask(window.url, "/assets/page-1.js?v=1");
    expect(script).toMatchObject({ status: 200, headers: { "content-type": "text/javascript; charset=utf-8" } });
    expect(script.headers["cache-control"]).toContain("immutable");
    expect(await ask(window.url, "/", { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  });

  it("that is not built is reported as such", async () => {
    const { window } = await startWindowStage({ window: { pageFolder: "/nowhere" } });
    expect(await ask(window.url, "/")).toMatchObject({ status: 404, text: expect.stringMatching(/is not built/) });
  });

  it.each([
    "/../secret.txt",
    "/..%2Fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/../../secret.txt",
    "/%00",
    "/%E0",
    "/no",
  ])("does not serve %s", async (path) => {
    const { window } = await startWindowStage();
    expect(await ask(window.url, path)).toMatchObject({
      status: 404,
      text: expect.stringMatching(/^{"error":"There is nothing at/),
    });
  });
});

describe("a request", () => {
  it.each(["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1.evil.example", "localhost:1"])(
    "to another host is refused: %s",
    async (host) => {
      const { window } = await startWindowStage();
      for (const path of ["/", "/api/window", "/api/suggestions?line=/m"]) {
        expect(await ask(window.url, path, { headers: { host } })).toMatchObject({ status: 403 });
      }
    },
  );

  it("to any name of this machine is answered", async () => {
    const { window } = await startWindowStage();
    const { port } = new URL(window.url);
    for (const name of ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"]) {
      const headers = { host: `${name}:${port}`, origin: `http://${name.toLowerCase()}:${port}` };
      expect(await ask(window.url, "/", { headers })).toMatchObject({ status: 200 });
    }
  });

  it.each([
    { origin: "https://evil.example" },
    { origin: "http://127.0.0.1:1" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ])("from another page is refused: %o", async (headers) => {
    const { window, ann, general } = await startWindowStage();
    const body = JSON.stringify({ person: ann.id, do: "say", place: general.id, text: "x" });
    const refused = await ask(window.url, "/api/do", { method: "POST", headers: { ...json, ...headers }, body });
    expect(refused).toMatchObject({
      status: 403,
      text: expect.stringMatching(/^{"error":"Requests from .* are not allowed/),
    });
    expect(ann.sees(general)).toEqual([]);
    expect(await ask(window.url, "/api/window", { headers })).toMatchObject({ status: 403 });
  });

  it("with a wrong method is refused with the allowed methods", async () => {
    const { window } = await startWindowStage();
    const refused = async (path: string, method: string) => {
      const { status, headers } = await ask(window.url, path, { method });
      return [status, headers.allow];
    };
    expect(await refused("/api/do", "GET")).toEqual([405, "POST"]);
    expect(await refused("/api/window", "POST")).toEqual([405, "GET"]);
    expect(await refused("/", "DELETE")).toEqual([405, "GET, HEAD"]);
    expect(await refused("/api/other", "GET")).toEqual([404, undefined]);
  });

  it("is refused if its body is not JSON or too large", async () => {
    const { window } = await startWindowStage();
    const post = async (body: string, headers: Record<string, string> = json) =>
      (await ask(window.url, "/api/do", { method: "POST", headers, body })).status;
    expect(await post("{", json)).toBe(400);
    expect(await post("person=U1", { "content-type": "application/x-www-form-urlencoded" })).toBe(415);
    expect(await post("{}", { "content-type": "text/plain" })).toBe(415);
    expect(await post("{}", {})).toBe(415);
    const large = JSON.stringify({ text: "x".repeat(1_000_000) });
    expect(await post(large)).toBe(413);
    expect(await post(large, { ...json, "transfer-encoding": "chunked" })).toBe(413);
  });
});

describe("the window", () => {
  it("suggests completions of a line", async () => {
    const { window } = await startWindowStage();
    const { text: answer } = await ask(window.url, `/api/suggestions?line=${encodeURIComponent("/media lo")}`);
    expect(JSON.parse(answer)).toEqual([{ line: "/media logs", word: "logs", about: "entries" }]);
  });

  it("is the first person's if the named person is missing or unknown", async () => {
    const { window, ann } = await startWindowStage();
    for (const query of ["", "?person=U9"]) {
      const { all } = await lookThrough(`${window.url}/api/window${query}`);
      await expect.poll(() => all("scene")[0]?.you).toBe(ann.id);
    }
  });

  it("stops immediately, even with open streams and pending requests, and can be stopped twice", async () => {
    const never = new Promise(() => {});
    const { window, ann, bob, look, slack, general, call, sent } = await startWindowStage({ respond: () => never });
    const body = JSON.stringify({ person: ann.id, do: "command", place: general.id, line: "/media" });
    const waiting = expect(ask(window.url, "/api/do", { method: "POST", headers: json, body })).rejects.toThrow();
    await expect.poll(() => sent).toHaveLength(1);
    const looking = [await look(ann), await look(bob)];
    for (const { all } of looking) await expect.poll(() => all("scene")).toHaveLength(1);
    const before = performance.now();
    await Promise.all([window.stop(), window.stop()]);
    for (const { state } of looking) await expect.poll(() => state.hasEnded).toBe(true);
    // Far less than a request may take that nobody answers.
    expect(performance.now() - before).toBeLessThan(10_000);
    await expect(fetch(window.url)).rejects.toThrow();
    await waiting;
    // Slack keeps working after the window has stopped.
    await call("chat.postMessage", { channel: general.id, text: "x" });
    expect(slack.transcript.at(-1)?.detail.status).toBe(200);
  });

  it("reports that its port is taken", async () => {
    const { window, slack, team, ann, incident, log } = await startWindowStage();
    const port = Number(new URL(window.url).port);
    const options = { slack, team, people: [ann], app: { name: "x", messageShortcuts: [] }, suggest: () => [] };
    await expect(startWindow({ ...options, incident, log, pageFolder: "/", port })).rejects.toThrow("EADDRINUSE");
  });
});
