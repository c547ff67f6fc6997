import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { boxOf, checkPicture, faultsOf, type SlackPage, useBrowser } from "./test/browser.js";

// What the page does: its answers are those of the bot, whose own tests know more of them.
const { open, openNew } = useBrowser();

const JWT = /ey[\w-]+\.ey[\w-]+\.[\w-]+/;

// These run first, while there are few messages, because axe checks each row of each table.
describe("the page", () => {
  it.each([
    ["in dark mode", { colorScheme: "dark" }],
    ["in light mode in a narrow window", { colorScheme: "light", viewport: { width: 390, height: 780 } }],
  ] as const)("%s has no accessibility violations that axe can find", async (_, options) => {
    const ann = await openNew("Ann Meyer", options);
    await ann.ask("/media logs webhooks last:3");
    const summary = await ann.ask("/media summary webhooks since:1h");
    await expect.poll(() => summary.locator("svg").count()).toBeGreaterThan(0);
    expect(await faultsOf(ann)).toEqual([]);
    await ann.type("/media token");
    await ann.modal.waitFor();
    expect(await faultsOf(ann)).toEqual([]);
    await ann.closeModal();
    await expect.poll(() => hasFocus(ann.box)).toBe(true);
    // Nothing overflows horizontally.
    expect(await ann.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
  });
});

describe("the menu of a message", () => {
  it("looks up what the message names, only for the person who asks", async () => {
    const [ann, bob] = [await open("Ann Meyer"), await open("Bob Ortiz")];
    const question = await ann.next(() => bob.type("Customers in `lobby` say that calls drop, why?"));
    await question.hover();
    await question.getByRole("button", { name: "More actions" }).click();
    await ann.page.getByRole("menuitem", { name: "Look up in Media Ops" }).click();
    await expect.poll(() => ann.modal.textContent()).toContain("Trace of channel lobby");
    expect(await bob.modal.count()).toBe(0);
    await ann.closeModal();
  });

  it("works with the keyboard, is shown where there is room, and closes when the focus leaves it", async () => {
    const [ann, bob] = [await open("Ann Meyer"), await open("Bob Ortiz")];
    const last = await ann.next(() => bob.type("Has anybody had lunch?"));
    const more = last.getByRole("button", { name: "More actions" });
    await more.press("Enter");
    const menu = ann.page.getByRole("menu", { name: "More actions" });
    const { y = 0, height = 0 } = (await menu.boundingBox()) ?? {};
    const log = await ann.page.getByRole("log").boundingBox();
    expect(y + height).toBeLessThanOrEqual((log?.y ?? 0) + (log?.height ?? 0));
    expect(await faultsOf(ann)).toEqual([]);
    await ann.page.keyboard.press("Escape");
    await expect.poll(() => hasFocus(more)).toBe(true);
    await more.press("Enter");
    await ann.box.click();
    await expect.poll(() => menu.count()).toBe(0);
    await more.press("Enter");
    await ann.page.keyboard.press("Enter");
    await expect
      .poll(() => ann.modal.textContent())
      .toContain("No id, no channel and no client was found in this message");
    await ann.closeModal();
  });
});

describe("a thread", () => {
  it("has the answer to a mention of the bot for everyone, and other answers only for the person", async () => {
    const [ann, bob] = [await open("Ann Meyer"), await open("Bob Ortiz")];
    const question = await ann.next(() => bob.type("Which webhooks failed?"));
    const before = await ann.messages.count();
    await ann.openThread(question);
    await ann.reply("@Media Ops logs webhooks failed last:3 since:1d");
    const answer = ann.replies.nth(2);
    await expect.poll(() => answer.getByRole("table").getByRole("row").count()).toBe(4);
    expect(await ann.replies.nth(1).textContent()).toContain("@Media Ops logs webhooks failed");
    expect(await answer.textContent()).not.toContain("Only visible to you");
    expect(await faultsOf(ann)).toEqual([]);
    await ann.reply("@Media Ops help");
    await expect.poll(() => ann.replies.nth(4).textContent()).toContain("Only visible to you");
    // The channel shows only how many there are.
    expect(await ann.messages.count()).toBe(before);
    await bob.messages
      .last()
      .getByRole("button", { name: /^3 replies/ })
      .click();
    await expect.poll(() => bob.replies.count()).toBe(4);
    expect(await bob.replies.nth(2).getByRole("table").count()).toBe(1);
  });

  it("begins at a message that mentions the bot, whose name is suggested", async () => {
    const ann = await open("Ann Meyer");
    await ann.box.focus();
    const options = ann.page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
    await ann.page.keyboard.type("@med");
    await expect.poll(() => options.allTextContents()).toEqual([expect.stringMatching(/^@Media Ops/)]);
    await ann.page.keyboard.press("Tab");
    await ann.page.keyboard.type("stat");
    await expect.poll(() => options.first().textContent()).toMatch(/^status/);
    await ann.page.keyboard.press("Tab");
    expect(await ann.box.inputValue()).toBe("@Media Ops status ");
    const mention = await ann.next(() => ann.type("@Media Ops status"));
    await mention.getByRole("button", { name: /^1 reply/ }).click();
    await expect.poll(() => ann.replies.nth(1).textContent()).toContain("demo at 127.0.0.1");
  });

  it("has no commands, as in Slack, and closes with its place", async () => {
    const ann = await open("Ann Meyer");
    const message = await ann.next(() => ann.type("Has anybody had lunch?"));
    await ann.openThread(message);
    await ann.reply("/media status");
    await expect.poll(() => ann.replies.last().textContent()).toContain("/media is not supported in threads. Sorry!");
    await ann.thread.getByRole("button", { name: "Close the thread" }).click();
    await expect.poll(() => ann.thread.count()).toBe(0);
    await ann.page.getByRole("complementary", { name: "Behind the scenes" }).waitFor();
    await ann.openThread(message);
    await ann.go("incidents");
    await expect.poll(() => ann.thread.count()).toBe(0);
  });
});

describe("the six logs", () => {
  it("are tables whose values can all be read at the width of a phone", async () => {
    const ann = await openNew("Ann Meyer", { viewport: { width: 390, height: 780 } });
    for (const [kind, column] of [
      ["sessions", "Session"],
      ["connections", "Client"],
      ["api", "Status"],
      ["media-api", "Operation"],
      ["webhooks", "Event"],
      ["events", "Event"],
    ] as const) {
      const answer = await ann.ask(`/media logs ${kind} last:3`);
      const table = answer.getByRole("table");
      const cells = table.locator("tbody").locator("th, td");
      await expect.poll(() => cells.count()).toBeGreaterThan(3);
      expect(await table.getByRole("columnheader", { name: column }).count()).toBe(1);
      expect(await answer.textContent()).toContain("Only visible to you");
      // Text that is cut off is wider than its cell.
      const cut = await table
        .locator("th, td")
        .evaluateAll((found) => found.filter((cell) => cell.scrollWidth > cell.clientWidth).length);
      expect(cut).toBe(0);
      const rights = await cells.evaluateAll((found) => found.map((cell) => cell.getBoundingClientRect().right));
      expect(Math.max(...rights)).toBeLessThanOrEqual(390);
      const titles = await table.getByRole("columnheader").allTextContents();
      expect(await table.locator("tbody tr").first().locator("th, td").count()).toBe(titles.length);
    }
  });

  it("show every field of a selected entry", async () => {
    const { ask, modal } = await open("Ann Meyer");
    const answer = await ask("/media logs webhooks status:503 last:3");
    await answer.getByRole("combobox").selectOption({ index: 1 });
    await expect.poll(() => modal.textContent()).toMatch(/http:\/\/127\.0\.0\.1:\d+\/(events|sessions)/);
    await modal
      .getByRole("button", { name: /^Close/ })
      .first()
      .click();
    await expect.poll(() => modal.count()).toBe(0);
  });

  it("can be exported as a file, with preview and download", async () => {
    const ann = await open("Ann Meyer");
    const answer = await ann.ask("/media logs webhooks status>=400 last:3");
    await answer.getByRole("button", { name: "CSV" }).click();
    await ann.go("Media Ops");
    await ann.page.getByRole("tab", { name: "Messages" }).click();
    const download = ann.page.waitForEvent("download");
    await ann.messages
      .last()
      .getByRole("link", { name: /Download/ })
      .click();
    const text = await readFile(await (await download).path(), "utf8");
    const [titles, firstEntry = ""] = text.split(/\r?\n/);
    expect(titles).toContain("status");
    await ann.messages
      .last()
      .getByRole("button", { name: /Preview/ })
      .click();
    await expect.poll(() => ann.modal.textContent()).toContain(firstEntry);
    await ann.page.keyboard.press("Escape");
  });

  it("have a name for screen readers, which don't announce each update of a relative time", async () => {
    const { ask } = await open("Ann Meyer");
    const answer = await ask("/media logs webhooks last:3");
    const times = answer.getByRole("table").locator("time");
    expect(await times.count()).toBeGreaterThan(0);
    for (const time of await times.all()) expect(await time.getAttribute("aria-live")).toBe("off");
    await answer.getByRole("group", { name: /webhooks.*, project demo/ }).waitFor();
  });
});

describe("the demo's incident", () => {
  it("has a cause that is named first, and leads to its lines", async () => {
    const { ask } = await open("Ann Meyer");
    const answer = await ask("/media why lobby since:1h");
    const text = await answer.textContent();
    expect(text).toMatch(/Most likely: ICE timeout on node-2: \d+ connections of \d+ clients failed/);
    expect(text).toMatch(/client tv-61 was refused \d+ times/);
    // biome-ignore lint/performance/useDomNodeTextContent: the lines are those of the layout, as in Slack.
    expect(await answer.innerText()).toMatch(/failed, none before\nClients: /);
    await answer.getByRole("button", { name: /^ICE timeout/ }).click();
    const cells = answer.getByRole("table").getByRole("cell", { name: /ICE timeout/ });
    await expect.poll(() => cells.count()).toBeGreaterThan(10);
  });

  it("can be followed in the lobby: failures, refusals, and the webhooks that failed, too", async () => {
    const { ask } = await open("Ann Meyer");
    const answer = await ask("/media trace lobby since:45m until:35m");
    await expect.poll(() => answer.textContent()).toMatch(/failed after 20\.\d s: ICE timeout/);
    const text = await answer.textContent();
    expect(text).toMatch(/webhook connection\.failed → 503 in \d/);
    expect(text).toMatch(/client tv-61 refused: token expired/);
  });

  // Run this test with PICTURE=1 to draw it again.
  it("has a picture in the README", async () => {
    const bob = await openNew("Bob Ortiz", { viewport: { width: 1100, height: 820 } });
    await bob.go("incidents");
    await bob.ask("Customers in `lobby` say that calls drop, why?");
    await bob.ask("/media why lobby since:1h");
    await checkPicture(bob, "playground.png");
  });
});

describe("two people", () => {
  it("see only their own answers, until one is shared", async () => {
    const [ann, bob] = [await open("Ann Meyer"), await open("Bob Ortiz")];
    const before = await bob.messages.count();
    const answer = await ann.ask("/media logs webhooks status:503 last:3");
    const shared = await bob.next(() => answer.getByRole("button", { name: "Share here" }).click());
    expect(await bob.messages.count()).toBe(before + 1);
    const text = await shared.textContent();
    expect(text).toContain("status 503");
    expect(text).not.toContain("Only visible to you");
  });

  it("see their own answers in each channel, which have no menu, as in Slack", async () => {
    const ann = await open("Ann Meyer");
    await ann.go("incidents");
    const own = ann.messages.filter({ hasText: "Only visible to you" }).filter({ hasText: "demo at 127.0.0.1" });
    const answer = await ann.ask("/media status");
    expect(await answer.getByRole("button", { name: "More actions" }).count()).toBe(0);
    expect(await own.count()).toBe(1);
    await ann.lookAs("Bob Ortiz");
    await expect.poll(() => own.count()).toBe(0);
    await ann.lookAs("Ann Meyer");
    await expect.poll(() => own.count()).toBe(1);
    await ann.go("general");
    await expect.poll(() => ann.page.getByRole("heading", { name: "general" }).first().isVisible()).toBe(true);
  });
});

describe("a token", () => {
  it("created by command is shown only to its creator, who can hide it, and go on with the keyboard", async () => {
    const [ann, bob] = [await open("Ann Meyer"), await open("Bob Ortiz")];
    const answer = await ann.ask("/media token lobby role:recvonly for:5m");
    expect(await answer.textContent()).toMatch(JWT);
    expect(await bob.page.content()).not.toMatch(JWT);
    // The panel with Slack's and the bot's requests does not contain it either.
    expect(await ann.page.getByRole("complementary").textContent()).not.toMatch(JWT);
    const before = await ann.messages.count();
    await answer.getByRole("button", { name: "Hide" }).press("Enter");
    await expect.poll(() => ann.messages.count()).toBe(before - 1);
    expect(await ann.page.content()).not.toMatch(JWT);
    await expect.poll(() => hasFocus(ann.page.getByRole("log"))).toBe(true);
  });

  it("created in the modal has the entered values, and is copied with one click, without other text", async () => {
    const ann = await openNew("Ann Meyer", { permissions: ["clipboard-read", "clipboard-write"] });
    await ann.type("/media token");
    await ann.modal.getByRole("textbox", { name: /^Channel/ }).fill("stage");
    await ann.modal.getByRole("combobox", { name: "Lifetime" }).selectOption("5 minutes");
    const limit = ann.modal.getByRole("spinbutton", { name: /^Limit/ });
    await limit.fill("6000");
    await ann.modal.getByRole("button", { name: "Make the token" }).click();
    await expect.poll(() => limit.getAttribute("aria-invalid")).toBe("true");
    expect(await ann.modal.textContent()).toMatch(/5000|5,000/);
    await limit.fill("50");
    const token = await ann.next(() => ann.modal.getByRole("button", { name: "Make the token" }).click());
    expect(await token.textContent()).toMatch(JWT);
    expect(await token.textContent()).toContain("Channel: stage (project demo)");
    await expect.poll(() => ann.modal.count()).toBe(0);
    await token.getByRole("button", { name: "Copy" }).click();
    await token.getByRole("button", { name: "Copied" }).waitFor();
    expect(await ann.page.evaluate<string>("navigator.clipboard.readText()")).toMatch(/^ey[\w-]+\.ey[\w-]+\.[\w-]+$/);
  });
});

it("a command is suggested while it is typed, and can be completed with the keyboard", async () => {
  const { page, box, messages, next } = await open("Ann Meyer");
  await box.focus();
  await page.keyboard.type("/me");
  const options = page.getByRole("listbox").getByRole("option");
  await expect.poll(() => options.first().textContent()).toContain("/media");
  await page.keyboard.press("Tab");
  await page.keyboard.type("summ");
  await expect.poll(() => options.first().textContent()).toContain("summary");
  await page.keyboard.press("Tab");
  await page.keyboard.type("web");
  await expect.poll(() => options.first().textContent()).toContain("webhooks");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  const answer = await next(() => page.keyboard.press("Enter"));
  expect(await answer.textContent()).toMatch(/webhook/);
  await page.keyboard.press("ArrowUp");
  expect((await box.inputValue()).trim()).toBe("/media summary webhooks");
  expect(await messages.count()).toBeGreaterThan(0);
});

it("the panel shows each request and response as unfoldable JSON, and the logs of the service and the bot, which can be searched", async () => {
  const ann = await open("Ann Meyer");
  await ann.ask("/media status");
  const panel = ann.page.getByRole("complementary", { name: "Behind the scenes" });
  const command = panel.getByRole("listitem").filter({ hasText: "/media status" }).first();
  await command.locator("summary").first().click();
  await expect.poll(() => command.textContent()).toMatch(/response_url/);
  await panel.getByRole("searchbox", { name: "Search the log" }).fill("service operations");
  await expect
    .poll(() => panel.getByRole("listitem").allTextContents())
    .toEqual([expect.stringMatching(/the operations are at/)]);
});

it("the page's window reconnects after a lost connection, and shows the same person and place after a reload", async () => {
  const bob = await openNew("Bob Ortiz");
  await bob.go("incidents");
  await bob.page.context().setOffline(true);
  await bob.page.context().setOffline(false);
  const answer = await bob.ask("/media status");
  expect(await answer.textContent()).toContain("demo");
  await bob.page.reload();
  await expect.poll(() => bob.page.getByRole("radio", { name: "Bob Ortiz" }).isChecked()).toBe(true);
  await boxOf(bob, "#incidents").waitFor();
});

describe("the browser's back and forward", () => {
  it("return to the places and windows that were open", async () => {
    const ann = await openNew("Ann Meyer");
    await ann.go("incidents");
    await boxOf(ann, "#incidents").waitFor();
    const before = ann.page.url();
    await ann.lookAs("Bob Ortiz");
    await expect.poll(() => ann.page.url()).not.toBe(before);
    await ann.page.goBack();
    await expect.poll(() => ann.page.getByRole("radio", { name: "Ann Meyer" }).isChecked()).toBe(true);
    await boxOf(ann, "#incidents").waitFor();
    await ann.page.goBack();
    await boxOf(ann, "#general").waitFor();
    await ann.page.goForward();
    await boxOf(ann, "#incidents").waitFor();
  });

  it("return to the previous place if a person navigates before the page handles the browser's event", async () => {
    const ann = await openNew("Ann Meyer");
    const general = await ann.page.evaluate<string>("location.hash");
    await ann.go("incidents");
    await boxOf(ann, "#incidents").waitFor();
    // Browsers report a navigation with a delay.
    await ann.page.evaluate(`history.replaceState(null, "", ${JSON.stringify(general)})`);
    await ann.go("Media Ops");
    await ann.page.getByRole("tabpanel", { name: "Home" }).waitFor();
    await ann.page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))");
    await ann.page.getByRole("tabpanel", { name: "Home" }).waitFor();
    await ann.page.goBack();
    await boxOf(ann, "#general").waitFor();
  });

  it("work while another person's window is rendered", async () => {
    const ann = await openNew("Ann Meyer");
    const general = await ann.page.evaluate<string>("location.hash");
    await ann.go("incidents");
    await boxOf(ann, "#incidents").fill("a line of Ann's");
    await ann.lookAs("Bob Ortiz");
    await expect.poll(() => ann.box.inputValue()).toBe("");
    const before = await ann.page.evaluate("history.length");
    // The browser goes one step further back at the moment the window of the first step appears.
    await ann.page.evaluate(
      `new MutationObserver((_, observer) => {
        observer.disconnect();
        history.replaceState(null, "", ${JSON.stringify(general)});
        dispatchEvent(new HashChangeEvent("hashchange"));
      }).observe(document.getElementById("place"), { childList: true })`,
    );
    await ann.page.goBack();
    await boxOf(ann, "#general").waitFor();
    expect(await ann.page.evaluate("location.hash")).toBe(general);
    expect(await ann.page.evaluate("history.length")).toBe(before);
  });

  it("ignore a place that no longer exists", async () => {
    const ann = await openNew("Ann Meyer");
    await ann.page.evaluate("location.hash = location.hash.replace(/[^/]+$/, 'C-gone')");
    await ann.page.evaluate("new Promise((heard) => setTimeout(heard))");
    expect(await boxOf(ann, "#general").isVisible()).toBe(true);
  });
});

