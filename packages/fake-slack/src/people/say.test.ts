import { describe, expect, it } from "vitest";
import { startAcme } from "../test/acme.js";

describe("a person's reply", () => {
  it("goes into the thread of a message, also as the answer to another reply", async () => {
    const { ann, bob, general } = await startAcme();
    const question = await ann.says("Is K8 down?", { in: general });
    const answer = await bob.says("No.", { in: general, thread: question });
    await ann.says("Thanks.", { in: general, thread: answer });
    expect(answer).toMatchObject({ from: "bob", threadTs: question.ts });
    expect(bob.repliesTo(question).map(({ text }) => text)).toEqual(["No.", "Thanks."]);
    expect(bob.repliesTo(answer)).toEqual([]);
  });

  it("needs a message that others see, in the same channel", async () => {
    const { team, client, ann, bob, general } = await startAcme();
    const random = team.addChannel({ name: "random", members: [ann] });
    const elsewhere = await ann.says("x", { in: random });
    await expect(ann.says("x", { in: general, thread: elsewhere })).rejects.toThrow("is not in general.");
    await expect(bob.says("x", { in: general, thread: elsewhere })).rejects.toThrow("bob does not see the message");
    const { message_ts: ts = "" } = await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: "x" });
    await expect(ann.says("x", { in: general, thread: { channelId: general.id, ts } })).rejects.toThrow(
      "Nobody can reply to a message that only ann sees.",
    );
    expect(bob.sees(general)).toEqual([]);
  });
});
