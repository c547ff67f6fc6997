import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { faultsOf } from "./test/axe.js";
import { checkPicture, type SlackPage, useBrowser } from "./test/browser.js";

const { open, playground } = useBrowser();

// Runs first, while there are few messages, because axe checks each row of each table.
describe("the page", () => {
  it.each([
    ["in light mode", { colorScheme: "light" }],
    ["in dark mode", { colorScheme: "dark" }],
    ["in a narrow window", { viewport: { width: 390, height: 780 } }],
  ] as const)("%s has no accessibility violations that axe can find", async (_, options) => {
    const ann = await windowOf("Ann Meyer", options);
    await ann.ask("/media logs webhooks last:3");
    await ann.ask("/media summary webhooks since:1h");
    expect(await faultsOf(ann)).toEqual([]);
    await ann.type("/media token");
    await ann.modal.waitFor();
    expect(await faultsOf(ann)).toEqual([]);
    await ann.page.keyboard.press("Escape");
    await expect.poll(() => ann.modal.count()).toBe(0);
    // Nothing overflows horizontally.
    expect(await ann.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
  });
});

describe("the six logs", () => {
  it("are shown as tables", async () => {
    const { ask } = await windowOf("Ann Meyer");
    for (const [kind, column] of [
      ["sessions", "Session"],
      ["connections", "Client"],
      ["api", "Status"],
      ["media-api", "Operation"],
      ["webhooks", "Event"],
      ["events", "Event"],
    ]) {
      const answer = await ask(`/media logs ${kind}`);
      const table = answer.getByRole("table");
      await expect.poll(() => table.getByRole("row").count()).toBeGreaterThan(2);
      expect(await table.getByRole("columnheader", { name: column ?? "" }).count()).toBe(1);
      expect(await answer.textContent()).toContain("Only visible to you");
    }
  });

  it("show failed webhooks page by page, forward and back", async () => {
    const { ask } = await windowOf("Ann Meyer");
    // A webhook that fails between two pages would move the entries of the second.
    const until = new Date(Date.now() - 60_000).toISOString();
    const answer = await ask(`/media logs webhooks status>=400 until:${until}`);
    const statuses = answer.getByRole("cell", { name: /^✗ (4|5)\d\d$/ });
    await expect.poll(() => statuses.count()).toBeGreaterThan(2);
    expect(await answer.textContent()).toMatch(/1–20 of \d+ webhooks/);
    await answer.getByRole("button", { name: "Older" }).click();
    await expect.poll(() => answer.textContent()).toMatch(/21–\d+ of \d+ webhooks/);
    await answer.getByRole("button", { name: "Newer" }).click();
    await expect.poll(() => answer.textContent()).toMatch(/1–20 of \d+ webhooks/);
  });

  it("show every field of a selected entry", async () => {
    const { ask, modal } = await windowOf("Ann Meyer");
    const answer = await ask("/media logs webhooks status:503");
    await answer.getByRole("combobox").selectOption({ index: 1 });
    await expect.poll(() => modal.textContent()).toMatch(/http:\/\/127\.0\.0\.1:\d+\/(events|sessions)/);
    await modal
      .getByRole("button", { name: /^Close/ })
      .first()
      .click();
    await expect.poll(() => modal.count()).toBe(0);
  });

  it("are shown as a chart for a summary", async () => {
    const { ask } = await windowOf("Ann Meyer");
    const answer = await ask("/media summary webhooks since:1h");
    await expect.poll(() => answer.locator("svg").count()).toBeGreaterThan(0);
  });

  it("can be exported as a file, with preview and download", async () => {
    const ann = await windowOf("Ann Meyer");
    const answer = await ann.ask("/media logs webhooks status>=400");
    await answer.getByRole("button", { name: "CSV" }).click();
    await ann.go("Media Ops");
    await ann.page.getByRole("tab", { name: "Messages" }).click();
    const download = ann.page.waitForEvent("download");
    await ann.messages
      .last()
      .getByRole("link", { name: /Download/ })
      .click();
    const text = await readFile(await (await download).path(), "utf8");
    expect(text.split(/\r?\n/)[0]).toContain("status");
    await ann.messages
      .last()
      .getByRole("button", { name: /Preview/ })
      .click();
    await expect.poll(() => ann.modal.textContent()).toContain("connection.created");
  });
});

describe("the demo's incident", () => {
  it("has a cause that is named first, and leads to its lines", async () => {
    const { ask } = await windowOf("Ann Meyer");
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
    const { ask } = await windowOf("Ann Meyer");
    const answer = await ask("/media trace lobby since:45m until:35m");
    await expect.poll(() => answer.textContent()).toMatch(/failed after 20\.\d s: ICE timeout/);
    const text = await answer.textContent();
    expect(text).toMatch(/webhook connection\.failed → 503 in \d/);
    expect(text).toMatch(/client tv-61 refused: token expired/);
  });
});

describe("the menu of a message", () => {
  it("looks up what the message names, only for the person who asks", async () => {
    const [ann, bob] = [await windowOf("Ann Meyer"), await windowOf("Bob Ortiz")];
    const question = await ann.next(() => bob.type("Customers in `lobby` say that calls drop, why?"));
    await question.hover();
    await question.getByRole("button", { name: "More actions" }).click();
    await ann.page.getByRole("menuitem", { name: "Look up in Media Ops" }).click();
    await expect.poll(() => ann.modal.textContent()).toContain("Trace of channel lobby");
    expect(await ann.modal.textContent()).toMatch(/client tv-61 refused.*: token expired/);
    expect(await bob.modal.count()).toBe(0);
    await ann.page.keyboard.press("Escape");
    await expect.poll(() => ann.modal.count()).toBe(0);
  });

  it("works with the keyboard, is shown where there is room, and closes when the focus leaves it", async () => {
    const [ann, bob] = [await windowOf("Ann Meyer"), await windowOf("Bob Ortiz")];
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
    await ann.page.keyboard.press("Escape");
    await expect.poll(() => ann.modal.count()).toBe(0);
  });

  it("is not at messages that only one person sees, because Slack has none there", async () => {
    const { ask } = await windowOf("Ann Meyer");
    const answer = await ask("/media status");
    expect(await answer.getByRole("button", { name: "More actions" }).count()).toBe(0);
  });
});

describe("two people", () => {
  it("see only their own answers, until one is shared", async () => {
    const [ann, bob] = [await windowOf("Ann Meyer"), await windowOf("Bob Ortiz")];
    const before = await bob.messages.count();
    const answer = await ann.ask("/media logs webhooks status:503 last:3");
    const shared = await bob.next(() => answer.getByRole("button", { name: "Share here" }).click());
    expect(await bob.messages.count()).toBe(before + 1);
    const text = await shared.textContent();
    expect(text).toContain("status 503");
    expect(text).not.toContain("Only visible to you");
  });

  it("see their own answers in each channel", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.go("incidents");
    const own = ann.messages.filter({ hasText: "Only visible to you" }).filter({ hasText: "demo at 127.0.0.1" });
    await ann.ask("/media status");
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
  const JWT = /ey[\w-]+\.ey[\w-]+\.[\w-]+/;

  it("created by command is shown only to its creator, who can hide it", async () => {
    const [ann, bob] = [await windowOf("Ann Meyer"), await windowOf("Bob Ortiz")];
    const answer = await ann.ask("/media token lobby role:recvonly for:5m");
    expect(await answer.textContent()).toMatch(JWT);
    expect(await bob.page.content()).not.toMatch(JWT);
    // The panel with Slack's and the bot's requests does not contain it either.
    expect(await ann.page.getByRole("complementary").textContent()).not.toMatch(JWT);
    await answer.getByRole("button", { name: "Hide" }).click();
    await expect.poll(() => ann.page.content()).not.toMatch(JWT);
  });

  it("created in the modal has the entered values", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.type("/media token");
    await ann.modal.getByRole("textbox", { name: /^Channel/ }).fill("stage");
    await ann.modal.getByRole("combobox", { name: "Lifetime" }).selectOption("5 minutes");
    const answer = await ann.next(() => ann.modal.getByRole("button", { name: "Make the token" }).click());
    expect(await answer.textContent()).toMatch(JWT);
    expect(await answer.textContent()).toContain("Channel: stage (project demo)");
    await expect.poll(() => ann.modal.count()).toBe(0);
  });

  it("with an invalid value in the modal shows the error under its field", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.type("/media token");
    await ann.modal.getByRole("spinbutton", { name: /^Limit/ }).fill("6000");
    await ann.modal.getByRole("button", { name: "Make the token" }).click();
    const field = ann.modal.getByRole("spinbutton", { name: /^Limit/ });
    await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
    expect(await ann.modal.textContent()).toMatch(/5000|5,000/);
    await ann.page.keyboard.press("Escape");
    await expect.poll(() => ann.modal.count()).toBe(0);
  });

  it("that exceeds a person's permissions is refused with the permitted values", async () => {
    const { ask } = await windowOf("Bob Ortiz");
    const answer = await ask("/media token lobby role:sendrecv for:2h");
    expect(await answer.textContent()).not.toMatch(JWT);
    expect(await answer.textContent()).toMatch(/recvonly/);
  });
});

