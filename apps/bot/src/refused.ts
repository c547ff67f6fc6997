import type { Draft } from "./slack/draft.js";

/** Something that the person who asked can mend, said in words for them. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly draft: Draft;

  constructor(draft: Draft) {
    super(draft.text);
    this.draft = draft;
  }
}
