import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "@media-ops/settings";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.js";
import { defaultPolicy } from "./policy/policy.js";
import { manyWorkspaces, oneWorkspace } from "./test/config.js";
import { temporaryFolder } from "./test/storage.js";

const media = { MEDIA_BASE_URL: "http://127.0.0.1:8080", MEDIA_API_KEY: "mo_k1_planted", MEDIA_PROJECT_ID: "demo" };

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

async function policyFile(text: string): Promise<string> {
  const file = join(await temporaryFolder(), "policy.json");
  await writeFile(file, text);
  return file;
}

describe("with the minimal settings, the bot", () => {
  it("serves one workspace, listens only on localhost and uses an SQLite file", () => {
    expect(readConfig(oneWorkspace)).toEqual({
      host: "127.0.0.1",
      port: 3000,
      slack: {
        apiUrl: undefined,
        signingSecret: "planted-signing-secret",
        appToken: undefined,
        access: { kind: "token", botToken: "xoxb-1-planted" },
      },
      media: undefined,
      publicUrl: undefined,
      databaseUrl: "sqlite:./data/bot.db",
      masterKey: undefined,
      masterKeyFile: undefined,
      policy: defaultPolicy,
      auditChannels: new Map(),
      allowPrivateAddresses: true,
      allowPrivateWatchUrls: false,
      logLevel: "info",
    });
  });

  it("serves many workspaces, none of which can reach private addresses", () => {
    expect(readConfig(manyWorkspaces)).toMatchObject({
      slack: {
        access: {
          kind: "oauth",
          clientId: "1.2",
          clientSecret: "planted-client-secret",
          stateSecret: "planted-state-secret",
          authorizeUrl: "https://slack.com/oauth/v2/authorize",
        },
      },
      publicUrl: "https://bot.example",
      allowPrivateAddresses: false,
    });
  });

  it("treats an empty variable as unset", () => {
    const empty = { BOT_PORT: "", BOT_PUBLIC_URL: " ", SLACK_CLIENT_ID: "", MEDIA_API_KEY: "", BOT_TOKEN_POLICY: "" };
    expect(readConfig({ ...oneWorkspace, ...empty })).toEqual(readConfig(oneWorkspace));
  });
});

