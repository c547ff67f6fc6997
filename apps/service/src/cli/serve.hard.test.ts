import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { enqueueAt } from "../test/enqueue.js";
import { callWithin, leastBody, pathOf } from "../test/harness.js";
import { RawConnection, requestText } from "../test/raw-http.js";
import { startReceiver } from "../test/receiver.js";
import { commandLine, serve } from "./test/command-line.js";

it("a new user can start the service, create a project, call every operation, and find the entries after a restart", async () => {
  const { json, options } = await commandLine();
  const first = await serve(options);
  await expect.poll(() => first.lines.join()).toContain("media-ops projects create demo");
  const { project_id, api_key: key } = await json("projects", "create", "demo");
  expect(project_id).toBe("demo");
  await json("webhooks", "set", "demo", "event", "https://hooks.example/media");
  // The service may need a refresh to see a new key.
  await expect.poll(async () => (await callWithin(first.url, pathOf.createAccessToken, { key })).status).toBe(200);
  for (const [id, path] of Object.entries(pathOf)) {
    const { status, body } = await callWithin(first.url, path, { key, body: leastBody(path) });
    expect(status).toBe(200);
    if (id === "createAccessToken") expect(body).toEqual({ access_token: expect.stringMatching(/^ey/) });
    if (/^list\w+Logs$/.test(id)) expect(Array.isArray(body)).toBe(true);
    if (id === "countLogs") expect(body).toMatchObject({ complete: true });
  }
  // The newest calls may be written a moment later.
  const countIn = async ({ url }: typeof first) =>
    ((await callWithin(url, pathOf.listApiLogs, { key })).body as unknown[]).length;
  const called = Object.keys(pathOf).length;
  await expect.poll(() => countIn(first)).toBeGreaterThanOrEqual(called);

  // A client that never finishes its request does not keep the service from stopping.
  const socket = connect(Number(new URL(first.url).port), "127.0.0.1").on("error", () => {});
  socket.write("POST /orgs/list-api-logs HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n");
  await once(socket, "connect");
  expect(await first.end()).toEqual([0, null]);
  socket.destroy();

  const second = await serve(options);
  expect(await countIn(second)).toBeGreaterThan(called);
  expect(await second.end("SIGINT")).toEqual([0, null]);
});

it("a delivery that is to be tried again is picked up by the running service, and reaches the receiver with the same id", async () => {
  const { json, inDatabase, serveHere } = await commandLine({ MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true" });
  await json("projects", "create", "demo");
  const { url, received } = await startReceiver();
  await json("webhooks", "set", "demo", "event", url);
  const id = await inDatabase(async (storage) => {
    const event = { projectId: "demo", eventId: "e1", type: "connection.created", lane: "c1", body: "{}" };
    const failed = { state: "failed", tries: 3, next_at: null, ended_at: Date.now() } as const;
    const enqueued = await enqueueAt(storage, event, Date.now());
    await storage.query.updateTable("delivery").set(failed).execute();
    // The lease has expired, so a service claims the queue at once.
    await storage.query.updateTable("delivery_queue").set({ owned_until: 0 }).execute();
    return enqueued;
  });
  await serveHere();
  await json("deliveries", "retry", id);
  await expect.poll(() => received.map((webhook) => webhook.id)).toEqual(["e1"]);
  const states = () => inDatabase(({ query }) => query.selectFrom("delivery").select("state").execute());
  await expect.poll(states).toEqual([{ state: "delivered" }]);
});

it("a webhook address with a private name is refused; with an unknown name it is set with a warning", async () => {
  const resolver = `
    import dns from "node:dns/promises";
    import { syncBuiltinESMExports } from "node:module";
    dns.lookup = async (name) => {
      if (name === "inside.example") return [{ address: "10.0.0.1", family: 4 }];
      throw Object.assign(new Error("not found"), { code: "ENOTFOUND" });
    };
    syncBuiltinESMExports();`;
  const { folder, json, runProgram, options } = await commandLine({ MEDIA_ALLOW_PRIVATE_WEBHOOKS: "false" });
  await json("projects", "create", "demo");
  await writeFile(join(folder, "resolver.mjs"), resolver);
  Object.assign(options.env, { NODE_OPTIONS: `--import=${join(folder, "resolver.mjs")}` });
  expect(await runProgram("webhooks", "set", "demo", "event", "https://inside.example/hooks")).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("inside.example has no public address"),
  });
  expect(await json("webhooks", "show", "demo")).toEqual([]);
  const { stdout } = await runProgram("webhooks", "set", "demo", "event", "https://nowhere.example/hooks", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    signing_secret: expect.stringMatching(/whsec_[A-Za-z0-9+/=]{20,}/),
    warning: "Warning: the name nowhere.example cannot be looked up now (ENOTFOUND). Check its spelling.",
  });
});

