import { textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { always, startBadService } from "../test/bad-service.js";
import { startStage } from "../test/stage.js";

const problem = (status: number, detail: string) => ({
  type: "urn:media-ops:problem:any",
  title: "Any",
  status,
  detail,
  request_id: "01KAREQUEST",
});

/** Ann's message if a service sends this answer. */
async function answerOf(baseUrl: string) {
  const stage = await startStage({ media: { url: baseUrl }, serviceTimeoutMs: 500 });
  const message = await stage.ask(stage.ann, "/media logs webhooks");
  expect(stage.ann.sees(stage.general)).toHaveLength(1);
  expect(stage.bob.sees(stage.general)).toEqual([]);
  return { text: textOf(message), logged: stage.logged() };
}

describe("a person sees, once and alone,", () => {
  it("that the service is down", async () => {
    const { text } = await answerOf("http://127.0.0.1:1");
    expect(text).toContain("The service was not reached");
    expect(text).toContain("What to do: Check that the service runs, and its address: /media projects shows it.");
  });

  it("that the service takes too long", async () => {
    const url = await startBadService(() => {});
    const { text } = await answerOf(url);
    expect(text).toContain("The service took too long to answer");
    expect(text).toContain("What to do: Try again in a minute: /media status shows whether it answers.");
  });

  it("that the service takes too long, though it sends a byte now and then", async () => {
    const url = await startBadService((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    });
    const { text } = await answerOf(url);
    expect(text).toContain("The service took too long to answer");
  });

  it("that the service limits requests, and when to try again", async () => {
    const headers = { "retry-after": "40", "x-request-id": "01KAREQUEST", "content-type": "application/problem+json" };
    const url = await startBadService(always(429, problem(429, "No more than 600 listings a minute."), headers));
    const { text } = await answerOf(url);
    expect(text).toContain("Too many requests with this API key");
    expect(text).toContain("No more than 600 listings a minute.");
    expect(text).toContain("What to do: Try again in 40 s.");
    expect(text).toContain("01KAREQUEST");
  });

  it("that the key was refused", async () => {
    const url = await startBadService(
      always(401, problem(401, "This API key is not known."), { "content-type": "application/problem+json" }),
    );
    const { text, logged } = await answerOf(url);
    expect(text).toContain("The API key was refused");
    expect(text).toContain("/media connect");
    expect(logged).toContain("MediaUnauthorizedError");
  });

  it("that the key is another project's", async () => {
    const url = await startBadService(
      always(403, problem(403, "This key belongs to another project."), { "content-type": "application/problem+json" }),
    );
    const { text } = await answerOf(url);
    expect(text).toContain("This belongs to another project");
    expect(text).toContain("Connect this project with its own key: /media connect.");
  });

  it.each([
    ["a web page", "<!doctype html><title>Welcome</title>", { "content-type": "text/html" }],
    ["other JSON", { rows: [] }, {}],
    ["truncated JSON", '[{"timestamp":', {}],
  ])("that the service's answer is invalid: %s", async (_, body, headers) => {
    const { text } = await answerOf(await startBadService(always(200, body, headers)));
    expect(text).toContain("The answer did not come from a media service");
    expect(text).toContain("What to do: Check the address of the service: /media projects shows it");
  });

  it("that the service failed, while the log has the details", async () => {
    const url = await startBadService(always(500, "Traceback: secret place"));
    const { text, logged } = await answerOf(url);
    expect(text).toContain("The service failed (status 500)");
    expect(logged).toContain('"reference"');
  });

  it("the entries, even if some violate the contract", async () => {
    const url = await startBadService(always(200, [{ status: 503, extra: null }, null, 7, { timestamp: 5 }]));
    const { text } = await answerOf(url);
    expect(text).toContain("project demo");
    expect(text).toContain("503");
  });
});
