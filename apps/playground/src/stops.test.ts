import { expect, it } from "vitest";
import { Stops } from "./stops.js";

it("stops everything once, in reverse order, even if one stop fails", async () => {
  const stopped: string[] = [];
  const late: string[] = [];
  const stops = new Stops(() => late.push("late"));
  stops.add(() => stopped.push("first"));
  stops.add(async () => {
    stopped.push("second");
    throw new Error("It does not want to.");
  });
  stops.add(() => stopped.push("third"));
  await Promise.all([stops.stop(), stops.stop()]);
  expect(stopped).toEqual(["third", "second", "first"]);
  expect(late).toEqual(["late"]);
});

it("gives up on a stop that does not finish, and reports it", async () => {
  const stopped: string[] = [];
  const late: string[] = [];
  const stops = new Stops(() => late.push("late"), 400);
  stops.add(() => stopped.push("first"));
  stops.add(() => new Promise(() => {}));
  await stops.stop();
  expect(stopped).toEqual(["first"]);
  expect(late).toEqual(["late"]);
});

it("lets a slow stop use the time that others do not need", async () => {
  const late: string[] = [];
  const stops = new Stops(() => late.push("late"), 20_000);
  stops.add(() => {});
  stops.add(() => new Promise((resolve) => setTimeout(resolve, 600)));
  await stops.stop();
  expect(late).toEqual([]);
});
