import { expect, it } from "vitest";
import { startAcme } from "../test/acme.js";

it("a listener receives each entry at once, until it is removed", async () => {
  const { slack, client, general, ann } = await startAcme();
  await client.chat.postMessage({ channel: general.id, text: "before" });
  const told: unknown[] = [];
  const end = slack.watch((entry) => {
    // The entry's message is already visible.
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

it("the transcript keeps a limited number of entries, and stays the same list", async () => {
  const { slack, client } = await startAcme({ keeps: 3 });
  const { transcript } = slack;
  for (const name of ["a", "b", "c", "d"]) await client.apiCall("auth.test", { name });
  expect(transcript.map(({ detail }) => detail.args)).toMatchObject([{ name: "b" }, { name: "c" }, { name: "d" }]);
  expect(slack.transcript).toBe(transcript);
});

it("keeps a limited number of messages: public ones, and private ones per person", async () => {
  const { slack, ann, bob, general, client } = await startAcme({ keepsMessages: 2 });
  const gone: unknown[] = [];
  slack.watch(({ what, name, users, detail }) => {
    if (what === "hidden" && name === "message") gone.push([detail.text, users]);
  });
  for (const text of ["one", "two", "three"]) {
    await client.chat.postMessage({ channel: general.id, text });
    await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: `${text} for ann` });
  }
  expect(bob.sees(general).map(({ text }) => text)).toEqual(["two", "three"]);
  expect(ann.sees(general).map(({ text }) => text)).toEqual(["two", "two for ann", "three", "three for ann"]);
  expect(gone).toEqual([
    ["one", expect.arrayContaining([ann.id, bob.id])],
    ["one for ann", [ann.id]],
  ]);
});
