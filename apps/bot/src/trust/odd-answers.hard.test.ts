import { checkBlocks, textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { always, startBadService } from "../test/services.js";
import { startStage } from "../test/stage.js";

const deep = { channel_id: { a: [] }, connection_id: 5, client_id: ["c"], timestamp: null, type: {}, outcome: 7 };
const long = {
  channel_id: `${"<!here>".repeat(50)}@demo`,
  connection_id: "x".repeat(5000),
  client_id: "`*_~".repeat(400),
};

/** What no service of the contract answers. */
const odd: readonly [string, unknown][] = [
  ["entries of other types", [null, 5, "x", [], {}, deep]],
  ["entries with long names", [{ ...long, timestamp: new Date().toISOString(), type: "connection.failed" }]],
  [
    "channels of other types",
    { channels: [null, 5, {}, deep, { channel_id: "lobby@demo", clients: [null, {}, deep] }] },
  ],
  ["channels with long names", { channels: [{ ...long, connections: 1, clients: [long] }], connections: "many" }],
  ["counts of other types", { total: {}, groups: [null, {}, { by: 5, count: "x" }], complete: "yes" }],
];

it.each(odd)("a service that answers with %s gets an answer or a reason for every command", async (_, answer) => {
  const url = await startBadService(always(200, answer, { "x-searched-to": new Date().toISOString() }));
  const stage = await startStage({ media: { url } });
  for (const command of ["trace lobby", "trace 0J9V6TQ2…W1NA", "why", "live", "live lobby", "logs events"]) {
    const message = await stage.ask(stage.ann, `/media ${command}`);
    expect(checkBlocks(message.blocks, "message"), command).toEqual({ ok: true });
    expect(textOf(message), command).not.toBe("");
  }
  expect(stage.logged()).not.toContain("Slack refused the blocks");
  expect(stage.logged()).not.toContain("TypeError");
});
