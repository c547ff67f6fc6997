import type { Group, GroupField, Summary } from "@media-ops/reports";
import { columnOf } from "@media-ops/reports/entries";
import type { LogKind } from "@media-ops/sdk";
import { formatCount, formatDuration, formatShare } from "./values/numbers.js";
import { show, showWhole } from "./values/show.js";
import type { Clock } from "./values/time.js";

/** The groups of a summary as a table, before it is drawn. Its texts contain untrusted names, which are not escaped. */
export interface GroupTable {
  columns: { title: string; isRight: boolean; isAddress: boolean; texts: string[] }[];
  /** Each group in one line. */
  lines: string[];
  /** How many more there are, in words; empty if none. */
  omitted: string;
}

/** The groups of a summary; `undefined` if none were requested or found. */
export function groupTable({ kind, groups, only }: Summary, clock: Clock): GroupTable | undefined {
  if (!groups || groups.all.length === 0) return undefined;
  const { by, all, omitted } = groups;
  const names = by.map((field) => ({
    ...nameOf(kind, field),
    texts: all.map((group) => valueIn(kind, group, field, clock)),
  }));
  const hasFailed = only === undefined && all.some(({ failed }) => failed !== undefined);
  const hasElapsed = all.some(({ elapsed }) => elapsed !== undefined);
  const figure = (title: string, write: (group: Group) => string) => {
    return { title, isRight: true, isAddress: false, texts: all.map(write) };
  };
  return {
    columns: [
      ...names,
      figure("Count", ({ count }) => formatCount(count)),
      ...(hasFailed ? [figure("Failed", failedText)] : []),
      ...(hasElapsed ? [figure("p95", ({ elapsed }) => (elapsed ? formatDuration(elapsed.p95) : "–"))] : []),
    ],
    lines: all.map((group, at) => {
      const name = names.map(({ texts }) => texts[at] ?? "").join(" · ");
      return `${name}: ${figuresOf(group, hasFailed)}`;
    }),
    omitted:
      omitted === 0 ? "" : `${formatCount(omitted)} more ${omitted === 1 ? "group is" : "groups are"} not shown.`,
  };
}

const failedText = ({ count, failed = 0 }: Group): string =>
  failed === 0 ? "0" : `${formatCount(failed)} (${formatShare(failed, count)})`;

function figuresOf(group: Group, hasFailed: boolean): string {
  const { count, failed = 0, elapsed } = group;
  const share = failed > 0 ? ` (${formatShare(failed, count)})` : "";
  const amount = hasFailed ? `${formatCount(failed)} of ${formatCount(count)} failed${share}` : formatCount(count);
  return elapsed ? `${amount}, p95 ${formatDuration(elapsed.p95)}` : amount;
}

const titles = new Map<GroupField, string>([
  ["from", "Program"],
  ["failed", "Outcome"],
]);

function nameOf(kind: LogKind, field: GroupField) {
  const column = columnOf(kind, field);
  return { title: column?.title ?? titles.get(field) ?? field, isRight: false, isAddress: column?.as === "address" };
}

function valueIn(kind: LogKind, { by }: Group, field: GroupField, clock: Clock): string {
  if (field === "failed") return by[field] === true ? "failed" : "did not fail";
  const as = columnOf(kind, field)?.as ?? "text";
  // Beside a group's own reason, its outcome needs none.
  if (as === "outcome") return showWhole(by, { field, as }, clock);
  // An id is read whole, so that it can be copied.
  return show(by, { field, as: as === "id" ? "text" : as }, clock).text;
}
