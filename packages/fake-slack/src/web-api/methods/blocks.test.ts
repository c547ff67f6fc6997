import { describe, expect, it } from "vitest";
import { clientOf, refusal, startAcme } from "../../test/acme.js";

const tooLong = { type: "header", text: { type: "plain_text", text: "x".repeat(200) } } as const;
const title = { type: "plain_text", text: "A window" } as const;

async function startClient() {
  const { slack } = await startAcme();
  return clientOf(slack, undefined);
}

describe("blocks.validate", () => {
  it("needs no token, and takes what the other methods take", async () => {
    const client = await startClient();
    const blocks = [{ type: "divider" } as const];
    for (const args of [
      { blocks },
      { message: JSON.stringify({ text: "a", blocks }) },
      { view: { type: "modal", title, blocks } },
      { view: { type: "home", blocks } },
    ]) {
      expect(await client.apiCall("blocks.validate", args)).toMatchObject({ ok: true });
    }
  });

  it.each([
    ["blocks", [tooLong], "/0/text/text"],
    ["message", { blocks: [tooLong] }, "/blocks/0/text/text"],
    ["view", { type: "modal", title, blocks: [tooLong] }, "/blocks/0/text/text"],
  ])("says what is wrong with %s, and where in what was given", async (name, given, pointer) => {
    const client = await startClient();
    expect(await refusal(client.apiCall("blocks.validate", { [name]: given }))).toMatchObject({
      ok: false,
      error: `invalid_${name}`,
      errors: [{ pointer, code: "failed_constraint", message: "must be less than 151 characters" }],
    });
  });

  it.each([[{}], [{ blocks: [], message: {} }]])("needs exactly one of them: %j", async (args) => {
    const client = await startClient();
    expect(await refusal(client.apiCall("blocks.validate", args))).toMatchObject({ error: "invalid_arguments" });
  });
});
