import { expect } from "vitest";

/** Types a line on the playground's page as its first person does, and waits for an answer in which a text stands. */
export async function typeOnPage(page: string, line: string, expected: string): Promise<void> {
  const { you, places, messages } = await scene(page);
  const [place] = places;
  const before = new Set(messages.map((message) => JSON.stringify(message)));
  const response = await fetch(`${page}/api/do`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ person: you, do: "command", place: place?.id, line }),
  });
  expect(await response.text()).toBe("{}");
  const isNew = (message: string): boolean => !before.has(message);
  const newMessages = async (): Promise<string[]> => {
    return (await scene(page)).messages.map((message) => JSON.stringify(message)).filter(isNew);
  };
  await expect.poll(newMessages).toContainEqual(expect.stringContaining(expected));
}

interface Scene {
  readonly you: string;
  readonly places: readonly { readonly id: string }[];
  readonly messages: readonly unknown[];
}

/** All that is seen: the first event. */
async function scene(page: string): Promise<Scene> {
  const response = await fetch(`${page}/api/window`);
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    const [, data] = /^event: scene\ndata: (.+)\n\n/m.exec(text) ?? [];
    if (data !== undefined) return JSON.parse(data);
  }
  throw new Error(`${page} shows no scene: ${text}`);
}
