import type { Grammar } from "../grammar.js";
import type { AnyCommand } from "../spec.js";
import type { ReadContext } from "../values/value-type.js";
import type { Chosen } from "./choose-command.js";
import type { Fault } from "./fault.js";
import { periodFault } from "./period.js";
import { readChoices, readWords } from "./read-arguments.js";
import { readFilters } from "./read-filters.js";
import { readOptions } from "./read-options.js";
import type { Reading } from "./reading.js";

/** Reads the words of a command. Of several faults, the first in the text is told. */
export function readCommand(
  { entry, items }: Chosen,
  grammar: Grammar,
  context: ReadContext,
): { readonly ok: true; readonly command: AnyCommand } | Fault {
  const { name, effect } = entry.spec;
  const reading: Reading = {
    entry,
    grammar,
    context,
    draft: { head: name, items, help: effect === "reads" ? undefined : grammar.helpOn(name) },
    values: new Map(),
    places: new Map(),
    filters: [],
    faults: [],
    left: new Set(items),
  };
  readOptions(reading);
  readChoices(reading);
  readFilters(reading);
  readWords(reading);
  return firstOf(reading.faults) ?? periodFault(reading) ?? { ok: true, command: build(reading) };
}

function firstOf(faults: readonly Fault[]): Fault | undefined {
  // What is missing stands nowhere, and is told when all that is there is right.
  const place = ({ at }: Fault): number => at?.start ?? Number.MAX_SAFE_INTEGER;
  return faults.reduce<Fault | undefined>(
    (first, fault) => (first && place(first) <= place(fault) ? first : fault),
    undefined,
  );
}

function build({ entry, values, filters }: Reading): AnyCommand {
  const given = [...entry.arguments, ...entry.options].flatMap(({ member }) =>
    values.has(member) ? [[member, values.get(member)] as const] : [],
  );
  return { name: entry.spec.name, ...Object.fromEntries(given), ...(entry.spec.filters && { filters }) };
}
