import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Resolve } from "@media-ops/public-addresses";
import type { Fetch } from "@media-ops/sdk";
import { MockAgent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { addressFault, createFetch } from "./public-addresses.js";

describe("the address of a service", () => {
  it.each([
    "https://media.example",
    "https://media.example:8443/api/",
    "https://8.8.8.8",
    "https://[2606:4700::1111]",
    "https://localhost.example.com",
    `https://media.example/${"a".repeat(2026)}`,
  ])("may be %s", (url) => {
    expect(addressFault(url, false)).toBeUndefined();
    expect(addressFault(url, true)).toBeUndefined();
  });

  it.each([
    ["", "Invalid URL."],
    ["media.example", "Invalid URL."],
    ["https://", "Invalid URL."],
    ["https://256.1.1.1/", "Invalid URL."],
    ["ftp://media.example", "must begin with https:// or http://"],
    ["file:///etc/passwd", "must begin with https:// or http://"],
    ["https://user@media.example", "user name or a password"],
    ["https://:pass@media.example", "user name or a password"],
    ["https://media.example/?key=1", "contains a ? or a #"],
    ["https://media.example/?", "contains a ? or a #"],
    ["https://media.example/#", "contains a ? or a #"],
    ["https://media.example/a b", "a space or a control character"],
    ["https://media\n.example", "a space or a control character"],
    [`https://media.example/${"a".repeat(2027)}`, "at most 2048 characters"],
  ])("may not be %j, even if private ones are allowed", (url, fault) => {
    expect(addressFault(url, false)).toContain(fault);
    expect(addressFault(url, true)).toContain(fault);
  });

  it("must be https:// if private ones are not allowed", () => {
    expect(addressFault("http://media.example", false)).toContain("must begin with https://");
    expect(addressFault("http://media.example", true)).toBeUndefined();
  });

  it("is not repeated in an error, because it may contain a password", () => {
    expect(addressFault("https://user:hunter2@media.example", true)).not.toContain("hunter2");
  });

  it.each(["localhost", "10.255.255.255:8443", "[::1]"])("may be at %s only if private ones are allowed", (host) => {
    expect(addressFault(`https://${host}/`, false)).toContain("The address is private");
    expect(addressFault(`http://${host}/`, true)).toBeUndefined();
  });
});

/** A server on this machine that no request may reach. */
async function insideServer() {
  const reached = vi.fn();
  const server = createServer((_, response) => {
    reached();
    response.end("[]");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, reached };
}

describe("requests to services", () => {
  it("are sent by Node's own fetch if all addresses are allowed", () => {
    expect(createFetch(true)).toBeUndefined();
  });

  it.each(["127.0.0.1", "127.1", "2130706433", "0x7f000001", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"])(
    "do not reach %s",
    async (host) => {
      const { port, reached } = await insideServer();
      await expect(createFetch(false)?.(`http://${host}:${port}/`)).rejects.toMatchObject({
        name: "PrivateAddressError",
      });
      expect(reached).not.toHaveBeenCalled();
    },
  );

  it("do not reach a name that resolves to a private address at that moment, even if it was public", async () => {
    const { port, reached } = await insideServer();
    const resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const fetch = createFetch(false, { resolve });
    await expect(fetch?.(`http://media.example:${port}/`)).rejects.toMatchObject({
      cause: {
        name: "PrivateAddressError",
        message: "media.example has no public address. The bot's operator allows only public ones.",
      },
    });
    expect(reached).not.toHaveBeenCalled();
  });

  describe("to public addresses", () => {
    function publicService() {
      const dispatcher = new MockAgent();
      dispatcher.disableNetConnect();
      onTestFinished(() => dispatcher.close());
      const fetch = createFetch(false, { dispatcher });
      if (!fetch) throw new Error("There is a fetch where private addresses are not allowed.");
      return { service: dispatcher.get("https://media.example"), fetch };
    }

    const headers = { authorization: "Bearer mo_k1_planted", "content-type": "application/json" };
    const call = { method: "POST", headers, body: '{"a":"ü"}' };

    it.each([
      ["an address", (fetch: Fetch) => fetch("https://media.example/a", call)],
      ["a request", (fetch: Fetch) => fetch(new Request("https://media.example/a", call))],
    ])("arrive whole, passed as %s", async (_, sendBy) => {
      const { service, fetch } = publicService();
      service.intercept({ path: "/a", method: "POST", headers, body: '{"a":"ü"}' }).reply(200, "[1]");
      const response = await sendBy(fetch);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual([1]);
    });

    it("follow no redirect", async () => {
      const { service, fetch } = publicService();
      service.intercept({ path: "/a" }).reply(302, "", { headers: { location: "http://127.0.0.1/" } });
      expect((await fetch("https://media.example/a")).status).toBe(302);
    });

    it("end when they are aborted", async () => {
      const { service, fetch } = publicService();
      service.intercept({ path: "/a" }).reply(200, "late").delay(60_000);
      const giveUp = new AbortController();
      const answer = fetch("https://media.example/a", { signal: giveUp.signal });
      giveUp.abort(new Error("given up"));
      await expect(answer).rejects.toThrow("given up");
    });
  });
});
