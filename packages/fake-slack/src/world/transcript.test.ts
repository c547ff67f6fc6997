import { expect, it } from "vitest";
import { startAcme } from "../test/acme.js";

it("whoever watches is told of each entry as it comes, until that is ended", async () => {
  const { slack, client, general, ann } = await startAcme();
  await client.chat.postMessage({ channel: general.id, text: "before" });
  const told: unknown[] = [];
  const end = slack.watch((entry) => {
    // What it tells of is there already.
    told.push([entry, ann.sees(general).at(-1)?.text]);
  });
  await client.chat.postMessage({ channel: general.id, text: "hello" });
  const [shown, call] = slack.transcript.slice(-2);
  expect(told).toEqual([
    [shown, "hello"],
    [call, "hello"],
  ]);
  end();
  await client.chat.postMessage({ channel: general.id, text: "after" });
  expect(told).toHaveLength(2);
});

it("the transcript keeps the last entries, as many as it is told to, and stays the same list", async () => {
  const { slack, client } = await startAcme({ keeps: 3 });
  const { transcript } = slack;
  for (const name of ["a", "b", "c", "d"]) await client.apiCall("api.test", { name });
  expect(transcript.map(({ detail }) => detail.args)).toMatchObject([{ name: "b" }, { name: "c" }, { name: "d" }]);
  expect(slack.transcript).toBe(transcript);
});
