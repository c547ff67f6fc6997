import { afterAll, describe, expect, it } from "vitest";
import { isInternalHost } from "./internal-listener.js";
import { startTestService } from "./test/harness.js";
import { exchange } from "./test/raw-http.js";

const env = { MEDIA_INTERNAL_HOSTS: "media.corp.example", MEDIA_PUBLIC_URL: "https://media-ops.example/api" };
const { service } = await startTestService({ env, atEnd: afterAll });
const names = ["media.corp.example"];

describe("the host name of an internal page", () => {
  it.each([
    "127.0.0.1",
    "127.0.0.1:8081",
    "10.0.3.7:8081",
    "[::1]",
    "[fd00::1]:8081",
    "localhost:8081",
    "LOCALHOST.:8081",
    "media.localhost",
    "service:8081",
    "media_service",
    "media.local",
    "media.default.svc.cluster.local:8081",
    "ip-10-0-0-1.eu-central-1.compute.internal",
    "nas.home.arpa",
    "media.corp.example",
    "Media.Corp.Example.:9000",
  ])("may be %s", (host) => {
    expect(isInternalHost(host, names)).toBe(true);
  });

  it.each([
    "evil.example:8081",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "notlocalhost.example",
    "xmedia.corp.example",
    "media.corp.example.evil.example",
    "evil.example.",
    "0x7f.1",
    "local.example",
  ])("may not be %s", (host) => {
    expect(isInternalHost(host, names)).toBe(false);
  });
});

describe("a page of another site that resolves its name to this machine (DNS rebinding)", () => {
  it.each(["/metrics", "/healthz", "/readyz"])("can't read %s", async (page) => {
    const ask = (host: string) =>
      exchange(service.internalUrl, `GET ${page} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const [refused] = await ask("rebound.evil.example:8081");
    expect(refused?.status).toBe(400);
    expect(JSON.parse(refused?.text ?? "")).toMatchObject({
      detail:
        "The Host header names rebound.evil.example:8081, which is not a name of this listener. Use its IP address, or add the name to MEDIA_INTERNAL_HOSTS.",
    });
    for (const host of ["service:8081", new URL(service.internalUrl).host]) {
      expect((await ask(host))[0]?.status).toBe(200);
    }
  });
});

it("the pages answer to the configured names, including that of the public URL, and to requests without a host", async () => {
  const heads = ["1.1\r\nHost: media.corp.example:8081", "1.1\r\nHost: media-ops.example", "1.0"];
  for (const head of heads) {
    const [answer] = await exchange(service.internalUrl, `GET /metrics HTTP/${head}\r\nConnection: close\r\n\r\n`);
    expect(answer?.status).toBe(200);
  }
});
