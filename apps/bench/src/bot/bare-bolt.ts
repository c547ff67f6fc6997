// A bare Bolt app in a process of its own, which acknowledges and does nothing else: what no bot on Bolt is faster than.
// It is sent the signing secret, and says at which port it listens.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { App, HTTPReceiver } from "@slack/bolt";

const [signingSecret] = await once(process, "message");
const receiver = new HTTPReceiver({ signingSecret });
const app = new App({
  receiver,
  authorize: async () => ({ botToken: "xoxb-bare", botId: "B0", botUserId: "U0" }),
  convoStore: false,
});
app.command(/^\//, ({ ack }) => ack());
const server = await receiver.start({ host: "127.0.0.1", port: 0 });
process.send?.((server.address() as AddressInfo).port);
