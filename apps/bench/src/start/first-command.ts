import assert from "node:assert/strict";

const COMMAND = "/media logs webhooks status>=400 since:3h";
const ANSWER = /webhook logs of demo, status ≥ 400, last 3 hours: \d+ of [\d,]+/;

/** What the page is told first, as far as it matters here. */
interface Scene {
  readonly you: string;
  readonly places: readonly { readonly id: string }[];
}

/** Types the first command in the playground's page, and waits until its answer is shown there. */
export async function askFirst(pageUrl: string): Promise<void> {
  const looking = new AbortController();
  try {
    const { body } = await fetch(`${pageUrl}/api/window`, { signal: looking.signal });
    assert(body);
    for await (const { name, data } of eventsIn(body)) {
      if (name === "scene") await type(pageUrl, data as Scene);
      if (name === "message" && ANSWER.test(JSON.stringify(data))) return;
    }
    throw new Error("The page's stream ended without an answer.");
  } finally {
    looking.abort();
  }
}

async function type(pageUrl: string, { you, places }: Scene): Promise<void> {
  const response = await fetch(`${pageUrl}/api/do`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ person: you, do: "command", place: places[0]?.id, line: COMMAND }),
  });
  assert.deepEqual([response.status, await response.json()], [200, {}]);
}

/** Server-sent events as they come. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<{ name: string; data: unknown }> {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const whole = (rest + piece).split("\n\n");
    rest = whole.pop() ?? "";
    for (const event of whole) {
      const [, name = "", data = "null"] = /^event: (\w+)\ndata: (.*)$/m.exec(event) ?? [];
      yield { name, data: JSON.parse(data) };
    }
  }
}
