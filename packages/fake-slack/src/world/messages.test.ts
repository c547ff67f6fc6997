import { expect, it } from "vitest";
import { startAcme } from "../test/acme.js";

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