describe("a command", () => {
  it("that is unknown to the bot is answered with the closest match", async () => {
    const { ask } = await windowOf("Ann Meyer");
    const answer = await ask("/media logs webhoks status>=400");
    expect(await answer.textContent()).toContain("/media logs webhooks status>=400");
  });

  it("is suggested while it is typed, and can be completed with the keyboard", async () => {
    const { page, box, messages, next } = await windowOf("Ann Meyer");
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

  it("that is unknown to Slack shows Slack's error", async () => {
    const { page, type } = await windowOf("Ann Meyer");
    await type("/mdia logs");
    await page.getByText("/mdia is not a valid command").waitFor();
  });
});

describe("the panel", () => {
  it("shows each request and response as unfoldable JSON", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.ask("/media status");
    const sent = ann.page.getByRole("region", { name: "Sent and received" });
    const command = sent.getByRole("listitem").filter({ hasText: "/media status" }).first();
    await command.locator("summary").first().click();
    await expect.poll(() => command.textContent()).toMatch(/response_url/);
  });

  it("shows the logs of the service and the bot", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.page.getByRole("tab", { name: "Log" }).click();
    const log = ann.page.getByRole("region", { name: "Log" });
    await expect.poll(() => log.textContent()).toMatch(/the operations are at/);
  });
});

