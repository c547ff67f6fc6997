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
  for (const name of ["a", "b", "c", "d"]) await client.apiCall("auth.test", { name });
  expect(transcript.map(({ detail }) => detail.args)).toMatchObject([{ name: "b" }, { name: "c" }, { name: "d" }]);
  expect(slack.transcript).toBe(transcript);
});

it("keeps only the last messages where that is asked for: of all, and of those for one person alone", async () => {
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
