import { describe, expect, it } from "vitest";
import { endOfAddress, withoutScheme } from "./show.js";
import { brief } from "./text.js";

const shortened = (url: string, longest: number): string => {
  const text = withoutScheme(url);
  return brief(text, longest, endOfAddress(text, longest));
};

describe("a shortened URL", () => {
  it.each([
    ["http://127.0.0.1:9083/events", 30, "127.0.0.1:9083/events"],
    ["http://127.0.0.1:9083/events", 20, "127.0.0…:9083/events"],
    ["https://hooks.example/media", 16, "hooks.exa…/media"],
    ["https://hooks.example/teams/video/rooms/eu-1/events", 24, "hooks.exampl…eu-1/events"],
    ["https://a-very-long-name-of-a-host.example:8443/in", 24, "a-very-long-nam…:8443/in"],
    ["ftp://files.example", 12, "ftp://…ample"],
  ])("of %s in %d characters keeps the start of the host, the port and the end of the path", (url, longest, text) => {
    expect(shortened(url, longest)).toBe(text);
  });
});
