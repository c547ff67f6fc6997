// The package as other programs use it: built, imported by its name, with all checks of the compiler.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const here = join(import.meta.dirname, "..");
const house = join(here, "../../..");

/** A folder inside this package, so that imports resolve as in this package. */
async function newFolder(): Promise<string> {
  await mkdir(join(here, "dist"), { recursive: true });
  const folder = await mkdtemp(join(here, "dist/compiled-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Compiles files, and returns the compiler's errors. */
async function compile(options: object, files: Record<string, string>, folder?: string): Promise<string> {
  folder ??= await newFolder();
  const compilerOptions = { strict: true, skipLibCheck: false, noEmit: true, target: "ES2022", ...options };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const tsc = join(here, "node_modules/.bin/tsc");
  return run(tsc, ["-p", folder]).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
}

async function codeBlocks(path: string): Promise<string[]> {
  const text = await readFile(join(house, path), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code ?? "");
}

const anywhere = ["explain-failures.ts", "failing-webhooks.ts", "long-sessions.ts", "viewer-token.ts", "watch.ts"];
const examples = [...anywhere, "webhook-receiver.ts"];

describe("the examples compile", () => {
  it.each([
    [
      "in a Node program",
      examples,
      { module: "NodeNext", types: ["node"], lib: ["ES2022"], exactOptionalPropertyTypes: true },
    ],
    [
      "in a bundled page",
      anywhere,
      { module: "ESNext", moduleResolution: "Bundler", types: [], lib: ["ES2022", "DOM", "DOM.Iterable"] },
    ],
  ])("%s", async (_, names, options) => {
    const files = await Promise.all(names.map(async (name) => [name, await readFile(join(here, "src", name), "utf8")]));
    expect(await compile(options, Object.fromEntries(files))).toBe("");
  });

  it("and a type error is reported", async () => {
    const wrong = `import type { WebhookLogEntry } from "@media-ops/sdk";\nexport const at = (entry: WebhookLogEntry): Date => entry.timestamp;\n`;
    expect(await compile({ module: "NodeNext", types: ["node"] }, { "wrong.ts": wrong })).toContain(
      "is not assignable to type 'Date'",
    );
  });
});

describe("a CommonJS program", () => {
  const everything = `
    import { formatLogs } from "@media-ops/formatters/csv";
    import * as formatters from "@media-ops/formatters";
    import { createMediaClient, MediaBadRequestError, MediaError, type WebhookLogEntry } from "@media-ops/sdk";
    import { createFakeMediaService } from "@media-ops/sdk/testing";
    import { createTokenVerifier, TokenInvalidError } from "@media-ops/sdk/tokens";
    import { verifyWebhook, WebhookVerificationError } from "@media-ops/sdk/webhooks";
    import * as tokens from "@media-ops/tokens";
    import { ed25519ToTokenKey, textToTokenKey, TokenUsageError, verifyToken } from "@media-ops/tokens";

    async function main(): Promise<void> {
      const service = createFakeMediaService();
      const client = createMediaClient(service.clientOptions);
      service.add("webhooks", { status: 500, timestamp: new Date().toISOString() });
      const [entry]: WebhookLogEntry[] = await client.logs.webhooks();
      const refusal: unknown = await client.tokens.create({ channel_id: "lobby" }).catch((error: unknown) => error);
      // The same classes for both kinds of modules, also where one was loaded by the other.
      const modules = await import("@media-ops/sdk");
      const webhook: unknown = await verifyWebhook({ body: "", headers: {}, secret: "whsec_" + "A".repeat(40) }).catch((error: unknown) => error);
      const verifier = createTokenVerifier({ baseUrl: "http://media.test", projectId: "demo" });
      const token: unknown = await verifier.verify("abc").catch((error: unknown) => error);
      console.log(JSON.stringify([
        entry?.status, refusal instanceof MediaBadRequestError, refusal instanceof modules.MediaError, MediaError === modules.MediaError,
        webhook instanceof WebhookVerificationError && webhook.code,
        token instanceof TokenInvalidError && token instanceof tokens.TokenInvalidError && token.code,
        [ed25519ToTokenKey, textToTokenKey, TokenUsageError, verifyToken, formatLogs].map((one) => typeof one), Object.keys(formatters).length > 0,
      ]));
    }
    void main();
  `;

  it("compiles with type checks of its dependencies, and shares the classes of the ES modules", async () => {
    const folder = await newFolder();
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "commonjs" }));
    const options = { module: "Node16", types: ["node"], lib: ["ES2022"], noEmit: false };
    expect(await compile(options, { "main.ts": everything }, folder)).toBe("");
    expect(await readFile(join(folder, "main.js"), "utf8")).toContain('require("@media-ops/sdk")');
    const { stdout } = await run(process.execPath, [join(folder, "main.js")]);
    const functions = Array.from({ length: 5 }, () => "function");
    expect(JSON.parse(stdout)).toEqual([500, true, true, true, "MissingHeader", "malformed", functions, true]);
  });
});

describe("the documentation", () => {
  it.each([
    "packages/sdk/README.md",
    "packages/tokens/README.md",
    "packages/reports/README.md",
    "packages/formatters/README.md",
  ])("of %s compiles", async (path) => {
    const blocks = await codeBlocks(path);
    expect(blocks.length).toBeGreaterThan(0);
    const files = blocks.map((code, index) => [`block-${index + 1}.ts`, `${code}\nexport {};\n`]);
    const options = { module: "NodeNext", types: ["node"], lib: ["ES2022"] };
    expect(await compile(options, Object.fromEntries(files))).toBe("");
  });
});
