import type { ServerResponse } from "node:http";

/** What a browser shows when the bot has been installed. */
export function installedPage(response: ServerResponse, workspace = "the workspace"): void {
  page(response, 200, `The bot is in ${workspace}`, "Go to Slack and type <code>/media</code> in any conversation.");
}

/** What it shows when it has not. */
export function notInstalledPage(response: ServerResponse, again: string): void {
  const next = `Nothing was installed: it was cancelled, took too long, or began in another browser. <a href="${again}">Try again</a>.`;
  page(response, 400, "That did not work", next);
}

/** What it shows when the bot, or Slack, could not do it. */
export function brokenPage(response: ServerResponse, again: string): void {
  const next = `Nothing was installed: the bot could not do its part. <a href="${again}">Try again</a> in a minute; if it stays so, tell whoever runs the bot.`;
  page(response, 500, "That did not work", next);
}

function page(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  const style = "font:16px system-ui;max-width:34rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark";
  response.end(
    `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><body style="${style}"><h1>${escaped(title)}</h1><p>${text}</p></body></html>`,
  );
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
