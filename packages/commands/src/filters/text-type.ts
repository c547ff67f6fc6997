/** How the values of a field are compared that are texts. */
export interface TextType {
  readonly is: "text";
  /** What it is called in the help. */
  readonly name: string;
  /** The part that is meant where what was typed has no `@`. */
  part(text: string): string;
}

export const plainText: TextType = { is: "text", name: "text", part: (text) => text };

export const id: TextType = { ...plainText, name: "id" };

/** `<channel_name>@<project_id>`: the name alone is enough. */
export const channelId: TextType = {
  ...plainText,
  name: "channel",
  part(text) {
    const at = text.lastIndexOf("@");
    return at < 0 ? text : text.slice(0, at);
  },
};
