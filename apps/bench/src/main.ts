import { writeFileSync } from "node:fs";
import { benchBot } from "./bot/bot.js";
import { benchFilter } from "./filter/filter.js";
import { benchFormat } from "./format/format.js";
import { benchGrowth } from "./growth/growth.js";
import { benchIntake } from "./intake/intake.js";
import { type Result, table } from "./report.js";
import { benchRetention } from "./retention/retention.js";
import { benchScale } from "./scale/scale.js";
import { benchSdk } from "./sdk/sdk.js";

const benches: Record<string, () => Promise<Result[]>> = {
  sdk: benchSdk,
  growth: benchGrowth,
  scale: benchScale,
  retention: benchRetention,
  intake: benchIntake,
  format: benchFormat,
  filter: benchFilter,
  bot: benchBot,
};

const names = process.argv.slice(2).filter((name) => name !== "--");
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`There is no measurement "${unknown.join(", ")}". There are: ${Object.keys(benches).join(", ")}.`);
  process.exit(2);
}

const results: Result[] = [];
for (const [name, run] of Object.entries(benches)) {
  if (names.length === 0 || names.includes(name)) results.push(...(await run()));
}
console.log(table(results));
writeFileSync(new URL("../results.json", import.meta.url), `${JSON.stringify(results, null, 2)}\n`);
