import { expect, it } from "vitest";
import { createStops } from "./stops.js";

it("stops what was opened last first, each once, and goes on where one fails", async () => {
  const stopped: string[] = [];
  const late: string[] = [];
  const stops = createStops(() => late.push("late"));
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

it("leaves behind what does not end, and says so", async () => {
  const stopped: string[] = [];
  const late: string[] = [];
  const stops = createStops(() => late.push("late"), 400);
  stops.add(() => stopped.push("first"));
  stops.add(() => new Promise(() => {}));
  await stops.stop();
  expect(stopped).toEqual(["first"]);
  expect(late).toEqual(["late"]);
});

it("gives a slow one the time that the others do not need", async () => {
  const late: string[] = [];
  const stops = createStops(() => late.push("late"), 1_500);
  stops.add(() => {});
  stops.add(() => new Promise((resolve) => setTimeout(resolve, 600)));
  await stops.stop();
  expect(late).toEqual([]);
});
