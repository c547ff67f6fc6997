import { expect, it } from "vitest";
import { shownAddress } from "../profiles.js";

it.each([
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["https://media.example/", "https://media.example"],
  ["https://media.example/some/path/", "https://media.example/some/path"],
  ["https://user:secret@media.example", "https://media.example"],
  ["https://media.example?key=secret#secret", "https://media.example"],
  ["user:secret@media.example", "(no address)"],
  ["secret", "(no address)"],
  ["https://media.example/\u001b[31m", "https://media.example/%1B[31m"],
])("%s is shown as %s", (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});
