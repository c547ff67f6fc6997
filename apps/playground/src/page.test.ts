import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type SlackPage, useBrowser } from "./test/browser.js";

const { open, playground } = useBrowser();

// First, while there are few messages: axe looks at each row of each table.
describe("the page", () => {
  it.each([
    ["in the light", { colorScheme: "light" }],
    ["in the dark", { colorScheme: "dark" }],
    ["in a narrow window", { viewport: { width: 390, height: 780 } }],
  ] as const)("%s has no fault that a machine can find for those who cannot see or point", async (_, options) => {
    const ann = await windowOf("Ann Meyer", options);
    await ann.ask("/media logs webhooks last:3");
    await ann.ask("/media summary webhooks since:3h");
    expect(await faultsOf(ann)).toEqual([]);
    await ann.type("/media token");
    await ann.modal.waitFor();
    expect(await faultsOf(ann)).toEqual([]);
    await ann.page.keyboard.press("Escape");
    await expect.poll(() => ann.modal.count()).toBe(0);
    // Nothing stands out to the side.
    expect(await ann.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
  });
});

describe("the five logs", () => {
  it("come as tables", async () => {
    const { ask } = await windowOf("Ann Meyer");
    for (const [kind, column] of [
      ["sessions", "Session"],
      ["connections", "Client"],
      ["api", "Status"],
      ["media-api", "Operation"],
      ["webhooks", "Event"],
    ]) {
      const answer = await ask(`/media logs ${kind}`);
      const table = answer.getByRole("table");
      await expect.poll(() => table.getByRole("row").count()).toBeGreaterThan(2);
      expect(await table.getByRole("columnheader", { name: column ?? "" }).count()).toBe(1);
      expect(await answer.textContent()).toContain("Only visible to you");
    }
  });

  it("show failing webhooks, page by page, and back again", async () => {
    const { ask } = await windowOf("Ann Meyer");
    const answer = await ask("/media logs webhooks status>=400");
    const statuses = answer.getByRole("cell", { name: /^✗ (4|5)\d\d$/ });
    await expect.poll(() => statuses.count()).toBeGreaterThan(2);
    expect(await answer.textContent()).toMatch(/1–20 of \d+ webhooks/);
    await answer.getByRole("button", { name: "Older" }).click();
    await expect.poll(() => answer.textContent()).toMatch(/21–\d+ of \d+ webhooks/);
    await answer.getByRole("button", { name: "Newer" }).click();
    await expect.poll(() => answer.textContent()).toMatch(/1–20 of \d+ webhooks/);
  });

  it("lead to every field of one entry", async () => {
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

  it("are drawn as a chart where a summary is asked for", async () => {
    const { ask } = await windowOf("Ann Meyer");
    const answer = await ask("/media summary webhooks since:3h");
    await expect.poll(() => answer.locator("svg").count()).toBeGreaterThan(0);
  });

  it("come as a file that can be looked into and kept", async () => {
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

describe("two people", () => {
  it("see only what is theirs, until it is shared", async () => {
    const [ann, bob] = [await windowOf("Ann Meyer"), await windowOf("Bob Ortiz")];
    const before = await bob.messages.count();
    const answer = await ann.ask("/media logs webhooks status:503 last:3");
    const shared = await bob.next(() => answer.getByRole("button", { name: "Share here" }).click());
    expect(await bob.messages.count()).toBe(before + 1);
    const text = await shared.textContent();
    expect(text).toContain("status 503");
    expect(text).not.toContain("Only visible to you");
  });

  it("each have their own time, in two channels", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.go("incidents");
    await ann.ask("/media status");
    expect(await ann.messages.count()).toBe(1);
    await ann.lookAs("Bob Ortiz");
    await expect.poll(() => ann.messages.count()).toBe(0);
    await ann.lookAs("Ann Meyer");
    await expect.poll(() => ann.messages.count()).toBe(1);
    await ann.go("general");
    await expect.poll(() => ann.page.getByRole("heading", { name: "general" }).first().isVisible()).toBe(true);
  });
});

describe("a token", () => {
  const JWT = /ey[\w-]+\.ey[\w-]+\.[\w-]+/;

  it("by arguments is shown to its asker alone, and hidden when she says so", async () => {
    const [ann, bob] = [await windowOf("Ann Meyer"), await windowOf("Bob Ortiz")];
    const answer = await ann.ask("/media token lobby role:recvonly for:5m");
    expect(await answer.textContent()).toMatch(JWT);
    expect(await bob.page.content()).not.toMatch(JWT);
    // Neither is it in what is shown of the talk between Slack and the bot.
    expect(await ann.page.getByRole("complementary").textContent()).not.toMatch(JWT);
    await answer.getByRole("button", { name: "Hide" }).click();
    await expect.poll(() => ann.page.content()).not.toMatch(JWT);
  });

  it("by the window is what was filled in", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.type("/media token");
    await ann.modal.getByRole("textbox", { name: /^Channel/ }).fill("stage");
    await ann.modal.getByRole("combobox", { name: "Lifetime" }).selectOption("5 minutes");
    const answer = await ann.next(() => ann.modal.getByRole("button", { name: "Make the token" }).click());
    expect(await answer.textContent()).toMatch(JWT);
    expect(await answer.textContent()).toContain("Channel: stage (project demo)");
    await expect.poll(() => ann.modal.count()).toBe(0);
  });

  it("by the window says under its field what is wrong", async () => {
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

  it("that is not for everyone is refused with what would be granted", async () => {
    const { ask } = await windowOf("Bob Ortiz");
    const answer = await ask("/media token lobby role:sendrecv for:2h");
    expect(await answer.textContent()).not.toMatch(JWT);
    expect(await answer.textContent()).toMatch(/recvonly/);
  });
});

describe("a command", () => {
  it("that is not understood is answered with the nearest one", async () => {
    const { ask } = await windowOf("Ann Meyer");
    const answer = await ask("/media logs webhoks status>=400");
    expect(await answer.textContent()).toContain("/media logs webhooks status>=400");
  });

  it("is suggested while it is typed, and taken with the keyboard alone", async () => {
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

  it("that Slack does not know is told as Slack tells it", async () => {
    const { page, type } = await windowOf("Ann Meyer");
    await type("/mdia logs");
    await page.getByText("/mdia is not a valid command").waitFor();
  });
});

describe("the home of the app", () => {
  it("leads to a token", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.go("Media Ops");
    await ann.page.getByRole("tab", { name: "Home" }).click();
    const home = ann.page.getByRole("tabpanel", { name: "Home" });
    await expect.poll(() => home.textContent()).toContain("demo");
    expect(await home.getByRole("button").count()).toBeGreaterThan(0);
  });
});

describe("behind the scenes", () => {
  it("stands what was sent and received, as JSON that can be unfolded", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.ask("/media status");
    const sent = ann.page.getByRole("region", { name: "Sent and received" });
    const command = sent.getByRole("listitem").filter({ hasText: "/media status" }).first();
    await command.locator("summary").first().click();
    await expect.poll(() => command.textContent()).toMatch(/response_url/);
  });

  it("stands what service and bot have logged", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.page.getByRole("tab", { name: "Log" }).click();
    const log = ann.page.getByRole("region", { name: "Log" });
    await expect.poll(() => log.textContent()).toMatch(/the operations are at/);
  });
});

describe("the picture in the README", () => {
  const picture = join(import.meta.dirname, "../../../docs/images/playground.png");

  // With PICTURE=1 it is drawn anew.
  it("shows the page, and is small", async () => {
    const ann = await windowOf("Bob Ortiz", { viewport: { width: 1100, height: 700 } });
    await ann.go("incidents");
    await ann.ask("/media logs webhooks status:503 last:6");
    const drawn = await ann.page.screenshot(process.env.PICTURE ? { path: picture } : {});
    const kept = await readFile(picture);
    // Its width and height: what is kept is a picture of this size.
    expect(kept.subarray(16, 24)).toEqual(drawn.subarray(16, 24));
    expect(Math.max(kept.length, drawn.length)).toBeLessThan(150_000);
  });
});

describe("the page's window", () => {
  it("at the width of a phone has every value of a table in sight", async () => {
    const ann = await windowOf("Ann Meyer", { viewport: { width: 390, height: 780 } });
    for (const kind of ["sessions", "connections", "api", "media-api", "webhooks"]) {
      const answer = await ann.ask(`/media logs ${kind} last:3`);
      const table = answer.getByRole("table");
      const cells = table.locator("tbody").locator("th, td");
      await expect.poll(() => cells.count()).toBeGreaterThan(3);
      // A text that is cut off is wider than what it stands in.
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

  it("goes on by itself after the connection was lost", async () => {
    const ann = await windowOf("Ann Meyer");
    await ann.page.context().setOffline(true);
    await ann.page.context().setOffline(false);
    const answer = await ann.ask("/media status");
    expect(await answer.textContent()).toContain("demo");
  });

  it("comes back to the same person and place when it is loaded anew", async () => {
    const bob = await windowOf("Bob Ortiz");
    await bob.go("incidents");
    await bob.page.reload();
    await expect.poll(() => bob.page.getByRole("radio", { name: "Bob Ortiz" }).isChecked()).toBe(true);
    await bob.page.getByRole("textbox", { name: "Message #incidents" }).waitFor();
  });

  it("is not given to other sites", async () => {
    const response = await fetch(`${playground().url}/api/window`, { headers: { origin: "https://evil.example" } });
    expect(response.status).toBe(403);
  });
});

describe("whoever goes by keys", () => {
  it("is back in the message box when a window closes", async () => {
    const ann = await open("Ann Meyer");
    await ann.type("/media token");
    await ann.modal.waitFor();
    await ann.page.keyboard.press("Escape");
    await expect.poll(() => ann.modal.count()).toBe(0);
    await expect.poll(() => hasFocus(ann.box)).toBe(true);
  });

  it("stays among the messages when the one with the pressed button goes", async () => {
    const ann = await open("Ann Meyer");
    const token = await ann.ask("/media token lobby for:5m");
    const before = await ann.messages.count();
    await token.getByRole("button", { name: "Hide" }).press("Enter");
    await expect.poll(() => ann.messages.count()).toBe(before - 1);
    await expect.poll(() => hasFocus(ann.page.getByRole("log"))).toBe(true);
  });
});

describe("a screen reader", () => {
  it("hears the name of a table that scrolls, and not every few seconds how long ago something was", async () => {
    const ann = await open("Ann Meyer");
    const answer = await ann.ask("/media logs webhooks last:3");
    const times = answer.getByRole("table").locator("time");
    expect(await times.count()).toBeGreaterThan(0);
    for (const time of await times.all()) expect(await time.getAttribute("aria-live")).toBe("off");
    await answer.getByRole("group", { name: /^webhook logs of demo/ }).waitFor();
  });
});

describe("a shown token", () => {
  it("is copied with one press, and nothing else with it", async () => {
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
  it("lead to the places and the windows that were looked at", async () => {
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

  it("lead back to where the browser was when a person went elsewhere before the page had heard of it", async () => {
    const ann = await open("Ann Meyer");
    const general = await ann.page.evaluate<string>("location.hash");
    await ann.go("incidents");
    await boxOf(ann, "#incidents").waitFor();
    // A browser tells a little later where it has gone.
    await ann.page.evaluate(`history.replaceState(null, "", ${JSON.stringify(general)})`);
    await ann.go("Media Ops");
    await ann.page.getByRole("tabpanel", { name: "Home" }).waitFor();
    await ann.page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))");
    await ann.page.getByRole("tabpanel", { name: "Home" }).waitFor();
    await ann.page.goBack();
    await boxOf(ann, "#general").waitFor();
  });

  it("are followed also while another's window is just being drawn", async () => {
    const ann = await open("Ann Meyer");
    const general = await ann.page.evaluate<string>("location.hash");
    await ann.go("incidents");
    await boxOf(ann, "#incidents").fill("a line of Ann's");
    await ann.lookAs("Bob Ortiz");
    await expect.poll(() => ann.box.inputValue()).toBe("");
    const before = await ann.page.evaluate("history.length");
    // The browser goes one step further back in the moment in which the window of the first step is there.
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

  it("do not lead to a place that is no more", async () => {
    const ann = await open("Ann Meyer");
    await ann.page.evaluate("location.hash = location.hash.replace(/[^/]+$/, 'C-gone')");
    await ann.page.evaluate("new Promise((heard) => setTimeout(heard))");
    expect(await boxOf(ann, "#general").isVisible()).toBe(true);
  });
});

describe("a line that is being written", () => {
  it("is its writer's alone, and still there in their window", async () => {
    const ann = await open("Ann Meyer");
    await ann.box.fill("only for me");
    await ann.lookAs("Bob Ortiz");
    await expect.poll(() => ann.box.inputValue()).toBe("");
    await ann.lookAs("Ann Meyer");
    await expect.poll(() => ann.box.inputValue()).toBe("only for me");
    await ann.box.fill("");
  });

  it("is there again when the playground did not take it", async () => {
    const ann = await open("Ann Meyer");
    await ann.page.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'))");
    await ann.type("not to be typed twice");
    await ann.page.getByText("The playground did not answer").waitFor();
    await expect.poll(() => ann.box.inputValue()).toBe("not to be typed twice");
  });
});

/** A window, and its means as they are used in tests. */
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

interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

// As a text: its types are those of a browser.
const axe = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong, and where. */
async function faultsOf({ page }: Pick<SlackPage, "page">): Promise<string[]> {
  // What is still fading in has not the colours yet with which it is looked at.
  await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished))");
  await page.evaluate(await axe);
  const { violations } = await page.evaluate<{ violations: Finding[] }>("axe.run()");
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`);
}

function boxOf({ page }: SlackPage, place: string) {
  return page.getByRole("textbox", { name: `Message ${place}` });
}

function hasFocus(element: SlackPage["box"]): Promise<boolean> {
  return element.evaluate((node) => node.matches(":focus"));
}
