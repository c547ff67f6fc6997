import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { type StageOptions, startStage } from "../test/stage.js";

/** A proxy to PostgreSQL that can be cut and restored. */
async function startWay(to: URL) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const inner = connect(Number(to.port), to.hostname);
    socket.pipe(inner).pipe(socket);
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      open.add(one);
      one
        .on("error", () => {})
        .once("close", () => {
          open.delete(one);
          other.destroy();
        });
    }
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  onTestFinished(cut);
  const url = new URL(to);
  url.host = `127.0.0.1:${port}`;
  // A server that requires no password still accepts one.
  url.password ||= "planted-password";
  return { url: url.href, password: url.password, cut, mend: () => listen(port) };
}

async function startOnWay(options: StageOptions = {}) {
  const way = await startWay(new URL(await postgresUrl()));
  const stage = await startStage({ ...options, databaseUrl: way.url });
  const get = async (path: string) => {
    const response = await fetch(`${stage.bot.url}${path}`);
    return { status: response.status, body: await response.json() };
  };
  return { ...stage, way, get };
}

it("while PostgreSQL is unreachable a person sees an error, and is answered when it is back", async () => {
  const stage = await startOnWay();
  expect(await stage.read(stage.ann, "/media projects")).toContain("demo");

  stage.way.cut();
  for (const person of [stage.ann, stage.bob]) {
    const text = await stage.read(person, "/media projects");
    expect(text).toContain("Something went wrong here");
    expect(text).toMatch(
      /What to do: Try again\. If it keeps failing, tell the bot's operator; the log has it under [0-9a-f]{8}/,
    );
  }
  expect(stage.logged()).toContain("PostgreSQL cannot be used now");
  expect(stage.logged()).not.toContain(stage.way.password);
  expect(await stage.get("/readyz")).toEqual({ status: 503, body: { status: "no answer from the database" } });
  expect(await stage.get("/healthz")).toEqual({ status: 200, body: { status: "ok" } });

  await stage.way.mend();
  expect(await stage.read(stage.ann, "/media token lobby")).toContain("receive in lobby (project demo)");
  expect(await stage.get("/readyz")).toEqual({ status: 200, body: { status: "ok" } });
});

it("if the installation is stored there, too", async () => {
  const stage = await startOnWay({ oauth: true });
  await stage.slack.allow(`${stage.bot.url}/slack/install`, { by: stage.ann });
  stage.way.cut();
  const message = await stage.ask(stage.ann, "/media projects");
  expect(message.text).toContain("The bot failed before it could read this request. Try again in a minute.");
  expect((await fetch(`${stage.bot.url}/slack/install`)).status).toBe(500);
  await stage.way.mend();
  expect(await stage.read(stage.ann, "/media projects")).toContain("No project is connected yet");
});

it("the bot stops in time while PostgreSQL is unreachable", async () => {
  const stage = await startOnWay();
  await stage.ask(stage.ann, "/media projects");
  stage.way.cut();
  await stage.ask(stage.ann, "/media projects");
  await stage.bot.stop();
  expect(stage.logged()).not.toContain("stopping took too long");
});

it("a person is answered after PostgreSQL has closed all connections", async () => {
  const stage = await startStage({ databaseUrl: await postgresUrl() });
  const { query } = await stage.openStorage();
  await Promise.all([stage.ann, stage.bob].map((person) => stage.ask(person, "/media projects")));
  const { rows } = await sql<{ ended: boolean }>`
    select pg_terminate_backend(pid, 5000) as ended from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(query);
  expect(rows.length).toBeGreaterThan(0);
  expect(await stage.read(stage.ann, "/media status")).toContain("demo at 127.0.0.1");
});
