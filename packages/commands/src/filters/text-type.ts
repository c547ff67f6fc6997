/** How the values of a field are compared that are texts. */
export interface TextType {
  readonly is: "text";
  /** What it is called in the help. */
  readonly name: string;
  /** How many characters must be known beside a wildcard. */
  readonly leastKnown: number;
  /** The part that is meant where what was typed has no `@`. */
  part(text: string): string;
}

export const plainText: TextType = { is: "text", name: "text", leastKnown: 0, part: (text) => text };

/** An id that the media server has made: with fewer characters, a part of it says nothing. */
export const madeId: TextType = { ...plainText, name: "id", leastKnown: 4 };

/** `<channel_name>@<project_id>`: the name alone is enough. */
export const channelId: TextType = {
  ...plainText,
  name: "channel",
  part(text) {
    const at = text.lastIndexOf("@");
    return at < 0 ? text : text.slice(0, at);
  },
};