describe("an answer", () => {
  // Run this test with PICTURE=1 to draw it again.
  it("has a picture in the README", async () => {
    const bob = await windowOf("Bob Ortiz", { viewport: { width: 1100, height: 820 } });
    await bob.go("incidents");
    await bob.ask("Customers in `lobby` say that calls drop, why?");
    await bob.ask("/media why lobby since:1h");
    await checkPicture(bob, "playground.png");
  });
});

describe("the page's window", () => {
  it("shows every value of a table at the width of a phone", async () => {
    const ann = await windowOf("Ann Meyer", { viewport: { width: 390, height: 780 } });
    for (const kind of ["sessions", "connections", "api", "media-api", "webhooks", "events"]) {
      const answer = await ann.ask(`/media logs ${kind} last:3`);
      const table = answer.getByRole("table");
      const cells = table.locator("tbody").locator("th, td");
      await expect.poll(() => cells.count()).toBeGreaterThan(3);
      // Text that is cut off is wider than its cell.
      const cut = await table
        .locator("th, td")
        .evaluateAll((found) => found.filter((cell) => cell.scrollWidth > cell.clientWidth).length);
      expect(cut).toBe(0);
      const rights = (await cells.all()).map(async (cell) => (await cell.boundingBox()) ?? { x: Infinity, width: 0 });
      for (const { x, width } of await Promise.all(rights)) expect(x + width).toBeLessThanOrEqual(390);
      const titles = await table.getByRole("columnheader").allTextContents();
      expect(await table.locator("tbody tr").first().locator("th, td").count()).toBe(titles.length);
    }
  });

  it("reconnects after a lost connection", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.page.context().setOffline(true);
    await ann.page.context().setOffline(false);
    const answer = await ann.ask("/media status");
    expect(await answer.textContent()).toContain("demo");
  });

  it("shows the same person and place after a reload", async () => {
    const bob = await windowOf("Bob Ortiz");
    await bob.go("incidents");
    await bob.page.reload();
    await expect.poll(() => bob.page.getByRole("radio", { name: "Bob Ortiz" }).isChecked()).toBe(true);
    await bob.page.getByRole("textbox", { name: "Message #incidents" }).waitFor();
  });

  it("refuses other sites", async () => {
    const response = await fetch(`${playground().url}/api/window`, { headers: { origin: "https://evil.example" } });
    expect(response.status).toBe(403);
  });
});

