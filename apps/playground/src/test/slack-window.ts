import * as z from "zod";

const sceneSchema = z.object({
  you: z.string(),
  people: z.array(z.object({ id: z.string(), name: z.string() })),
  places: z.array(z.object({ id: z.string(), name: z.string() })),
  messages: z.array(
    z.looseObject({
      ts: z.string(),
      threadTs: z.string().optional(),
      from: z.string(),
      text: z.string(),
      isOnlyVisibleToYou: z.boolean(),
    }),
  ),
});

export type TestScene = z.infer<typeof sceneSchema>;

/** Returns the initial state of the page. */
export async function sceneOf(pageUrl: string | undefined): Promise<TestScene> {
  const controller = new AbortController();
  try {
    const response = await fetch(`${pageUrl}/api/window`, { signal: controller.signal });
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const data = /^event: scene\ndata: (.*)\n\n/m.exec(text)?.[1];
      if (data !== undefined) return sceneSchema.parse(JSON.parse(data));
    }
    throw new Error("The page's stream has ended without a scene.");
  } finally {
    controller.abort();
  }
}

/** Performs an action as the person whose window it is. */
export async function act(pageUrl: string | undefined, deed: Readonly<Record<string, unknown>>): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${pageUrl}/api/do`, { method: "POST", headers, body: JSON.stringify(deed) });
  if (!response.ok) throw new Error(`The page answered with ${response.status}: ${await response.text()}`);
  return response.json();
}
