import { checkBlocks, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { created, failure, refusal, webhook } from "../test/entries.js";
import { startPlainService } from "../test/plain-service.js";
import { labelsOf, stageWith, startStage } from "../test/stage.js";

const startWithEvents = () => stageWith("events", created({ minutesAgo: 9 }), failure({ minutesAgo: 8 }), refusal());

describe("the event log", () => {
  it("is listed with outcomes and reasons, searched and paged like the others", async () => {
    const stage = await startWithEvents();
    const message = await stage.ask(stage.ann, "/media logs events failed since:1h");
    expect(textOf(message)).toContain("2 failed events of 3 in the last hour, project demo");
    expect(textOf(message)).toContain("▲ channel full (5 of 5)");
    expect(textOf(message)).toContain("✗ ICE timeout");
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
    expect(labelsOf(message)).toEqual(["Refresh", "Share here", "CSV"]);
  });

  it("is part of the status, whose buttons lead to its failures and their causes", async () => {
    const stage = await startWithEvents();
    const { ann } = stage;
    const status = await stage.ask(ann, "/media status");
    expect(textOf(status)).toContain("Event log: newest");
    expect(labelsOf(status)).toEqual(["Look at events", "Why", "Refresh"]);
    const failing = await stage.press(status, "Look at events");
    // Refused clients are no failures of the service.
    expect(textOf(status)).toContain("▲ Connections fail: 1 of 3 events in the last hour");
    expect(textOf(failing)).toContain("1 event of 3 in the last hour, outcome failed, project demo");
    const again = await stage.ask(ann, "/media status", stage.random);
    const why = await stage.next(ann, stage.random, () => ann.press(again, "Why"));
    expect(textOf(why)).toContain("Why connections failed in the last hour, project demo");
  });

  it("has a status that explains why clients were refused, also if nothing failed", async () => {
    const stage = await stageWith("events", created({ minutesAgo: 9 }), refusal());
    const status = await stage.ask(stage.ann, "/media status");
    expect(textOf(status)).toContain("1 attempt to connect refused (channel full)");
    expect(labelsOf(status)).toEqual(["Why", "Refresh"]);
    const why = await stage.press(status, "Why");
    expect(textOf(why)).toContain("channel full");
  });
});

describe("if a service has no event log", () => {
  it.each(["logs events", "summary events", "logs events as:csv", "logs events failed since:2h last:5"])(
    "/media %s says so plainly",
    async (command) => {
      const plain = await startPlainService();
      const stage = await startStage({ media: plain });
      const message = await stage.ask(stage.ann, `/media ${command}`);
      expect(textOf(message)).toContain("This service has no event log");
      expect(textOf(message)).not.toContain("Check the address");
      expect(labelsOf(message)).toEqual(["Status"]);
    },
  );

  it("the status of the other logs is shown, with the one that is missing", async () => {
    const plain = await startPlainService();
    const stage = await startStage({ media: plain });
    plain.add("webhooks", webhook({ status: 503 }));
    const status = await stage.ask(stage.ann, "/media status");
    expect(textOf(status)).toContain("▲ Webhooks fail: 1 of 1 in the last hour");
    expect(textOf(status)).toContain("Event log: this service has none");
    expect(textOf(status)).not.toContain("No answer");
    expect(labelsOf(status)).toEqual(["Look at webhooks", "Refresh"]);
  });
});
