import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { always, startBadService } from "../test/services.js";
import { startStage } from "../test/stage.js";

type Handler = Parameters<typeof startBadService>[0];

const problem = (status: number, detail: string, headers = {}): Handler => {
  const body = { type: "urn:media-ops:problem:any", title: "Any", status, detail, request_id: "01KAREQUEST" };
  return always(status, body, { "content-type": "application/problem+json", ...headers });
};

const trickle: Handler = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 50);
  response.on("close", () => clearInterval(timer));
};

const notMedia = [
  "The answer did not come from a media service",
  "What to do: Check the address of the service: /media projects shows it",
];

it.each<[what: string, service: Handler | undefined, words: string[], logged?: string]>([
  [
    "that the service is down",
    undefined,
    [
      "The service was not reached",
      "What to do: Check that the service runs, and its address: /media projects shows it.",
    ],
  ],
  [
    "that the service takes too long",
    () => {},
    [
      "The service took too long to answer",
      "What to do: Try again in a minute: /media status shows whether it answers.",
    ],
  ],
  [
    "that the service takes too long, though it sends a byte now and then",
    trickle,
    ["The service took too long to answer"],
  ],
  [
    "that the service limits requests, and when to try again",
    problem(429, "No more than 600 listings a minute.", { "retry-after": "40", "x-request-id": "01KAREQUEST" }),
    [
      "Too many requests with this API key",
      "No more than 600 listings a minute.",
      "What to do: Try again in 40 s.",
      "01KAREQUEST",
    ],
  ],
  [
    "that the key was refused",
    problem(401, "This API key is not known."),
    ["The API key was refused", "/media connect"],
    "MediaUnauthorizedError",
  ],
  [
    "that the key is another project's",
    problem(403, "This key belongs to another project."),
    ["This belongs to another project", "Connect this project with its own key: /media connect."],
  ],
  ["that a web page answers", always(200, "<!doctype html><p>Hi</p>", { "content-type": "text/html" }), notMedia],
  ["that the answer is other JSON", always(200, { rows: [] }), notMedia],
  ["that the answer is truncated", always(200, '[{"timestamp":'), notMedia],
  [
    "that the service failed, while the log has the details",
    always(500, "Traceback: secret place"),
    ["The service failed (status 500)"],
    '"reference"',
  ],
  [
    "the entries, even if some violate the contract",
    always(200, [{ status: 503, extra: null }, null, 7, { timestamp: 5 }]),
    ["project demo", "503"],
  ],
])("a person sees, once and alone, %s", async (_, service, words, logged = "") => {
  const url = service ? await startBadService(service) : "http://127.0.0.1:1";
  const stage = await startStage({ media: { url }, serviceTimeoutMs: 500 });
  const message = await stage.ask(stage.ann, "/media logs webhooks");
  expect(stage.ann.sees(stage.general)).toHaveLength(1);
  expect(stage.bob.sees(stage.general)).toEqual([]);
  for (const text of words) expect(textOf(message)).toContain(text);
  expect(stage.logged()).toContain(logged);
});
