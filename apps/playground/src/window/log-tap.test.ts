import { createLog } from "@media-ops/secrets";
import { describe, expect, it } from "vitest";
import { createLogTap } from "./log-tap.js";

describe("the log", () => {
  it("contains the programs' lines with all fields", () => {
    const tap = createLogTap({ keeps: 10 });
    const watched: unknown[] = [];
    const end = tap.watch((line) => watched.push(line.text));
    createLog({ level: "info", to: tap.to("service") }).warn({ project: "demo" }, "late");
    createLog({ level: "info", to: tap.to("bot") }).info("ready");
    end();
    createLog({ level: "info", to: tap.to("bot") }).info("afterwards");
    expect(tap.items).toEqual([
      { id: 1, at: expect.any(Number), from: "service", level: "warn", text: "late", fields: { project: "demo" } },
      { id: 2, at: expect.any(Number), from: "bot", level: "info", text: "ready", fields: {} },
      { id: 3, at: expect.any(Number), from: "bot", level: "info", text: "afterwards", fields: {} },
    ]);
    expect(Math.abs((tap.items[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(watched).toEqual(["late", "ready"]);
  });

  it("keeps only the last lines", () => {
    const tap = createLogTap({ keeps: 2 });
    for (const text of ["1", "2", "3"]) tap.to("bot").write(JSON.stringify({ level: "info", msg: text }));
    expect(tap.items.map(({ id, text }) => [id, text])).toEqual([
      [2, "2"],
      [3, "3"],
    ]);
  });

  it("keeps lines that are not log records as text", () => {
    const tap = createLogTap({ keeps: 5, now: () => 1000 });
    for (const line of ["Listening\n", "[1]", '{"level":30,"time":5,"msg":{}}', '{"time":"never"}'])
      tap.to("bot").write(line);
    expect(tap.items).toMatchObject([
      { at: 1000, level: "info", text: "Listening", fields: {} },
      { at: 1000, level: "info", text: "[1]" },
      { at: 1000, level: "info", text: "" },
      { at: 1000, level: "info", text: "" },
    ]);
  });

  it("contains no secret, even if a program leaks one", () => {
    const tap = createLogTap({ keeps: 5 });
    tap.to("bot").write('{"level":"info","msg":"xoxb-1-horse","password":"horse"}');
    tap.to("bot").write("key mo_k1_horsehorsehorsehorse");
    expect(JSON.stringify(tap.items)).not.toContain("horse");
  });
});