describe("a setting", () => {
  it.each([
    [{ BOT_PORT: "0" }, { port: 0 }],
    [{ BOT_PUBLIC_URL: "https://bot.example/" }, { publicUrl: "https://bot.example" }],
    [{ SLACK_API_URL: "http://127.0.0.1:1/api/" }, { slack: { apiUrl: "http://127.0.0.1:1/api" } }],
    [{ SLACK_SIGNING_SECRET: "", SLACK_APP_TOKEN: "xapp-1" }, { slack: { appToken: "xapp-1" } }],
    [media, { media: { baseUrl: "http://127.0.0.1:8080", apiKey: "mo_k1_planted", projectId: "demo" } }],
    [{ BOT_MASTER_KEY: "01".repeat(32) }, { masterKey: Buffer.alloc(32, 1) }],
    [{ BOT_MASTER_KEY: Buffer.alloc(32, 1).toString("base64") }, { masterKey: Buffer.alloc(32, 1) }],
    [
      { BOT_JOIN_URL: "https://meet.example.com/{channel}#{token}" },
      { joinUrl: "https://meet.example.com/{channel}#{token}" },
    ],
    [{ BOT_AUDIT_CHANNEL: "C0123" }, { auditChannels: new Map([["", "C0123"]]) }],
    [
      { BOT_AUDIT_CHANNEL: "T01:C01, T02:G02" },
      {
        auditChannels: new Map([
          ["T01", "C01"],
          ["T02", "G02"],
        ]),
      },
    ],
    [{ BOT_ALLOW_PRIVATE_ADDRESSES: "false" }, { allowPrivateAddresses: false }],
    [
      { BOT_ALLOW_PRIVATE_WATCH_URLS: "true", BOT_ALLOW_PRIVATE_ADDRESSES: "false" },
      { allowPrivateAddresses: false, allowPrivateWatchUrls: true },
    ],
    [{ BOT_ALLOW_PRIVATE_ADDRESSES: "true" }, { allowPrivateWatchUrls: false }],
    [{ ...manyWorkspaces, SLACK_BOT_TOKEN: "", BOT_ALLOW_PRIVATE_ADDRESSES: "yes" }, { allowPrivateAddresses: true }],
    [
      { ...manyWorkspaces, SLACK_BOT_TOKEN: "", SLACK_API_URL: "http://127.0.0.1:1/api/" },
      { slack: { access: { authorizeUrl: "http://127.0.0.1:1/oauth/v2/authorize" } } },
    ],
  ])("%j is read", (env, expected) => {
    expect(readConfig({ ...oneWorkspace, ...env })).toMatchObject(expected);
  });

  it.each([
    [{ BOT_PORT: "http" }, 'BOT_PORT must be a number from 0 to 65535, but is "http".'],
    [
      { BOT_PUBLIC_URL: "bot.example" },
      'BOT_PUBLIC_URL must be a URL that begins with http:// or https://, without ? and #, but is "bot.example".',
    ],
    [
      { BOT_DATABASE_URL: "mysql://root:hunter2@127.0.0.1/bot" },
      'BOT_DATABASE_URL must be sqlite:<file>, sqlite::memory: or postgres://user@host:5432/name, but is "mysql://root:[redacted]@127.0.0.1/bot".',
    ],
    [
      { SLACK_BOT_TOKEN: "hunter2" },
      "SLACK_BOT_TOKEN must be a token that begins with xoxb-, then letters, digits and dashes, but is 7 characters long.",
    ],
    [
      { SLACK_BOT_TOKEN: "xoxb-…" },
      "SLACK_BOT_TOKEN must be a token that begins with xoxb-, then letters, digits and dashes, but is 6 characters long and begins with xoxb-.",
    ],
    [
      { SLACK_APP_TOKEN: "xoxb-hunter2" },
      "SLACK_APP_TOKEN must be a token that begins with xapp-, then letters, digits and dashes, but is 12 characters long and begins with xoxb-.",
    ],
    [
      { BOT_MASTER_KEY: "hunter2" },
      "BOT_MASTER_KEY must be 32 bytes in base64 or hex (openssl rand -base64 32), but is 7 characters long.",
    ],
    [
      { BOT_LOG_LEVEL: "loud" },
      'BOT_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, but is "loud".',
    ],
    [{ BOT_ALLOW_PRIVATE_WATCH_URLS: "maybe" }, 'BOT_ALLOW_PRIVATE_WATCH_URLS must be true or false, but is "maybe".'],
    [{ BOT_ALLOW_PRIVATE_ADDRESSES: "maybe" }, 'BOT_ALLOW_PRIVATE_ADDRESSES must be true or false, but is "maybe".'],
    [
      { ...media, MEDIA_API_KEY: "hunter 2" },
      "MEDIA_API_KEY must be an API key, without spaces and quotes, but is 8 characters long.",
    ],
    [
      { ...media, MEDIA_BASE_URL: "https://user:hunter2@media.example" },
      'MEDIA_BASE_URL must have no user name and no password (the API key authenticates), but is "https://user:[redacted]@media.example".',
    ],
    [
      { ...media, BOT_ALLOW_PRIVATE_ADDRESSES: "false" },
      'MEDIA_BASE_URL must be a public address with https:// (BOT_ALLOW_PRIVATE_ADDRESSES=false), but is "http://127.0.0.1:8080".',
    ],
    [{ BOT_JOIN_URL: "https://meet.example.com/" }, "BOT_JOIN_URL must contain {token}, which stands for the token."],
    ...["hunter2", "C01,C02", "C01,T01:C02", "T01:C01,T01:C02", "T01:", "T01:C01,"].map(
      (text): [Record<string, string>, string] => [
        { BOT_AUDIT_CHANNEL: text },
        `BOT_AUDIT_CHANNEL must be the id of a channel, such as C0123, or of one for each workspace: T01:C01,T02:C02, but is "${text}".`,
      ],
    ),
  ])("%j is refused with the expected and the received value", (env, problem) => {
    expect(problemsOf({ ...oneWorkspace, ...env })).toEqual([problem]);
  });

  it("that is invalid is reported together with all others, and no secret is shown", () => {
    const env = {
      SLACK_BOT_TOKEN: "hunter2",
      SLACK_CLIENT_ID: "hunter2",
      MEDIA_API_KEY: "hunter2",
      BOT_MASTER_KEY: "hunter2",
      BOT_MASTER_KEY_FILE: "hunter2",
      BOT_TOKEN_POLICY: "/nowhere/policy.json",
      BOT_PUBLIC_URL: "ftp://hunter2@bot.example",
      BOT_DATABASE_URL: "mysql://root:hunter2@127.0.0.1/bot",
    };
    const problems = problemsOf(env);
    expect(problems.map((problem) => problem.split(" ")[0]).sort()).toEqual([
      "BOT_DATABASE_URL",
      "BOT_MASTER_KEY",
      "BOT_MASTER_KEY",
      "BOT_PUBLIC_URL",
      "BOT_TOKEN_POLICY",
      "MEDIA_BASE_URL",
      "MEDIA_PROJECT_ID",
      "SLACK_BOT_TOKEN",
      "SLACK_BOT_TOKEN",
      "SLACK_SIGNING_SECRET",
    ]);
    expect(problems.join()).not.toContain("hunter2");
    for (const problem of problems) expect(() => readConfig(env)).toThrow(problem);
  });
});

