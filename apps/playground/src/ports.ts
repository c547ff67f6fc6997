import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";

const listeners = {
  page: ["the page", 4000],
  service: ["the service", 8080],
  intake: ["the service's internal listener", 8081],
  bot: ["the bot", 3000],
  slack: ["the fake Slack", 4001],
  mediaApi: ["the media server's API", 4002],
  receiver: ["the receiver of webhooks", 4003],
} as const;
const keys = Object.keys(listeners) as (keyof typeof listeners)[];

/** The port of each listener. 0 selects a free one. */
export type Ports = Readonly<Record<keyof typeof listeners, number>>;

const portsBy = (portOf: (what: keyof Ports) => number): Ports =>
  Object.fromEntries(keys.map((what) => [what, portOf(what)])) as Ports;

export const wantedPorts: Ports = portsBy((what) => listeners[what][1]);
export const anyPorts: Ports = portsBy(() => 0);

const HOST = "127.0.0.1";
const TRIES = 10;
// Below the ephemeral ports that systems assign to outgoing connections, which could take a chosen port before its
// server listens.
const ANY_FROM = 20_000;
const ANY_BELOW = 32_000;

/** Returns the preferred ports if they are free, and others otherwise. Reports each replacement. */
export async function choosePorts(wanted: Ports, report: (replaced: string) => void): Promise<Ports> {
  // Ports that are chosen, but that no server listens on yet.
  const chosen = new Map<string, number>();
  for (const what of keys) {
    const [[name], preferred] = [listeners[what], wanted[what]];
    for (const port of candidates(preferred)) {
      if ([...chosen.values()].includes(port) || !(await isFree(port))) continue;
      chosen.set(what, port);
      if (preferred !== 0 && port !== preferred) report(`${preferred} is taken; ${name} is at ${port}.`);
      break;
    }
    if (!chosen.has(what)) {
      throw new Error(`No free port was found for ${name}. Stop other programs, or choose a port with --port.`);
    }
  }
  return portsBy((what) => chosen.get(what) ?? 0);
}

/** Returns the wanted port, then steps of ten, so that 8080 and 8081 stay neighbors. */
function candidates(wanted: number): number[] {
  const near = Array.from({ length: TRIES + 1 }, (_, nth) => wanted + 10 * nth).filter((port) => port <= 65_535);
  const any = Array.from({ length: TRIES }, () => randomInt(ANY_FROM, ANY_BELOW));
  return wanted === 0 ? any : [...near, ...any];
}

/**
 * Returns whether a server can listen on a port, and none does on either address of "localhost". Some systems allow a
 * server to listen on one address next to a server that listens on all, and would then route its requests here.
 */
async function isFree(port: number): Promise<boolean> {
  const answers = await Promise.all([HOST, "::1"].map((host) => isListening(host, port)));
  if (answers.includes(true)) return false;
  const server = createServer();
  try {
    await once(server.listen(port, HOST), "listening");
    await once(server.close(), "close");
    return true;
  } catch {
    return false;
  }
}

/** Serves HTTP on this machine only. Returns the URL, and a function that stops the server. */
export async function serve(port: number, listener: RequestListener) {
  const server = createHttpServer(listener);
  await once(server.listen(port, HOST), "listening");
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${bound}`,
    async stop(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns whether an error means that a port is taken. */
export function isTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "EADDRINUSE") || isTaken(error.cause);
}

// Local ports answer immediately or never. Some systems refuse a connection only later.
const ANSWER_MS = 300;

/** Returns whether a server listens on a port. */
export function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_MS });
    const end = (isThere: boolean) => (): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on("connect", end(true)).on("error", end(false)).on("timeout", end(false));
  });
}
