import { expect, it } from "vitest";
import * as z from "zod";
import { faultsOf, useBrowser } from "./test/browser.js";

// They take some seconds, because each goes through several windows, and the service waits for receivers.
const { open, playground } = useBrowser();

const JWT = /ey[\w-]+\.ey[\w-]+\.[\w-]+/;

it("a member asks for a stronger token, and gets it in the direct conversation once an admin has approved it", async () => {
  const window = await open("Bob Ortiz");
  const refused = await window.ask("/media token lobby role:sendrecv for:1h");
  await refused.getByRole("button", { name: "Ask for approval…" }).click();
  const submit = window.modal.getByRole("button", { name: "Ask", exact: true });
  await submit.click();
  const reason = window.modal.getByRole("textbox", { name: "Reason" });
  await expect.poll(() => reason.getAttribute("aria-invalid")).toBe("true");
  expect(await faultsOf(window)).toEqual([]);
  await reason.fill("The show tonight");
  const asked = await window.next(() => submit.click());
  expect(await asked.textContent()).toContain("✓ Asked in #audit");
  await window.go("audit");
  await window.page.getByRole("heading", { name: "audit" }).first().waitFor();

  await window.lookAs("Ann Meyer");
  const request = window.messages.filter({ hasText: "@Bob Ortiz asks for an access token" });
  expect(await request.textContent()).toContain("The show tonight");
  await request.getByRole("button", { name: "Approve" }).click();
  await request.getByText(/✓ Approved by @Ann Meyer/).waitFor();
  await expect.poll(() => request.getByRole("button", { name: /Approve|Deny/ }).count()).toBe(0);
  expect(await window.page.content()).not.toMatch(JWT);

  await window.lookAs("Bob Ortiz");
  await window.page.getByRole("button", { name: /Media Ops\s*1 unread/ }).click();
  const token = window.messages.last();
  await token.getByText("Approved by @Ann Meyer").waitFor();
  expect(await token.textContent()).toMatch(JWT);
});

it("an admin revokes a token of the list, which the audit channel and the audit log show", async () => {
  const ann = await open("Ann Meyer");
  const token = await ann.ask("/media token stage for:5m");
  const [, id = ""] = /Token id: ([\w-]{36})/.exec((await token.textContent()) ?? "") ?? [];
  const list = await ann.ask("/media tokens by:me");
  expect(await list.textContent()).toContain("1 active token.");
  await list.getByRole("button", { name: "Revoke…" }).click();
  await ann.modal.getByText("This token would end").waitFor();
  await ann.modal.getByRole("checkbox", { name: /^Disconnect the clients/ }).check();
  expect(await faultsOf(ann)).toEqual([]);
  await ann.modal.getByRole("button", { name: "Revoke", exact: true }).click();
  await ann.modal.getByText(/is revoked.*No client was connected/).waitFor();
  await ann.closeModal();

  await ann.go("audit");
  const post = ann.messages.filter({ hasText: "@Ann Meyer revoked an access token in #general" });
  await expect.poll(() => post.textContent()).toContain(id);
  await ann.type("/media audit");
  const log = ann.messages.filter({ hasText: "Audit log:" });
  await expect.poll(() => log.textContent()).toMatch(new RegExp(`@Ann Meyer · token\\.revoke · done · demo.*${id}`));
});

it("an admin disconnects a channel, which the media server does", async () => {
  const ann = await open("Ann Meyer");
  await expect.poll(async () => (await connectedIn("stage")).length).toBeGreaterThan(1);
  const live = await ann.ask("/media live stage");
  const before = await connectedIn("stage");
  await live.getByRole("button", { name: "Disconnect channel…" }).click();
  await ann.modal.getByText(/\d connections would end, project demo/).waitFor();
  await ann.modal.getByRole("button", { name: "Disconnect", exact: true }).click();
  await ann.modal.getByText(/✓ All connections of stage are ended: \d/).waitFor();
  await ann.closeModal();
  // Others may have connected meanwhile.
  const after = await connectedIn("stage");
  expect(after.filter((id) => before.includes(id))).toEqual([]);
  await live.getByRole("button", { name: "Refresh" }).click();
  await expect.poll(() => live.textContent()).not.toContain("camera-73");
});

it("an admin sends a failed delivery again, and sees what its receiver answered", async () => {
  const ann = await open("Ann Meyer");
  const list = await ann.ask("/media deliveries failed last:3");
  expect(await list.getByText(/^✗ failed/).count()).toBe(3);
  await list.getByRole("button", { name: "Send again…" }).first().click();
  const { modal } = ann;
  await modal.getByRole("button", { name: "Send again", exact: true }).click();
  // The receiver sometimes fails.
  const outcome = /✓ Resent and delivered|▲ Resent, but the receiver answered 50[03]/;
  await expect.poll(() => modal.textContent()).toMatch(outcome);
  await modal.getByText("just now · ").waitFor();
});

const connections = z.array(z.object({ connection_id: z.string() }));

/** Returns the ids of the connections that the media server has in a channel of the demo project. */
async function connectedIn(channel: string): Promise<string[]> {
  const response = await fetch(playground().mediaApiUrl, {
    method: "POST",
    headers: { "x-media-target": "Media_20151104.ListChannelConnections" },
    body: JSON.stringify({ channel_id: `${channel}@demo` }),
  });
  // A channel exists while somebody is connected.
  if (response.status === 404) return [];
  return connections.parse(await response.json()).map(({ connection_id }) => connection_id);
}
