// The package as other programs see it: what is built, by its name, with nothing of the compiler's checks left out.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHttpServer } from "./http.js";

const run = promisify(execFile);
const here = join(import.meta.dirname, "..");
const house = join(here, "../../..");

/** Compiles files in a folder of this package, so that they find what this package finds. */
async function compile(options: object, files: Record<string, string>): Promise<string> {
  await mkdir(join(here, "dist"), { recursive: true });
  const folder = await mkdtemp(join(here, "dist/compiled-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const compilerOptions = { strict: true, skipLibCheck: false, noEmit: true, target: "ES2022", ...options };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const tsc = join(here, "node_modules/.bin/tsc");
  return run(tsc, ["-p", folder]).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
}

async function codeBlocks(path: string, language: string): Promise<string[]> {
  const text = await readFile(join(house, path), "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, code]) => code ?? "");
}

const examples = ["failing-webhooks.ts", "long-sessions.ts", "viewer-token.ts", "watch.ts"];

describe("the examples compile", () => {
  it.each([
    ["in a Node program", { module: "NodeNext", types: ["node"], lib: ["ES2022"], exactOptionalPropertyTypes: true }],
    [
      "in a bundled page",
      { module: "ESNext", moduleResolution: "Bundler", types: [], lib: ["ES2022", "DOM", "DOM.Iterable"] },
    ],
  ])("%s", async (_, options) => {
    const files = await Promise.all(
      examples.map(async (name) => [name, await readFile(join(here, "src", name), "utf8")]),
    );
    expect(await compile(options, Object.fromEntries(files))).toBe("");
  });

  it("only as long as they are right", async () => {
    const wrong = `import type { WebhookLogEntry } from "@media-ops/sdk";\nexport const at = (entry: WebhookLogEntry): Date => entry.timestamp;\n`;
    expect(await compile({ module: "NodeNext", types: ["node"] }, { "wrong.ts": wrong })).toContain(
      "is not assignable to type 'Date'",
    );
  });
});

describe("the documentation", () => {
  it.each(["README.md", "packages/sdk/README.md", "packages/tokens/README.md", "packages/formatters/README.md"])(
    "of %s compiles",
    async (path) => {
      const blocks = await codeBlocks(path, "ts");
      expect(blocks.length).toBeGreaterThan(0);
      const files = blocks.map((code, index) => [`block-${index + 1}.ts`, `${code}\nexport {};\n`]);
      const options = { module: "NodeNext", types: ["node"], lib: ["ES2022"] };
      expect(await compile(options, Object.fromEntries(files))).toBe("");
    },
  );

  it("of docs/api.md answers as it says, line by line", async () => {
    const service = createFakeMediaService();
    const server = createHttpServer(service.fetch).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [settings = "", ...blocks] = await codeBlocks("docs/api.md", "sh");
    const script = [settings.replace(/http:\S+/, address), ...blocks].join("\n");
    const env = { PATH: `${await folderWithCurl()}:${process.env.PATH}` };

    const { stdout } = await run("sh", ["-ec", script], { env });
    const answers = stdout.trim().split("\n");
    expect(answers.map((answer) => JSON.parse(answer))).toEqual([
      [],
      [],
      [],
      [],
      [],
      { access_token: expect.any(String) },
    ]);
    expect(service.calls.map((call) => call.path)).toEqual([
      "/orgs/list-session-logs",
      "/orgs/list-connection-logs",
      "/orgs/list-api-logs",
      "/orgs/list-media-api-logs",
      "/orgs/list-webhook-logs",
      "/projects/create-access-token",
    ]);
  });
});

/** A folder with what stands in for curl, which not every machine has. It knows only the options that the docs use. */
async function folderWithCurl(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "curl-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = `#!${process.execPath}
const { values, positionals } = require("node:util").parseArgs({
  allowPositionals: true,
  options: {
    request: { type: "string", short: "X" },
    header: { type: "string", short: "H", multiple: true },
    data: { type: "string", short: "d" },
  },
});
const headers = values.header.map((header) => header.split(": "));
fetch(positionals[0], { method: values.request, headers, body: values.data })
  .then((response) => response.text())
  .then((text) => console.log(text));
`;
  await writeFile(join(folder, "curl"), program, { mode: 0o755 });
  return folder;
}