describe("the keyboard focus", () => {
  it("returns to the message box when a modal closes", async () => {
    const ann = await open("Ann Meyer");
    await ann.type("/media token");
    await ann.modal.waitFor();
    await ann.page.keyboard.press("Escape");
    await expect.poll(() => ann.modal.count()).toBe(0);
    await expect.poll(() => hasFocus(ann.box)).toBe(true);
  });

  it("stays in the message list when the message with the pressed button disappears", async () => {
    const ann = await open("Ann Meyer");
    const token = await ann.ask("/media token lobby for:5m");
    const before = await ann.messages.count();
    await token.getByRole("button", { name: "Hide" }).press("Enter");
    await expect.poll(() => ann.messages.count()).toBe(before - 1);
    await expect.poll(() => hasFocus(ann.page.getByRole("log"))).toBe(true);
  });
});

describe("a screen reader", () => {
  it("announces the name of a scrollable table, but not each update of a relative time", async () => {
    const ann = await open("Ann Meyer");
    const answer = await ann.ask("/media logs webhooks last:3");
    const times = answer.getByRole("table").locator("time");
    expect(await times.count()).toBeGreaterThan(0);
    for (const time of await times.all()) expect(await time.getAttribute("aria-live")).toBe("off");
    await answer.getByRole("group", { name: /webhooks.*, project demo/ }).waitFor();
  });
});

describe("a shown token", () => {
  it("is copied with one click, without other text", async () => {
    const ann = await open("Ann Meyer", { permissions: ["clipboard-read", "clipboard-write"] });
    const token = await ann.ask("/media token lobby for:5m");
    await token.getByRole("button", { name: "Copy" }).click();
    await token.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await ann.page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toMatch(/^ey[\w-]+\.ey[\w-]+\.[\w-]+$/);
    expect(await token.textContent()).toContain(copied);
  });
});

describe("the browser's back and forward", () => {
  it("return to the places and windows that were open", async () => {
    const ann = await open("Ann Meyer");
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
    const ann = await open("Ann Meyer");
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
    const ann = await open("Ann Meyer");
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
    const ann = await open("Ann Meyer");
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
    const ann = await open("Ann Meyer");
    await ann.page.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'))");
    await ann.type("not to be typed twice");
    await ann.page.getByText("The playground did not answer").waitFor();
    await expect.poll(() => ann.box.inputValue()).toBe("not to be typed twice");
  });
});

/** Opens a window, and adds the helpers that the tests use. */
async function windowOf(...args: Parameters<typeof open>) {
  const window = await open(...args);
  const { page, box, messages, modal } = window;
  return {
    page,
    box,
    messages,
    modal,
    ask: (line: string) => window.ask(line),
    type: (line: string) => window.type(line),
    next: (act: () => Promise<void>) => window.next(act),
    go: (place: string) => window.go(place),
    lookAs: (name: string) => window.lookAs(name),
  };
}

function boxOf({ page }: SlackPage, place: string) {
  return page.getByRole("textbox", { name: `Message ${place}` });
}

function hasFocus(element: SlackPage["box"]): Promise<boolean> {
  return element.evaluate((node) => node.matches(":focus"));
}
