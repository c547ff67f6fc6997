import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { entries, now } from "./smoke.mjs";

// With characters that mean something elsewhere, and without the beginning by which keys are known.
const API_KEY = "smoke~key+of/the.runtimes==";

const page = '<!doctype html><title>Smoke</title><script type="module" src="/page.mjs"></script>';

/** What goes wrong below a base address that ends with the fault's name. */
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

/** Starts the service on a free port. Each runtime has its own below its name, so that none disturbs another. */
export async function startServer(pageModuleFile) {
  const visitors = new Map();
  const files = {
    "/page.html": { type: "text/html", read: () => page },
    "/page.mjs": { type: "text/javascript", read: () => readFile(pageModuleFile) },
  };

  const server = createServer((incoming, outgoing) => {
    // What cannot be answered is what the other end broke off.
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function answer(incoming, outgoing) {
    const file = files[incoming.url];
    if (file) return outgoing.writeHead(200, { "content-type": file.type }).end(await file.read());
    const [, name, ...rest] = incoming.url.split("/");
    const visitor = visitors.get(name);
    if (!visitor) return outgoing.writeHead(404).end();
    const cors = corsHeaders(server);
    if (incoming.method === "OPTIONS") return outgoing.writeHead(204, cors).end();

    const fault = rest[0] in faults ? rest.shift() : "";
    const count = (visitor.counts[fault] ?? 0) + 1;
    visitor.counts[fault] = count;
    visitor.userAgents.add(incoming.headers["user-agent"]);
    const gzips = /\bgzip\b/.test(incoming.headers["accept-encoding"]);
    visitor.gzipped ||= gzips;

    const request = await toRequest(incoming, `/${rest.join("/")}`);
    const { service } = visitor;
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
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    // Another origin than the base address, so that the browser asks for permission as it would in real life.
    pageUrl: `${pageOrigin(server)}/page.html`,

    /** Opens the service for a runtime; what is given back tells what it sent. */
    open(name) {
      const service = createFakeMediaService({ apiKey: API_KEY, now: () => now });
      for (const [kind, entry] of Object.entries(entries)) service.add(kind, entry);
      const visitor = { service, counts: {}, userAgents: new Set(), gzipped: false };
      visitors.set(name, visitor);
      return { visitor, apiKey: API_KEY, baseUrl: `http://127.0.0.1:${server.address().port}/${name}` };
    },

    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** An address where nothing listens. */
export async function findDeadUrl() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

const pageOrigin = (server) => `http://localhost:${server.address().port}`;

const corsHeaders = (server) => ({
  "access-control-allow-origin": pageOrigin(server),
  "access-control-allow-headers": "authorization, content-type",
  "access-control-expose-headers": "x-request-id, retry-after",
});

async function toRequest(incoming, path) {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return new Request(new URL(path, "http://127.0.0.1"), {
    method: incoming.method,
    headers: incoming.headers,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
}
