import { type Place, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it } from "vitest";
import { controls } from "../saved-command.js";
import { labelsOf, type Stage, startStage } from "../test/stage.js";

/** The controls that contain a command, with the command whose newest message they are told to use. */
const forged = [
  ...Object.entries(controls).flatMap(([command, { back: _, ...ids }]: [string, Record<string, string>]) =>
    Object.values(ids).map((id) => [id, command]),
  ),
  ["log-details", "logs"],
  ["trace-here", "trace"],
];

/** Values that no version of the bot wrote, or that belong to another control. */
const values = [
  "x",
  "new",
  "new - token lobby",
  "new token lobby",
  "now disconnect demo",
  "1:2:3 why",
  "new 5:@x y trace",
];

describe("a control with a value that is not its own", () => {
  let stage: Stage;
  let place: Place;
  const atEnd = closeAfterAll();
  beforeAll(async () => {
    stage = await startStage({ atEnd });
    place = stage.team.addChannel({ name: "ops", members: [stage.ann], withBot: true });
  });

  const post = (action: string, value: string): Promise<SeenMessage> =>
    stage.next(stage.ann, place, () => stage.postButton(place, action, value));

  it.each(forged)("is refused, and does nothing: %s", async (action, command) => {
    for (const value of values) {
      const message = await post(action, value);
      await stage.ann.press(message, "Press");
      await stage.settled();
      const said = stage.ann.modal ? textOf(stage.ann.modal) : textOf(stage.ann.sees(place).at(-1) ?? []);
      expect(said).toContain(`This message is too old to use. /media ${command} shows a new one.`);
      expect(stage.ann.messageAt(message)).toEqual(message);
      if (stage.ann.modal) await stage.ann.close();
    }
    const { query } = await stage.openStorage();
    expect(await query.selectFrom("minting").selectAll().execute()).toEqual([]);
  });

  it("names the project of a trace, but may not read another than those of the workspace", async () => {
    const message = await post("trace-page", "new trace lobby in:planted");
    const answer = await stage.next(stage.ann, place, () => stage.ann.press(message, "Press"));
    expect(textOf(answer)).toContain('No project "planted" is connected.');
  });

  it("has no way back to anything but a page", async () => {
    const message = await post("trace-page", "new 16:@run token lobby trace lobby in:demo");
    const answer = await stage.next(stage.ann, place, () => stage.ann.press(message, "Press"));
    expect(labelsOf(answer)).toEqual(["Refresh"]);
  });
});
