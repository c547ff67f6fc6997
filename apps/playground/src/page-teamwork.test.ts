import { describe, expect, it } from "vitest";
import { faultsOf } from "./test/axe.js";
import { checkPicture, isDrawing, type SlackPage, useBrowser } from "./test/browser.js";

const { open } = useBrowser();

/** What everyone in a channel sees: threads, mentions, watches and digests. */
describe("a thread", () => {
  it("has the answer to a mention of the bot for everyone, and other answers only for the person", async () => {
    const [ann, bob] = [await open("Ann Meyer"), await open("Bob Ortiz")];
    const question = await ann.next(() => bob.type("Which webhooks failed?"));
    const before = await ann.messages.count();
    await openThread(ann, question);
    await reply(ann, "@Media Ops logs webhooks failed last:3 since:1d");
    const answer = articles(ann).nth(2);
    await expect.poll(() => answer.getByRole("table").getByRole("row").count()).toBe(4);
    expect(await articles(ann).nth(1).textContent()).toContain("@Media Ops logs webhooks failed");
    expect(await answer.textContent()).not.toContain("Only visible to you");
    expect(await faultsOf(ann)).toEqual([]);
    await reply(ann, "@Media Ops help");
    await expect.poll(() => articles(ann).nth(4).textContent()).toContain("Only visible to you");
    // The channel shows only how many there are.
    expect(await ann.messages.count()).toBe(before);
    await bob.messages
      .last()
      .getByRole("button", { name: /^3 replies/ })
      .click();
    await expect.poll(() => articles(bob).count()).toBe(4);
    expect(await articles(bob).nth(2).getByRole("table").count()).toBe(1);
  });

  it("begins at a message that mentions the bot, whose name is suggested", async () => {
    const ann = await open("Ann Meyer");
    await ann.box.focus();
    const options = ann.page.getByRole("option");
    await ann.page.keyboard.type("@med");
    await expect.poll(() => options.allTextContents()).toEqual([expect.stringMatching(/^@Media Ops/)]);
    await ann.page.keyboard.press("Tab");
    await ann.page.keyboard.type("stat");
    await expect.poll(() => options.first().textContent()).toMatch(/^status/);
    await ann.page.keyboard.press("Tab");
    expect(await ann.box.inputValue()).toBe("@Media Ops status ");
    const mention = await ann.next(() => ann.type("@Media Ops status"));
    await mention.getByRole("button", { name: /^1 reply/ }).click();
    await expect.poll(() => articles(ann).nth(1).textContent()).toContain("demo at 127.0.0.1");
  });

  it("has no commands, as in Slack, and closes with its place", async () => {
    const ann = await open("Ann Meyer");
    const message = await ann.next(() => ann.type("Has anybody had lunch?"));
    await openThread(ann, message);
    await reply(ann, "/media status");
    await expect.poll(() => articles(ann).last().textContent()).toContain("/media is not supported in threads. Sorry!");
    await ann.thread.getByRole("button", { name: "Close the thread" }).click();
    await expect.poll(() => ann.thread.count()).toBe(0);
    await ann.page.getByRole("complementary", { name: "Behind the scenes" }).waitFor();
    await openThread(ann, message);
    await ann.go("incidents");
    await expect.poll(() => ann.thread.count()).toBe(0);
  });
});

describe("a watch", () => {
  it("notifies its channel when webhooks begin to fail, and edits its message when they succeed again", async () => {
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
    await expect
      .poll(() => incidents.first().textContent())
      .toMatch(/✓ Webhooks failed in demo: 503\s*Recovered after/);
    expect(await incidents.count()).toBe(1);
    expect(await button.getAttribute("aria-disabled")).toBe("false");
    await incidents
      .first()
      .getByRole("button", { name: /^\d+ repl/ })
      .click();
    // While webhooks fail, a reply may also say which address is the worst.
    await expect.poll(() => articles(ann).last().textContent()).toMatch(/Recovered after/);
  });

  // Run this test with PICTURE=1 to draw it again.
  it("has a picture in the README", { timeout: 180_000 }, async () => {
    const ann = await open("Ann Meyer", { viewport: { width: 1100, height: 930 } });
    await ann.go("incidents");
    if (isDrawing) await showIncident(ann);
    await checkPicture(ann, "watch.png");
  });

  it("is changed in a window, also to another channel", async () => {
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
});

describe("a digest", () => {
  it("is announced to its channel, and shown on request", async () => {
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
});

describe("the home of the app", () => {
  it("shows how the project is, the watches, and lately asked questions, which it asks again", async () => {
    const bob = await open("Bob Ortiz");
    await bob.ask("/media logs webhooks failed since:1h");
    await bob.go("Media Ops");
    const home = bob.page.getByRole("tabpanel", { name: "Home" });
    await expect.poll(() => home.textContent()).toMatch(/demo · 127\.0\.0\.1.*answers in .* failed in the last hour/s);
    expect(await home.textContent()).toMatch(/Watches.*more than 50% failed/s);
    await home.getByRole("button", { name: "logs webhooks failed since:1h" }).click();
    await expect.poll(() => bob.modal.textContent()).toMatch(/[\d,]+ failed webhooks of [\d,]+ in the last hour/);
    await bob.page.keyboard.press("Escape");
    await bob.page.getByRole("tab", { name: /^Messages/ }).click();
    await bob.messages.last().getByRole("table").waitFor();
  });
});

describe("the form for logs", () => {
  it("answers in the window and in the chosen conversation, where nobody else sees it", async () => {
    const [ann, bob] = [await open("Ann Meyer"), await open("Bob Ortiz")];
    await ann.box.fill("/query");
    await ann.page.getByRole("option", { name: /^Query logs/ }).click();
    const { modal } = ann;
    await modal.getByRole("combobox", { name: "Log" }).selectOption("Webhook log");
    await modal.getByRole("combobox", { name: "Which entries" }).selectOption("Only failed or refused ones");
    await modal.getByRole("textbox", { name: /^Filters/ }).fill("status:503");
    expect(
      await modal
        .getByRole("combobox", { name: /^Answer in/ })
        .locator("option:checked")
        .textContent(),
    ).toBe("#general");
    // By now, Bob's window shows his messages instead of those of the person before.
    const before = await bob.messages.count();
    const answer = await ann.next(() => modal.getByRole("button", { name: "Show" }).click());
    await expect.poll(() => modal.textContent()).toMatch(/failed webhooks of [\d,]+ in the last hour, status 503/);
    await ann.page.keyboard.press("Escape");
    expect(await answer.textContent()).toContain("Only visible to you");
    expect(await answer.getByRole("table").count()).toBe(1);
    expect(await bob.messages.count()).toBe(before);
  });
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

/** The messages of the open thread: first the one that begins it. */
const articles = ({ thread }: SlackPage) => thread.getByRole("article");

async function openThread({ thread }: SlackPage, message: SlackPage["box"]): Promise<void> {
  await message.hover();
  await message.getByRole("button", { name: "Reply in thread" }).click();
  await thread.waitFor();
}

async function reply({ thread }: SlackPage, text: string): Promise<void> {
  const box = thread.getByRole("textbox", { name: "Reply in the thread" });
  await box.fill(text);
  // Closes the suggestions.
  await box.press("Escape");
  await box.press("Enter");
}
