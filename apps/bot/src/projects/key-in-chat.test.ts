import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { readConfig } from "../config/config.js";
import { oneWorkspace } from "../test/config.js";
import { keyInChat } from "./key-in-chat.js";

const secret = "planted_key_that_nobody_may_see_0123456789";
const someone = (isAdmin: boolean) => ({
  prefix: "/media",
  config: readConfig(oneWorkspace),
  member: async () => ({ userId: "U1", isAdmin, isGuest: false, groups: new Set<string>() }),
});

describe("a key that was typed into a conversation", () => {
  it.each([
    `connect demo mo_0123456789abcdef_${secret}`,
    `use mo_0123456789abcdef_${secret}`,
    `connect https://media.example/?key=mo_0123456789abcdef_${secret}`,
    `token eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiIxIn0.${secret}`,
    `help xoxb-1-2-${secret}`,
  ])("is not repeated, and said to be given in a window: %s", async (text) => {
    const draft = await keyInChat(text, someone(true));
    expect(draft?.text).toContain("Revoke it");
    expect(JSON.stringify(draft)).not.toContain("planted");
    expect(JSON.stringify(draft)).toContain("Connect a project");
    expect(checkBlocks(draft?.blocks ?? [], "message")).toEqual({ ok: true });
  });

  it("is answered without the way to the window for those who may not connect", async () => {
    const draft = await keyInChat(`connect mo_0123456789abcdef_${secret}`, someone(false));
    expect(draft?.blocks).toHaveLength(1);
  });

  it.each(["", "logs webhooks status>=400", "use mo_demo", "help token"])("is not seen in %o", async (text) => {
    expect(await keyInChat(text, someone(true))).toBeUndefined();
  });
});
