import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it } from "vitest";
import { createLog } from "../log.js";
import { Refusal, unavailable } from "../refusal.js";
import { eventOf, startIntake } from "../test/receiver.js";
import { AnswerLog } from "./listener.js";

type Line = Record<string, unknown> & { msg: string };

const linesIn = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const hasStack = (line: Line): boolean => JSON.stringify(line).includes('"stack"');

function startLog() {
  let time = 0;
  let text = "";
  const log = createLog({
    level: "info",
    to: {
      write: (line) => {
        text += line;
      },
    },
  });
  const answers = new AnswerLog(log, () => time);
  const answer = (url: string, refusal?: Refusal): void => {
    const call = { id: "r1", url, request: { method: "POST" } };
    answers.answered({ call, status: refusal?.status ?? 200, elapsedMs: 1.23, refusal });
  };
  /** The lines logged since the last call. */
  const logged = (): Line[] => {
    const lines = linesIn(text);
    text = "";
    return lines;
  };
  const pass = (ms: number): void => {
    time += ms;
  };
  return { answer, logged, pass };
}

const noDatabase = () => unavailable("Try again in 5 seconds.", 5, { cause: new Error("the disk is full") });

describe("the log shows", () => {
  it.each([
    ["a refused call", new Refusal("bad-request", "Send JSON."), "refused", "Send JSON.", false],
    ["an overloaded service", unavailable("Too much to do.", 1), "failed", "Too much to do.", false],
    [
      "a fault of the service",
      new Refusal("internal-error", "See the log.", { cause: new TypeError("x is not a function") }),
      "failed",
      "See the log. Cause: x is not a function",
      true,
    ],
  ])("%s in one line with its reason", (_, refusal, msg, reason, isWithStack) => {
    const { answer, logged } = startLog();
    answer("/v1/list", refusal);
    const lines = logged();
    expect(lines).toMatchObject([{ msg, request_id: "r1", status: refusal.status, reason }]);
    expect(lines.map(hasStack)).toEqual([isWithStack]);
  });

  it("an outage with its stack once, the number of refused calls once a minute, and when it is over", () => {
    const { answer, logged, pass } = startLog();
    for (let call = 0; call < 3; call++) answer("/intake/event", noDatabase());
    const begun = logged();
    const line = { msg: "failed", status: 503, reason: "Try again in 5 seconds. Cause: the disk is full" };
    const begin = { msg: expect.stringMatching(/^calls are refused/), err: { message: "the disk is full" } };
    expect(begun).toMatchObject([line, begin, line, line]);
    expect(begun.filter(hasStack)).toHaveLength(1);

    pass(60_000);
    answer("/intake/event", noDatabase());
    answer("/intake/event", noDatabase());
    const still = { msg: "calls are still refused", refused: 3, reason: "the disk is full" };
    const later = logged();
    expect(later).toMatchObject([line, still, line]);
    expect(later.filter(hasStack)).toEqual([]);

    pass(5000);
    answer("/v1/list");
    expect(logged()).toEqual([]);
    answer("/intake/event");
    expect(logged()).toMatchObject([{ msg: "calls are answered again", refused: 5, seconds: 65 }]);
    answer("/intake/event");
    expect(logged()).toEqual([]);
  });

  it("calls that fail intermittently as one outage", () => {
    const { answer, logged, pass } = startLog();
    for (let second = 0; second < 30; second++) {
      answer("/intake/event", noDatabase());
      answer("/intake/event");
      pass(1000);
    }
    expect(logged().filter(({ msg }) => msg !== "failed")).toHaveLength(1);
  });

  it("an outage of the media server next to one of the database", () => {
    const { answer, logged } = startLog();
    answer("/v1/list", noDatabase());
    answer("/media-api", new Refusal("bad-gateway", "No answer.", { cause: new Error("ECONNREFUSED") }));
    expect(logged().filter(hasStack)).toMatchObject([{ status: 503 }, { status: 502 }]);
  });
});

it("a full disk leaves one line without a stack for each refused call, and each cause once", async () => {
  const intake = await startIntake({ env: { MEDIA_DATABASE_URL: await databaseUrl() } });
  const { service, logged, send } = intake;
  await intake.setAddress("event", "http://127.0.0.1:1/hooks");
  const setPages = (count: number) =>
    service.storage.writeAll([{ sql: `pragma max_page_count = ${count}`, parameters: [] }]);
  await setPages(1);
  const filler = "x".repeat(100_000);
  const statuses: number[] = [];
  for (let at = 0; at < 60; at++) {
    const { status } = await send("event", { ...eventOf(`e${at}`), filler });
    statuses.push(status);
  }
  const refused = statuses.filter((status) => status === 503).length;
  expect(refused).toBeGreaterThanOrEqual(40);
  const lines = linesIn(logged());
  const answers = lines.filter(({ msg, status }) => msg === "failed" && status === 503);
  expect(answers).toHaveLength(refused);
  for (const line of answers) {
    expect(line).toMatchObject({ request_id: expect.any(String), reason: expect.stringContaining("disk is full") });
  }
  // Each part that needs the database reports its failure once: storing events, delivering them, and the calls.
  const causes = lines.filter(hasStack).map(({ msg }) => msg);
  expect(causes).toContain("calls are refused; until this is fixed, each is logged in one line");
  expect(causes).toContain("the media server's webhooks cannot be stored");
  expect(new Set(causes).size).toBe(causes.length);
  await setPages(1_000_000);
  await expect.poll(async () => (await send("event", eventOf("after"))).status).toBe(200);
});
