// Drives Chromium, in a separate process because Chromium is unpacked into the temporary folder of its process.
import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";

const { pageUrl, ...input } = JSON.parse(process.env.SMOKE_INPUT);
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: [
    // This flag would hide a missing CORS header.
    ...chromium.args.filter((arg) => arg !== "--disable-web-security"),
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ],
});
try {
  // Each launch has a new profile.
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error.message));
  await page.goto(pageUrl);
  const checks = await page.evaluate((given) => globalThis.smoke(given), input);
  console.log(JSON.stringify({ version: browser.version(), checks }));
} finally {
  await browser.close();
}
