import { Connection } from "../intake/events.js";

/** What media servers tell of connections. */
export interface Traffic {
  readonly name: string;
  /** The events of a connection, in their order. */
  of(connection: Connection): string[];
  /** How many events are told in a round, and how many at a time. */
  readonly events: number;
  readonly connections: number;
  /** With how many projects it is measured. */
  readonly projects: readonly number[];
}

const MINUTES = 10;
const end = (connection: Connection): string[] => [connection.end(MINUTES)];

export const traffics: readonly Traffic[] = [
  // The worst that can come.
  { name: "connections that end, 256 at a time", of: end, events: 4000, connections: 256, projects: [1, 100] },
  // So few that each of them is a commit by itself, as where there are thousands of projects.
  { name: "connections that end, 16 at a time", of: end, events: 1500, connections: 16, projects: [100] },
  {
    name: `connections of ${MINUTES} minutes, 256 at a time`,
    of: (connection) => connection.life(MINUTES),
    events: 4000,
    connections: 256,
    projects: [1, 100],
  },
];

/** The events of as many connections as are needed for a number of events, of one project after the other. */
export function makeLines({ of, events }: Traffic, projectIds: readonly string[]): string[][] {
  const lines: string[][] = [];
  for (let made = 0; made < events; made += lines.at(-1)?.length ?? 0) {
    const projectId = projectIds[lines.length % projectIds.length] ?? "";
    lines.push(of(new Connection(projectId, Date.now() - MINUTES * 60_000)));
  }
  return lines;
}
