import { describe, expect, it } from "vitest";
import { flagTable } from "./flags.js";
import { language } from "./language.js";
import { startOperations } from "./test/operations.js";

// A new token changes nothing that exists, and scripts create many.
const acting = language.commands.filter(({ name, isAct }) => isAct && name !== "token");

describe("a command that acts", () => {
  it("is one of those that take --yes", () => {
    const yes = flagTable.find(({ name }) => name === "--yes");
    expect(acting.map(({ name }) => name)).toEqual(yes && "commands" in yes ? yes.commands : []);
  });

  it.each(acting.flatMap(({ examples }) => examples.map(([text]) => text)))(
    "does nothing without a terminal and without --yes: media %s",
    async (text) => {
      const { piped, paths, mediaCalls } = await startOperations();
      for (const more of [[], ["--json"]]) {
        const { code, out, err } = await piped("y\n", ...text.split(" "), ...more);
        expect({ code, out }).toEqual({ code: 2, out: "" });
        expect(err).toBe(
          "This command asks before it acts, and there is no terminal to ask at. Nothing was done. Add --yes to run it without the question.\n",
        );
      }
      expect([...paths(), ...mediaCalls]).toEqual([]);
    },
  );
});
