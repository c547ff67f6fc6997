import { expect, it } from "vitest";
import { connectionsNow } from "./connections-now.js";

it.each([
  ["an empty channel", { reported: 0, own: 0, later: 0, granted: 0 }, 0],
  ["what the media server says", { reported: 3, own: 3, later: 0, granted: 0 }, 3],
  ["what it says, though we have missed some who went", { reported: 1, own: 4, later: 0, granted: 0 }, 1],
  ["what it says, though we have missed some who came", { reported: 4, own: 1, later: 0, granted: 0 }, 4],
  ["and those who were let in", { reported: 3, own: 3, later: 0, granted: 2 }, 5],
  ["and those who came after it had counted", { reported: 0, own: 5, later: 5, granted: 0 }, 5],
  ["but never more than it says or we have seen", { reported: 5, own: 5, later: 5, granted: 0 }, 5],
  ["our own number where it says none", { reported: undefined, own: 4, later: 1, granted: 0 }, 4],
  ["our own number and those who were let in", { reported: undefined, own: 4, later: 0, granted: 3 }, 7],
])("%s", (_, state, connections) => {
  expect(connectionsNow(state)).toBe(connections);
});
