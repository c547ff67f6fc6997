import { afterAll, expect, it } from "vitest";
import { startTestIntake } from "../test/intake-harness.js";
import { connectionDestroyed, connectionOf } from "../test/media-events.js";

const LENGTH = 1_000_000;
const fill = (text: string): string => text.repeat(Math.ceil(LENGTH / text.length)).slice(0, LENGTH);

const test = await startTestIntake({ atEnd: afterAll });

// Each begins like a text that the service's regular expressions search for.
it.each([
  ["a Slack webhook", `https://hooks.slack.com/a/${fill("a/")}`],
  ["a Slack response URL", `/response/${fill("a/")}`],
  ["a Slack token", `xoxb-${fill("a.")}`],
  ["an API key", `mo_a_${fill("%5F")}`],
  ["a JWT", `eyJ${fill("a.")}`],
  ["a chain of channels", fill("@a")],
  ["nested lists", fill("[")],
])("1 MB that look like %s are refused with 400 in any position, and kept in quarantine", async (_, text) => {
  const { post, metric } = test;
  const counter = 'media_intake_total{kind="event",outcome="quarantined"}';
  const before = await metric(counter);
  const ended = connectionDestroyed(connectionOf());
  const bodies = [
    { ...ended, data: { [text]: 1 } },
    { ...ended, type: text },
    { ...ended, channel_id: text },
    { ...ended, timestamp: text },
    `{"access_token":"${text}`,
    text,
  ];
  for (const body of bodies) expect((await post("event", body)).status).toBe(400);
  expect(await metric(counter)).toBe(before + bodies.length);
  expect((await post("event", ended)).status).toBe(200);
});
