import { lostOf, type MediaSums } from "../sums.js";
import { optionTable } from "./options.js";

export function helpText(): string {
  const rows = Object.entries(optionTable).map(([name, option]): [string, string] => [
    `--${name}${"value" in option ? ` ${option.value}` : ""}`,
    option.help,
  ]);
  const width = Math.max(...rows.map(([left]) => left.length));
  return `Usage: pnpm fake-media --intake URL --key KEY [options]

Plays a media server to the service: clients come and go, and their events are delivered.
Ctrl-C ends it tidily; a second Ctrl-C at once.

${rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")}

Exit code: 0 where all went well, 1 where anything was lost or nobody answered, 2 for a wrong option.
`;
}

/** One line of how it goes. */
export function progressText(seconds: number, connected: number, sums: MediaSums): string {
  const acknowledged = Object.values(sums.events).reduce((sum, event) => sum + event.acknowledged, 0);
  const lost = lostOf(sums);
  return `${Math.round(seconds)} s: ${sums.attempts} attempts, ${sums.allowed} allowed, ${connected} connected, ${acknowledged} events acknowledged${lost > 0 ? `, ${lost} lost` : ""}\n`;
}

/** The sums for people. */
export function summaryText(seconds: number, sums: MediaSums): string {
  const { attempts, allowed, refused, sessions, connections, receivedBytes, sentBytes, requests } = sums;
  const events = Object.entries(sums.events).sort(([a], [b]) => (a < b ? -1 : 1));
  const repeats = requests - events.reduce((sum, [, { sent }]) => sum + sent, 0);
  const lost = lostOf(sums);
  return [
    `After ${seconds.toFixed(1)} s`,
    "",
    `Clients      ${attempts} wanted to connect, ${allowed} were allowed, ${attempts - allowed} refused`,
    ...Object.entries(refused).map(([reason, times]) => `             ${times} × ${reason}`),
    `Sessions     ${sessions} ended and acknowledged`,
    `Connections  ${connections} ended and acknowledged`,
    `Bytes        ${receivedBytes} received, ${sentBytes} sent, by these connections`,
    `Requests     ${requests} with events${repeats > 0 ? `, ${repeats} of them repeated` : ""}`,
    "",
    ...table(
      ["Event", "sent", "acknowledged", "lost"],
      events.map(([type, event]) => [type, `${event.sent}`, `${event.acknowledged}`, `${event.lost}`]),
    ),
    "",
    lost > 0
      ? `${lost} lost: the intake's answer was no 2xx, or there was none. What it lists must be short of these.`
      : "Nothing was lost.",
    "",
  ].join("\n");
}

/** Names to the left, numbers to the right. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [heads, ...rows].map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}
