import { harmless, quote, shorten } from "../messages.js";
import { writeText } from "../words.js";
import { refused, understood, type ValueType } from "./value-type.js";

// A channel's name, or its id. Slack itself writes <#C0123|general>.
const NAMED = /^#([\p{L}\p{M}\p{N}_-]{1,80})$/u;
const LINKED = /^<#([A-Z\d]{1,80})(?:\|[^<>]*)?>$/;

/** A channel of Slack, by its name or id without the sign before it: `general` for `#general`. */
export const slackChannel: ValueType<string> = {
  name: "channel",
  example: "#general",
  distinctive: true,
  parse(text, { subject }) {
    const channel = (NAMED.exec(text) ?? LINKED.exec(text))?.[1];
    if (channel !== undefined) return understood(channel);
    const wanted = `${subject} takes a channel such as #general`;
    // Elsewhere, the same word names the project.
    const isName = /^[^#<>]+$/.test(text);
    const rule = isName ? `project:${shorten(writeText(text), 50)} names the project` : `not ${quote(text)}`;
    return refused(`${wanted}${isName ? "; " : ", "}${rule}.`);
  },
  complete: () => [],
  write: (channel) => `#${channel}`,
  describe: (channel) => `#${harmless(channel)}`,
};
