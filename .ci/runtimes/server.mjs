import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { serveHttp } from "@media-ops/testing/servers";
import { entries, now } from "./smoke.mjs";

// Contains characters with special meanings elsewhere, and lacks the prefix that marks keys.
const API_KEY = "smoke~key+of/the.runtimes==";

const page = '<!doctype html><title>Smoke</title><script type="module" src="/page.mjs"></script>';

/** The faults that a base URL can select with its last segment. */
const faults = {
  "refuse-401": ({ service, request }) => {
    const detail = `The service does not know ${request.headers.get("authorization")}.`;
    service.fail({ status: 401, detail });
  },
  flaky: ({ service, count }) => {
    if (count === 1) service.fail({ status: 500 });
  },
  mute: () => ({ silentAfter: "nothing" }),
  silent: () => ({ silentAfter: "headers" }),
  "cut-off": () => ({ cutOff: true }),
};

/** Serves each runtime its own service, below a path with the runtime's name, and the browser's page. */
export async function startServer(pageModuleFile) {
  const visitors = new Map();
  const { url, port, close } = await serveHttp((incoming, outgoing) => {
    // The runtime aborted this request.
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // A different origin than the base URL, so that the browser sends a real preflight request.
  const pageOrigin = `http://localhost:${port}`;
  const cors = {
    "access-control-allow-origin": pageOrigin,
    "access-control-allow-headers": "authorization, content-type",
    "access-control-expose-headers": "x-request-id, retry-after",
  };

  async function answer(incoming, outgoing) {
    if (incoming.url === "/page.html") return outgoing.writeHead(200, { "content-type": "text/html" }).end(page);
    if (incoming.url === "/page.mjs") {
      return outgoing.writeHead(200, { "content-type": "text/javascript" }).end(await readFile(pageModuleFile));
    }
    const [, name, ...rest] = incoming.url.split("/");
    const visitor = visitors.get(name);
    if (!visitor) return outgoing.writeHead(404).end();
    if (incoming.method === "OPTIONS") return outgoing.writeHead(204, cors).end();

    const fault = rest[0] in faults ? rest.shift() : "";
    const count = (visitor.counts[fault] ?? 0) + 1;
    visitor.counts[fault] = count;
    visitor.userAgents.add(incoming.headers["user-agent"]);
    const gzips = /\bgzip\b/.test(incoming.headers["accept-encoding"]);
    visitor.gzipped ||= gzips;

    const { service } = visitor;
    const { method, headers } = incoming;
    const request = new Request(`${url}/${rest.join("/")}`, { method, headers, body: await buffer(incoming) });
    const { silentAfter, cutOff } = faults[fault]?.({ service, request, count }) ?? {};
    if (silentAfter === "nothing") return;
    const response = await service.fetch(request);
    const plain = Buffer.from(await response.arrayBuffer());
    const body = gzips ? gzipSync(plain) : plain;
    outgoing.writeHead(response.status, {
      ...Object.fromEntries(response.headers),
      ...cors,
      ...(gzips && { "content-encoding": "gzip" }),
      "content-length": body.length,
    });
    if (silentAfter === "headers") return outgoing.flushHeaders();
    if (cutOff) return outgoing.write(body.subarray(0, body.length / 2), () => incoming.socket.destroy());
    outgoing.end(body);
  }

  return {
    pageUrl: `${pageOrigin}/page.html`,

    /** Opens the service for a runtime. `visitor` records the runtime's requests. */
    open(name) {
      const service = createFakeMediaService({ apiKey: API_KEY, now: () => now });
      for (const [kind, entry] of Object.entries(entries)) service.add(kind, entry);
      const visitor = { service, counts: {}, userAgents: new Set(), gzipped: false };
      visitors.set(name, visitor);
      return { visitor, apiKey: API_KEY, baseUrl: `${url}/${name}` };
    },

    close,
  };
}
