import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { startFakeSlack } from "@media-ops/fake-slack";
import { freePort } from "@media-ops/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, start } from "./processes.mjs";
import { imageSettings, instructionsOf, readCompose, readStages } from "./publish/images.js";
import { pnpmCommand } from "./publish/install-packed.mjs";
import { root } from "./publish/packages.js";

// Deploying downloads pnpm unless pnpm runs the tests.
const DEPLOY_MS = 300_000;
// Each health check starts a process, which is slow on a busy machine.
const CONTAINER_MS = 120_000;

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const stages = readStages(read("Dockerfile"));
const compose = (variables: Record<string, string> = {}) => readCompose(read("compose.yaml"), variables);
const apps = ["service", "bot"] as const;
type App = (typeof apps)[number];

const examples = { service: ".env.example", bot: "apps/bot/.env.example" };
const settingsOf = (app: App): Record<string, string> => parseVariables(read(examples[app]));
function parseVariables(text: string): Record<string, string> {
  return Object.fromEntries(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? ""]));
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "media-ops-images-"));
  const [pnpm, ...first] = await pnpmCommand();
  for (const app of apps) {
    // As in the Dockerfile, but with install scripts, which SQLite needs on Node 20.
    const args = ["--filter", `@media-ops/${app}`, "deploy", "--prod", "--prefer-offline", deployed(app)];
    await run(pnpm, [...first, ...args], { cwd: root, timeoutMs: DEPLOY_MS });
  }
}, DEPLOY_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

const deployed = (app: App): string => join(folder, app);

/** Returns the settings as the deployed app reads them. */
async function configOf(app: App, env: Record<string, string>): Promise<unknown> {
  const module: { readConfig(env: Record<string, string>): unknown } = await import(
    join(deployed(app), "dist/index.js")
  );
  return module.readConfig({ ...imageSettings(stages, app).env, ...env });
}