const { SLACK_STATE_SECRET, BOT_PUBLIC_URL, SLACK_SIGNING_SECRET, ...half } = manyWorkspaces;

it.each([
  ["no settings", {}, ["SLACK_BOT_TOKEN is missing", "SLACK_SIGNING_SECRET is missing"]],
  ["half of OAuth", half, ["SLACK_STATE_SECRET is missing", "SLACK_SIGNING_SECRET is missing", "BOT_PUBLIC_URL"]],
  ["one workspace and many", { ...manyWorkspaces, ...oneWorkspace }, ["SLACK_BOT_TOKEN is for one workspace"]],
  ["a key without an address", { ...oneWorkspace, ...media, MEDIA_BASE_URL: "" }, ["MEDIA_BASE_URL is missing"]],
  ["a project for every workspace", { ...manyWorkspaces, ...media }, ["MEDIA_BASE_URL, MEDIA_API_KEY, MEDIA_PRO"]],
  ["one audit channel for many workspaces", { ...manyWorkspaces, BOT_AUDIT_CHANNEL: "C01" }, ["BOT_AUDIT_CHANNEL"]],
])("contradictory settings are refused: %s", (_, env, beginnings) => {
  const problems = problemsOf(env);
  expect(problems).toHaveLength(beginnings.length);
  for (const [index, beginning] of beginnings.entries()) expect(problems[index]).toContain(beginning);
});

describe("the policy file", () => {
  it("is read", async () => {
    const BOT_TOKEN_POLICY = await policyFile('{ "maxLifetime": "8h" }');
    const { policy } = readConfig({ ...oneWorkspace, BOT_TOKEN_POLICY });
    expect(policy).toEqual({ ...defaultPolicy, maxLifetimeMs: 8 * 3_600_000 });
  });

  it("is reported with all its faults, together with those of other settings", async () => {
    const file = await policyFile('{ "maxLifetime": "hunter2", "ask": ["hunter2"], "grants": [{ "to": ["admins"] }] }');
    const problems = problemsOf({ ...oneWorkspace, BOT_TOKEN_POLICY: file, BOT_PORT: "http" });
    expect(problems).toEqual([
      'BOT_PORT must be a number from 0 to 65535, but is "http".',
      `BOT_TOKEN_POLICY ${file}: maxLifetime must be a length of time of at least a second, such as 10m or 1h`,
      `BOT_TOKEN_POLICY ${file}: ask[0] must be the id of a user (U…) or of a user group (S…)`,
      `BOT_TOKEN_POLICY ${file}: grants[0].roles must be a list of roles: recvonly, sendonly, sendrecv, any`,
      `BOT_TOKEN_POLICY ${file}: grants[0].maxLifetime must be a length of time of at least a second, such as 10m or 1h`,
    ]);
  });

  it("that does not exist is reported by name", () => {
    expect(problemsOf({ ...oneWorkspace, BOT_TOKEN_POLICY: "/nowhere/policy.json" })).toEqual([
      'BOT_TOKEN_POLICY must be the name of a file, but "/nowhere/policy.json" cannot be read (ENOENT).',
    ]);
  });
});
