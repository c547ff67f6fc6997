import { once } from "node:events";
import { createServer } from "node:net";

/** What listens where by itself, as the documents say it. */
const BY_THEMSELVES = { service: 8080, intake: 8081, bot: 3000, page: 4000 };

const names = ["service", "intake", "bot", "page"] as const;

/** Where things listen in a test: their own ports may be taken on the machine that runs it. */
export type Ports = Readonly<Record<keyof typeof BY_THEMSELVES, number>>;

export async function freePorts(): Promise<Ports> {
  // All are held until all are known, so that they differ.
  const servers = names.map(() => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const [service = 0, intake = 0, bot = 0, page = 0] = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return { service, intake, bot, page };
}

/** A document's text with the ports of the test in place of those that it names. */
export function withPorts(text: string, ports: Ports): string {
  return names.reduce((changed, name) => {
    return changed.replaceAll(`127.0.0.1:${BY_THEMSELVES[name]}`, `127.0.0.1:${ports[name]}`);
  }, text);
}
