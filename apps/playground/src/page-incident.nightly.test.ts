import { expect, it } from "vitest";
import { checkPicture, faultsOf, isDrawing, type SlackPage, useBrowser } from "./test/browser.js";

// They wait for an incident of half a minute, and for those who are on it.
const { open, openNew } = useBrowser();

it("a watch notifies its channel when webhooks begin to fail, and edits its message when they succeed again", async () => {
  const [ann, bob] = [await open("Ann Meyer"), await open("Bob Ortiz")];
  await ann.go("incidents");
  const incidents = ann.messages.filter({ hasText: /Webhooks fail/ });
  const button = ann.page.getByRole("button", { name: "Let webhooks fail" });
  await button.click();
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
  await bob.page.getByText(/^Webhooks fail until \d\d:\d\d:\d\d\.$/).waitFor();
  // On a busy machine, it may be over before the page is looked at.
  await expect
    .poll(() => incidents.allTextContents())
    .toEqual([expect.stringMatching(/▲ Webhooks fail in demo: 503|✓ Webhooks failed in demo: 503/)]);
  await bob.page.getByRole("button", { name: /incidents\s*1 unread/ }).waitFor();
  await expect.poll(() => incidents.first().textContent()).toMatch(/✓ Webhooks failed in demo: 503\s*Recovered after/);
  expect(await incidents.count()).toBe(1);
  expect(await button.getAttribute("aria-disabled")).toBe("false");
  await incidents
    .first()
    .getByRole("button", { name: /^\d+ repl/ })
    .click();
  // While webhooks fail, a reply may also say which address is the worst.
  await expect.poll(() => ann.replies.last().textContent()).toMatch(/Recovered after/);
});

// Run this test with PICTURE=1 to draw it again.
it("a watch has a picture in the README", { timeout: 180_000 }, async () => {
  const ann = await openNew("Ann Meyer", { viewport: { width: 1100, height: 930 } });
  await ann.go("incidents");
  if (isDrawing) await showIncident(ann);
  await checkPicture(ann, "watch.png");
});

it("a watch is changed in a window, also to another channel", async () => {
  const ann = await open("Ann Meyer");
  await ann.ask("/media watch api status:5xx");
  await ann.type("/media watches");
  const list = ann.messages.filter({ hasText: "2 watches" });
  await list.getByRole("button", { name: "Edit…" }).first().click();
  const place = ann.modal.getByRole("combobox", { name: "Posts to" });
  await expect.poll(() => place.locator("option:checked").textContent()).toBe("#general");
  expect(await faultsOf(ann)).toEqual([]);
  await place.selectOption("#incidents");
  await ann.modal.getByRole("textbox", { name: /^Fires when/ }).fill("count>many");
  await ann.modal.getByRole("button", { name: "Save" }).click();
  await ann.modal.getByRole("alert").waitFor();
  await ann.modal.getByRole("textbox", { name: /^Fires when/ }).fill("count>20");
  await ann.modal.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => ann.modal.textContent()).toContain("It watches");
  await ann.page.keyboard.press("Escape");
  await ann.go("incidents");
  await expect.poll(() => ann.messages.last().textContent()).toMatch(/@Ann Meyer watches API logs.* more than 20/);
});

it("a digest is announced to its channel, and shown on request", async () => {
  const [ann, bob] = [await open("Ann Meyer"), await open("Bob Ortiz")];
  await bob.go("incidents");
  const before = await ann.messages.count();
  const announced = await bob.next(() => ann.type("/media digest at:09:00 in:#incidents"));
  expect(await announced.textContent()).toContain("@Ann Meyer set a digest of demo every day at 09:00");
  await expect.poll(() => ann.messages.count()).toBe(before + 1);
  const shown = await ann.next(() => ann.messages.last().getByRole("button", { name: "Show it now" }).click());
  expect(await shown.textContent()).toContain("The last 24 hours of demo");
  await expect.poll(() => shown.locator("svg").count()).toBeGreaterThan(0);
});

/** Lets webhooks fail until the incident's message has a chart and a note. */
async function showIncident({ page, messages }: SlackPage): Promise<void> {
  const incident = messages.filter({ hasText: "▲ Webhooks fail" });
  await page.getByRole("button", { name: "Let webhooks fail" }).click();
  await incident.getByRole("button", { name: "I'm on it" }).click();
  await incident.getByText("@Ann Meyer is on it").waitFor();
  await page.mouse.move(0, 0);
  await incident.getByText(/\d{3} webhooks failed since/).waitFor({ timeout: 120_000 });
}
