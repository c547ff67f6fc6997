import { readFileSync } from "node:fs";
import { logPaths } from "@media-ops/contract";
import { expect, it } from "vitest";
import { createMediaClient } from "./index.js";
import { createFakeMediaService } from "./testing/index.js";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const client = createMediaClient(createFakeMediaService().clientOptions);

it("the README has every method", () => {
  const methods = Object.entries(client).flatMap(([part, of]) =>
    typeof of === "function" || part === "raw"
      ? `client.${part}`
      : Object.keys(of).map((name) => `client.${part}.${name}`),
  );
  expect([...readme.matchAll(/^\| `(client[.\w]+)[(`]/gm)].map(([, method]) => method)).toEqual(methods);
});

it("the README names every kind of log", () => {
  const [row = ""] = /^\| `client\.logs\.list\(kind\)`.*$/m.exec(readme) ?? [];
  const [, ...kinds] = [...row.matchAll(/`(.+?)`/g)].map(([, name]) => name);
  expect(kinds).toEqual(Object.keys(logPaths));
});
