import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { bodyOf } from "../http.js";
import { Browser } from "./browser.js";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("cookies are sent back until they end", async () => {
  const cookies: unknown[] = [];
  const given = [
    ["state=abc=; Secure; HttpOnly", "theme=dark", "old=1"],
    ["theme=deleted; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "old=1; Max-Age=0", "new=2; Max-Age=60"],
  ];
  const address = await serve((request, response) => {
    cookies.push(request.headers.cookie);
    response.writeHead(200, { "set-cookie": given.shift() ?? [] }).end();
  });
  const browser = new Browser();

  for (let count = 1; count <= 3; count += 1) await browser.open(address);

  expect(cookies).toEqual(["", "state=abc=; theme=dark; old=1", "state=abc=; new=2"]);
});

test("a form leads on to the page that it is answered with", async () => {
  const address = await serve(async (request, response) => {
    const said = `${request.method} ${request.url} ${String(await bodyOf(request))}`;
    if (request.method === "POST")
      response.writeHead(302, { location: `/next?said=${encodeURIComponent(said)}` }).end();
    else response.end(said);
  });
  const browser = new Browser();

  await browser.open(`${address}/form`);
  const page = await browser.press({ user: "ann" });

  expect(await page.text()).toBe("GET /next?said=POST%20%2Fform%20user%3Dann ");
  expect(browser.address).toBe(`${address}/next?said=POST%20%2Fform%20user%3Dann`);
});

test("a circle of redirects ends", async () => {
  const address = await serve((_, response) => response.writeHead(302, { location: "/" }).end());

  await expect(new Browser().open(address)).rejects.toThrow(`Followed 10 redirects from ${address}`);
});