describe.each(apps)("the image of the %s", (app) => {
  const image = imageSettings(stages, app);

  it("copies only files that exist", () => {
    const copies = instructionsOf(stages, app)
      .filter(({ name }) => name === "COPY")
      .map(({ text }) => text.split(" ").filter((word) => !word.startsWith("--"))[0] ?? "");
    const sources = copies.filter((source) => source !== "/out/data");
    expect(sources).toContain(`/out/${app}/dist`);
    for (const source of sources) {
      expect(existsSync(source.startsWith("/out/") ? join(folder, source.slice(5)) : join(root, source)), source).toBe(
        true,
      );
    }
  });

  it("does not run as root, stops on SIGTERM, and stores its data in the volume", () => {
    expect(image).toMatchObject({ user: "1000:1000", stopSignal: "SIGTERM", volumes: ["/data"] });
    expect(Object.values(image.env)).toContainEqual(expect.stringMatching(/^sqlite:\/data\//));
  });

  it("listens on all interfaces, on the app's default ports", async () => {
    const config = await configOf(app, app === "bot" ? oneWorkspace : {});
    const expected = {
      service: { host: "0.0.0.0", port: 8080, intakeHost: "0.0.0.0", intakePort: 8081 },
      bot: { host: "0.0.0.0", port: 3000 },
    };
    expect(config).toMatchObject(expected[app]);
    expect(image.ports).toEqual({ service: ["8080", "8081"], bot: ["3000"] }[app]);
  });
});

describe("a container", () => {
  /** The image's own variables, with its volume and ports on this machine. */
  async function environment(app: App, variables: Record<string, string>): Promise<Record<string, string>> {
    const data = join(folder, `${app}-data`);
    await mkdir(data, { recursive: true });
    const own = Object.entries(imageSettings(stages, app).env).map(([name, value]) => [
      name,
      value.replace("/data", data).replace("0.0.0.0", "127.0.0.1"),
    ]);
    return { ...Object.fromEntries(own), ...variables };
  }

  const commandOf = (app: App, args?: string[]): string[] => {
    const { entrypoint, command } = imageSettings(stages, app);
    return [...entrypoint, ...(args ?? command)];
  };

  /** Passes nothing of this process's environment but PATH. */
  const optionsOf = (app: App, env: Record<string, string>) => ({
    cwd: deployed(app),
    env: { PATH: process.env.PATH, ...env },
    timeoutMs: CONTAINER_MS,
  });

  const isHealthy = (app: App, env: Record<string, string>): Promise<boolean> =>
    run(...split(imageSettings(stages, app).healthCheck), optionsOf(app, env)).then(
      () => true,
      () => false,
    );

  it(
    "of the service creates projects, serves requests, reports healthy, and exits cleanly",
    async () => {
      const ports = { MEDIA_PORT: String(await freePort()), MEDIA_INTAKE_PORT: String(await freePort()) };
      const env = await environment("service", ports);
      expect(await isHealthy("service", env)).toBe(false);
      const create = commandOf("service", ["projects", "create", "demo", "--json"]);
      const created = await run(...split(create), optionsOf("service", env));
      const { api_key } = JSON.parse(created);
      const service = start(...split(commandOf("service")), optionsOf("service", env));
      try {
        await expect.poll(() => isHealthy("service", env), { timeout: CONTAINER_MS / 2 }).toBe(true);
        const answer = await fetch(`http://127.0.0.1:${env.MEDIA_PORT}/projects/create-access-token`, {
          method: "POST",
          headers: { authorization: `Bearer ${api_key}` },
        });
        expect(answer.status).toBe(200);
      } finally {
        await service.stop("SIGTERM");
      }
      expect(await service.ended).toBe(0);
    },
    CONTAINER_MS,
  );

  it(
    "of the bot reports healthy once it is connected to Slack, and exits cleanly",
    async () => {
      const slack = await startFakeSlack({ scopes: ["commands", "chat:write"] });
      const env = await environment("bot", {
        SLACK_BOT_TOKEN: slack.addWorkspace({ name: "acme" }).botToken,
        SLACK_SIGNING_SECRET: slack.app.signingSecret,
        SLACK_API_URL: slack.apiUrl,
        BOT_PORT: String(await freePort()),
      });
      const bot = start(...split(commandOf("bot")), optionsOf("bot", env));
      try {
        await expect.poll(() => isHealthy("bot", env), { timeout: CONTAINER_MS / 2 }).toBe(true);
      } finally {
        await bot.stop("SIGTERM");
        await slack.stop();
      }
      expect(await bot.ended).toBe(0);
    },
    CONTAINER_MS,
  );
});

const oneWorkspace = { SLACK_BOT_TOKEN: "xoxb-1-planted", SLACK_SIGNING_SECRET: "planted-signing-secret" };
const manyWorkspaces = {
  SLACK_CLIENT_ID: "1.2",
  SLACK_CLIENT_SECRET: "planted-client-secret",
  SLACK_STATE_SECRET: "planted-state-secret",
  SLACK_SIGNING_SECRET: "planted-signing-secret",
  BOT_PUBLIC_URL: "https://bot.example",
};

describe("compose.yaml", () => {
  const { services, volumes } = compose();

  it("builds each image of the Dockerfile", () => {
    const targets = Object.values(services).flatMap(({ build }) => build?.target ?? []);
    expect(targets).toEqual([...apps]);
    expect(stages.map(({ name }) => name)).toEqual(expect.arrayContaining(targets));
  });

  it.each(apps)("passes on every setting of the %s that the image does not set, and no others", (app) => {
    const ownAlone = [/_HOST$/, /_PORT$/, /_MASTER_KEY_FILE$/, /^SLACK_API_URL$/];
    const known = Object.keys(settingsOf(app)).filter((name) => !ownAlone.some((pattern) => pattern.test(name)));
    expect(Object.keys(services[app]?.environment ?? {}).sort()).toEqual(known.sort());
    expect(Object.keys(settingsOf(app))).toEqual(
      expect.arrayContaining(Object.keys(imageSettings(stages, app).env).filter((name) => name !== "NODE_ENV")),
    );
  });

  it("publishes only Caddy's ports, and Caddy forwards to existing ports of both apps", () => {
    const publishing = Object.entries(services).filter(([, { ports }]) => ports);
    expect(publishing.map(([name]) => name)).toEqual(["caddy"]);
    const upstreams = [...read("deploy/Caddyfile").matchAll(/reverse_proxy (\w+):(\d+)/g)];
    expect(upstreams.map(([, name, port]) => [name, port])).toEqual([
      ["service", "8080"],
      ["bot", "3000"],
    ]);
    for (const app of apps) expect(services[app]?.expose).toEqual(imageSettings(stages, app).ports);
  });

  it("passes Caddy every variable that its file names, even if .env has none of them", () => {
    const named = [...read("deploy/Caddyfile").matchAll(/\{\$(\w+)\}/g)].map(([, name]) => name);
    for (const name of named) expect(services.caddy?.environment[name ?? ""]).toMatch(/^https?:\/\//);
  });

  it("mounts only volumes and files that exist, and allows writes nowhere else", () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.read_only, name).toBe(true);
      for (const volume of service.volumes) {
        const source = typeof volume === "string" ? (volume.split(":")[0] ?? "") : volume.source;
        const isThere = source.startsWith(".") ? existsSync(join(root, source)) : existsSync(source);
        expect(isThere || source in volumes, source).toBe(true);
      }
    }
  });

  it("starts the service without an .env file, and with the unchanged example", async () => {
    const expected = { publicUrl: "https://localhost", databaseUrl: "sqlite:/data/media.db", host: "0.0.0.0" };
    expect(await configOf("service", compose().services.service?.environment ?? {})).toMatchObject(expected);
    const example = compose(settingsOf("service")).services.service?.environment ?? {};
    expect(await configOf("service", example)).toMatchObject(expected);
  });

  it("stores everything in the bundled PostgreSQL if .env says so, and starts PostgreSQL only then", async () => {
    const url = "postgres://postgres:planted@postgres/media";
    const keys = { MEDIA_MASTER_KEY: "5".repeat(64), BOT_MASTER_KEY: "6".repeat(64) };
    const { service, bot, postgres } = compose({ ...oneWorkspace, ...keys, POSTGRES_URL: url }).services;
    expect(await configOf("service", service?.environment ?? {})).toMatchObject({ databaseUrl: url });
    expect(await configOf("bot", bot?.environment ?? {})).toMatchObject({ databaseUrl: url });
    expect(postgres).toMatchObject({ profiles: ["postgres"], environment: { POSTGRES_DB: "media" } });
    for (const app of [service, bot]) {
      expect(app?.depends_on).toEqual({ postgres: { condition: "service_healthy", required: false } });
    }
  });

  it("starts the bot for one workspace, with an existing project of the service, and for many", async () => {
    const configWith = (variables: Record<string, string>) =>
      configOf("bot", compose(variables).services.bot?.environment ?? {});
    expect(await configWith(oneWorkspace)).toMatchObject({ media: undefined, allowPrivateAddresses: true });
    const project = { MEDIA_API_KEY: "mo_k1_planted", MEDIA_PROJECT_ID: "demo" };
    expect(await configWith({ ...oneWorkspace, ...project })).toMatchObject({
      media: { baseUrl: "http://service:8080", projectId: "demo" },
    });
    expect(await configWith(manyWorkspaces)).toMatchObject({ publicUrl: "https://bot.example", media: undefined });
  });
});

describe("the build context", () => {
  it.each(["**/.env", "**/.data", "**/data", "**/node_modules", "**/dist", ".git"])("leaves out %s", (pattern) => {
    expect(read(".dockerignore").split("\n")).toContain(pattern);
  });
});

function split([command = "", ...args]: string[]): [command: string, args: string[]] {
  return [command, args];
}
