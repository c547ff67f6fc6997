import { type Place, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { WebClient } from "@slack/web-api";
import { beforeAll, describe, expect, it } from "vitest";
import { labelsOf, type Stage, startStage } from "../test/stage.js";

/** The controls that contain a command, with the command whose newest message they are told to use. */
const controls = [
  ["log-page", "logs"],
  ["log-closer", "logs"],
  ["log-share", "logs"],
  ["log-csv", "logs"],
  ["log-details", "logs"],
  ["show-summary", "summary"],
  ["share-summary", "summary"],
  ["trace-page", "trace"],
  ["trace-closer", "trace"],
  ["trace-share", "trace"],
  ["trace-csv", "trace"],
  ["trace-here", "trace"],
  ["why-page", "why"],
  ["why-closer", "why"],
  ["why-share", "why"],
  ["live-page", "live"],
] as const;

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
  let slack: WebClient;
  const atEnd = closeAfterAll();
  beforeAll(async () => {
    stage = await startStage({ atEnd });
    place = stage.team.addChannel({ name: "ops", members: [stage.ann], withBot: true });
    slack = new WebClient(stage.team.botToken, { slackApiUrl: stage.slack.apiUrl });
  });

  const post = (action_id: string, value: string): Promise<SeenMessage> => {
    const element = { type: "button", text: { type: "plain_text", text: "Press" }, action_id, value } as const;
    const blocks = [{ type: "actions", elements: [element] }];
    return stage.next(stage.ann, place, () => slack.chat.postMessage({ channel: place.id, text: "x", blocks }));
  };

  it.each(controls)("is refused, and does nothing: %s", async (action, command) => {
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
