import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMediaClient, MediaError } from "./index.js";

const apiKey = "mo_k1_plantedKeyThatMustNeverShow";
const token = "eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ";
const planted = [apiKey, "plantedKey", token, token.slice(0, 30), "c2lnbmF0dXJl"];

/** Every representation of a value that a person, a logger or an error tracker could see. */
function everythingOf(value: unknown): string {
  const shown = inspect(value, { depth: 20, showHidden: true, getters: true });
  const { stack, message } = value instanceof Error ? value : {};
  return [shown, stack, message, String(value), JSON.stringify(value)].join("\n");
}

const echo = `You sent Bearer ${apiKey} and got {"access_token":"${token}"}`;

const answers: [string, () => Response | Promise<Response>][] = [
  [
    "a problem that repeats the key and a token",
    () => Response.json({ title: echo, detail: echo, errors: [{ pointer: echo, detail: echo }] }, { status: 400 }),
  ],
  [
    "a problem that repeats them with escaped letters",
    () => new Response(JSON.stringify({ detail: echo }).replaceAll("l", "\\u006c"), { status: 400 }),
  ],
  ["a failing response in plain text", () => new Response(echo, { status: 500 })],
  ["HTML that repeats them", () => new Response(`<p>${echo}`, { headers: { "content-type": "text/html" } })],
  ["a content type that repeats the key", () => new Response("<p>", { headers: { "content-type": `text/${apiKey}` } })],
  ["a response that is cut off within a token", () => new Response(`{"access_token":"${token.slice(0, 60)}`)],
  ["a token that is not JSON", () => new Response(token)],
  ["a token in another shape", () => Response.json({ token })],
  ["a request id that repeats the key", () => Response.json({}, { status: 401, headers: { "x-request-id": apiKey } })],
  [
    "a fetch that throws an error with the request",
    () => {
      throw Object.assign(new TypeError(`failed: ${echo}`, { cause: new Error(echo) }), {
        config: { headers: { authorization: `Bearer ${apiKey}` } },
      });
    },
  ],
  [
    "a fetch that throws an error which is its own cause",
    () => {
      const error = new Error(echo);
      throw Object.assign(error, { cause: error });
    },
  ],
  [
    "a fetch that throws a value other than an error",
    () => {
      throw { message: echo, headers: [apiKey] };
    },
  ],
];

describe("neither the API key nor a token is exposed", () => {
  it.each(answers)("by errors and log lines after %s", async (_, answer) => {
    const lines: string[] = [];
    const log = (line: string): number => lines.push(line);
    const client = createMediaClient({
      // A gateway may expect a key in its URL.
      baseUrl: `http://media.test/${apiKey}`,
      apiKey,
      maxRetries: 1,
      fetch: async () => answer(),
      logger: { debug: log, warn: log },
    });
    const error = await client.tokens.create().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(MediaError);
    for (const secret of planted) expect(everythingOf(error) + lines.join("\n")).not.toContain(secret);
  });

  it("by the client itself", () => {
    const client = createMediaClient({ baseUrl: "http://media.test", apiKey });
    for (const secret of planted) expect(everythingOf(client)).not.toContain(secret);
  });

  it("by the log lines of calls that succeed", async () => {
    const lines: string[] = [];
    const client = createMediaClient({
      baseUrl: "http://media.test",
      apiKey,
      fetch: async () => Response.json({ access_token: token }),
      logger: { debug: (line) => lines.push(line) },
    });
    await client.tokens.create();
    expect(lines).toEqual([
      expect.stringMatching(
        /^POST http:\/\/media\.test\/projects\/create-access-token \(try 1\) answered 200 in \d+ ms$/,
      ),
    ]);
  });

  it("by the error for an invalid key or URL", () => {
    const make = (baseUrl: string, key: string) => () => createMediaClient({ baseUrl, apiKey: key });
    const thrownBy = (run: () => unknown): unknown => {
      try {
        return run();
      } catch (error) {
        return error;
      }
    };
    expect(everythingOf(thrownBy(make("http://media.test", `${apiKey}\n`)))).not.toContain("plantedKey");
    expect(everythingOf(thrownBy(make("http://user:plantedKey@media.test", apiKey)))).not.toContain("plantedKey");
  });

  /** A text as it is shown if a foreign error says it. */
  async function shown(text: string): Promise<string> {
    const fetch = async () => {
      throw new Error(text || "nothing");
    };
    const client = createMediaClient({ baseUrl: "http://media.test", apiKey, fetch, maxRetries: 0 });
    return client.tokens.create().then(JSON.stringify, (error: Error) => error.message);
  }

  it("at any position in a text", async () => {
    const text = fc.tuple(fc.string(), fc.constantFrom(apiKey, token), fc.string());
    await fc.assert(
      fc.asyncProperty(text, async ([before, secret, after]) => {
        expect(await shown(`${before} ${secret} ${after}`)).not.toContain(secret);
      }),
    );
    // JSON escapes a line end as a letter, directly before the key.
    const detail = "the key was:\nmo_other_plantedKeyOfSomebody";
    expect(await shown(JSON.stringify({ detail }))).not.toContain("KeyOfSomebody");
  });

  it.each([
    "status 401 at 2026-04-01T09:30:15Z",
    "The project demo_eu has no channel lobby@demo_eu.",
    "keyJson.rooms: mo_… and eyJ",
  ])("and ordinary text is unchanged: %s", async (text) => {
    expect(await shown(text)).toContain(text);
  });
});
