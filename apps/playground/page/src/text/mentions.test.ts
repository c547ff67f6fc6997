import { expect, test } from "vitest";
import { withMentions } from "./mentions.js";

const person = (id: string, name: string, realName: string) => ({
  ...{ id, name, realName },
  isAdmin: false,
  timeZone: "UTC",
});
const scene = {
  app: { name: "Media Ops", userId: "UB", messageShortcuts: [] },
  people: [person("U1", "ann", "Ann Meyer"), person("U2", "ann-marie", "Ann-Marie (EU)")],
  places: [
    { id: "C1", name: "ops", kind: "channel" },
    { id: "C2", name: "ops-eu", kind: "channel" },
    { id: "D1", name: "Media Ops", kind: "direct" },
  ],
} as const;

test.each([
  ["@Media Ops why lobby", "<@UB> why lobby"],
  ["and you, @media ops?", "and you, <@UB>?"],
  ["@Ann Meyer and @ann", "<@U1> and <@U1>"],
  ["@ann-marie, @Ann-Marie (EU)", "<@U2>, <@U2>"],
  ["digest in:#ops-eu or #ops", "digest in:<#C2> or <#C1>"],
  ["@annika ann@ann #opsworld @Media", "@annika ann@ann #opsworld @Media"],
])("%j is sent as %j", (typed, sent) => {
  expect(withMentions(typed, scene)).toBe(sent);
});
