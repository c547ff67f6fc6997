import { createMediaClient, type IssuedToken } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { serveHttp } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";
import { answerBy, settingsOf } from "./answers.js";
import { newUser, startAtTerminal } from "./media.js";

/** A call of the media server's API. */
interface MediaCall {
  readonly target: string | undefined;
  readonly requestedBy: string | undefined;
  readonly body: unknown;
}

/** The answer of the media server's API to each call. */
interface MediaAnswer {
  readonly status: number;
  /** The body of a refusal of the service itself. @default the media server's own answer */
  readonly problem?: object;
}

/**
 * Serves the SDK's fake of the service, with the media server's API beside it, to a user of the project "demo", in a
 * pipe and at a terminal.
 */
export async function startOperations() {
  const fake = createFakeMediaService();
  const mediaCalls: MediaCall[] = [];
  let mediaAnswer: MediaAnswer | "lost" = { status: 200 };
  const { url, close } = await serveHttp(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const { headers, url: path = "" } = request;
    if (path.startsWith("/media-api")) {
      const [target, requestedBy] = ["x-media-target", "x-requested-by"].map((name) => headers[name]?.toString());
      mediaCalls.push({ target, requestedBy, body: JSON.parse(text) });
      if (mediaAnswer === "lost") return void response.destroy();
      const { status, problem } = mediaAnswer;
      const type = `application/${problem ? "problem+json" : "json"}`;
      return void response
        .writeHead(status, { "content-type": type })
        .end(JSON.stringify(problem ? { type: "urn:media-ops:problem:test", ...problem } : {}));
    }
    return answerBy(fake, request, text, response);
  });
  onTestFinished(close);
  const env = settingsOf(fake, url);
  const user = await newUser(env);
  const client = createMediaClient({ ...fake.clientOptions, requestedBy: "slack:T0PLAY/U0ANN" });
  return {
    fake,
    client,
    mediaCalls,
    /** Sets the answer to calls of the media server's API. */
    answerMedia(answer: MediaAnswer | "lost"): void {
      mediaAnswer = answer;
    },
    media: (...words: string[]) => user.media(words),
    /** Runs a command with text on its standard input, which is no terminal. */
    piped: (input: string, ...words: string[]) => user.media(words, { input }),
    atTerminal: (...words: string[]) => startAtTerminal(words, { columns: 120, env: { ...env, NO_COLOR: "1" } }),
    /** Issues a token for a channel, and returns what the service knows of it. */
    async issue(channel_id?: string): Promise<IssuedToken & { access_token: string }> {
      const { access_token } = await client.tokens.create({ channel_id, role: "recvonly" });
      const [issued] = (await client.tokens.list()).tokens;
      if (!issued) throw new Error("The fake has issued no token.");
      return { ...issued, access_token };
    },
    /** The paths of the calls that this user made, without those of a test itself. */
    paths: () => fake.calls.filter(({ from }) => from === "cli").map(({ path }) => path),
  };
}