/** The service with a project, as `media-ops serve` runs it. */
async function serveDemo() {
  const made = await commandLine({ MEDIA_LISTINGS_PER_MINUTE: "0", MEDIA_TOKENS_PER_MINUTE: "0" });
  const { api_key: key } = await made.json("projects", "create", "demo");
  const running = await serve(made.options);
  const call = (path: string) => callWithin(running.url, path, { key });
  return { ...made, ...running, call };
}

describe("media-ops serve, with the public listener in a thread of its own", () => {
  it("lists earlier calls in the API log, shows the metrics of both threads, and loses no entry when stopped", async () => {
    const { call, internalUrl, end, inDatabase } = await serveDemo();
    for (let n = 0; n < 20; n++) await call(pathOf.createAccessToken);
    await expect
      .poll(async () => JSON.stringify((await call(pathOf.listApiLogs)).body).split(pathOf.createAccessToken))
      .toHaveLength(21);
    let metrics = "";
    // A thread that is too busy to answer in time shows its last metrics.
    await expect
      .poll(async () => {
        metrics = await (await fetch(`${internalUrl}/metrics`)).text();
        return metrics;
      })
      .toContain(`media_answers_total{path="${pathOf.createAccessToken}",status="200"} 20`);
    expect(metrics).toContain("media_log_entries_waiting");
    expect(metrics).toContain("media_public_nodejs_eventloop_lag_p99_seconds");
    const described = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(described).toEqual([...new Set(described)]);
    expect(await call(pathOf.listLiveChannels)).toMatchObject({ status: 200, body: { channels: [] } });

    let answered = 0;
    const calling = Array.from({ length: 10 }, async () => {
      for (;;) {
        const isAnswered = await call(pathOf.createAccessToken).then(
          ({ status }) => status === 200,
          () => false,
        );
        if (!isAnswered) return;
        answered += 1;
      }
    });
    await expect.poll(() => answered).toBeGreaterThan(50);
    const [code] = await end();
    await Promise.all(calling);
    expect(code).toBe(0);
    const entries = await inDatabase(({ query }) => query.selectFrom("log_entry").select("entry").execute());
    expect(entries.filter(({ entry }) => entry.includes('"status":200')).length).toBeGreaterThanOrEqual(answered);
  });

  it("exits with 1 and the next step if a port is taken", async () => {
    const { url } = await startReceiver();
    const { port } = new URL(url);
    await Promise.all(
      ["MEDIA_PORT", "MEDIA_INTAKE_PORT"].map(async (setting) => {
        const { runProgram } = await commandLine({ [setting]: port });
        expect(await runProgram("serve")).toMatchObject({
          code: 1,
          stderr: `127.0.0.1:${port} is taken. Set ${setting} to another port, or stop the process that uses it.\n`,
        });
      }),
    );
  });
});

/** Node options for a program that throws an uncaught error when it receives SIGUSR2. */
const failingAtSignal = (how: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(`process.on("SIGUSR2",()=>{${how}})`)}`;

it.each([
  ["error", 'throw new Error("planted mo_k1_CorrectHorse8batteryStaple")'],
  ["rejected promise", 'Promise.reject(new Error("planted mo_k1_CorrectHorse8batteryStaple"))'],
])(
  "an uncaught %s is logged without secrets; the service finishes its open calls and then exits with 1",
  async (_, how) => {
    const { json, options } = await commandLine({ NODE_OPTIONS: failingAtSignal(how) });
    const { api_key: key } = await json("projects", "create", "demo");
    const { end, lines, url } = await serve(options);
    const connection = await RawConnection.open(url);
    onTestFinished(() => connection.end());
    const head = ["POST /projects/create-access-token HTTP/1.1", "Host: a", `Authorization: Bearer ${key}`];
    connection.write(requestText([...head, "Content-Type: application/json", "Content-Length: 2"]));
    // Answered only after the service has read the request before it.
    await fetch(`${url}/openapi.yaml`);
    const exited = end("SIGUSR2");
    await expect.poll(() => lines.some((line) => line.includes('"msg":"stopping"'))).toBe(true);
    connection.write("{}");
    expect((await connection.answers(1)).map(({ status }) => status)).toEqual([200]);
    expect(await exited).toEqual([1, null]);
    const [fatal = ""] = lines.filter((line) => line.includes('"level":"fatal"'));
    expect(JSON.parse(fatal)).toMatchObject({
      err: { message: "planted mo_k1_[redacted]", stack: expect.any(String) },
    });
    expect(lines.join("\n")).not.toContain("CorrectHorse");
    expect(lines.at(-1)).toContain('"msg":"stopped"');
  },
);