describe("a draft", () => {
  it("is visible only to its writer, and kept when another window is open", async () => {
    const ann = await open("Ann Meyer");
    await ann.box.fill("only for me");
    await ann.lookAs("Bob Ortiz");
    await expect.poll(() => ann.box.inputValue()).toBe("");
    await ann.lookAs("Ann Meyer");
    await expect.poll(() => ann.box.inputValue()).toBe("only for me");
    await ann.box.fill("");
  });

  it("is restored if the playground does not accept it", async () => {
    const ann = await openNew("Ann Meyer");
    await ann.page.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'))");
    await ann.type("not to be typed twice");
    await ann.page.getByText("The playground did not answer").waitFor();
    await expect.poll(() => ann.box.inputValue()).toBe("not to be typed twice");
  });
});

it("the home of the app shows how the project is, the watches, and lately asked questions, which it asks again", async () => {
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

it("the form for logs answers in the window and in the chosen conversation, where nobody else sees it", async () => {
  const [ann, bob] = [await open("Ann Meyer"), await open("Bob Ortiz")];
  await ann.box.fill("/query");
  await ann.page.getByRole("option", { name: /^Query logs/ }).click();
  const { modal } = ann;
  await modal.getByRole("combobox", { name: "Log" }).selectOption("Webhook log");
  await modal.getByRole("combobox", { name: "Which entries" }).selectOption("Only failed or refused ones");
  await modal.getByRole("textbox", { name: /^Filters/ }).fill("status:503");
  const place = modal.getByRole("combobox", { name: /^Answer in/ });
  expect(await place.locator("option:checked").textContent()).toBe("#general");
  // By now, Bob's window shows his messages instead of those of the person before.
  const before = await bob.messages.count();
  const answer = await ann.next(() => modal.getByRole("button", { name: "Show" }).click());
  await expect.poll(() => modal.textContent()).toMatch(/failed webhooks of [\d,]+ in the last hour, status 503/);
  await ann.page.keyboard.press("Escape");
  expect(await answer.textContent()).toContain("Only visible to you");
  expect(await answer.getByRole("table").count()).toBe(1);
  expect(await bob.messages.count()).toBe(before);
});

function hasFocus(element: SlackPage["box"]): Promise<boolean> {
  return element.evaluate((node) => node.matches(":focus"));
}
