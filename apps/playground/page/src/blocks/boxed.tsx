import type { ReactNode } from "react";
import { ElementRow } from "../elements/element.js";
import { isObject, type Json, labelIn, listIn, stringIn } from "../json.js";
import { plainOf, readRichText } from "../text/rich-text.js";
import { SlackText } from "../text/slack-text.js";
import { Blocks } from "./blocks.js";
import { Picture } from "./picture.js";

/** Blocks in a box, which may be foldable. */
export function Container({ block }: { block: Json }): ReactNode {
  const { title, subtitle, rich_text_title, is_collapsible, default_collapsed } = block;
  const words = labelIn(title) || (isObject(rich_text_title) ? plainOf(readRichText(rich_text_title)) : "");
  const head = (
    <>
      <strong>{words}</strong>
      {isObject(subtitle) && <SlackText text={subtitle} />}
    </>
  );
  const inner = <Blocks blocks={listIn(block.child_blocks)} />;
  if (is_collapsible !== true) {
    return (
      <div className="container">
        {head}
        {inner}
      </div>
    );
  }
  return (
    <details className="container" open={default_collapsed !== true}>
      <summary>{head}</summary>
      {inner}
    </details>
  );
}

export function Card({ block }: { block: Json }): ReactNode {
  const texts = ["title", "subtitle", "body", "subtext"] as const;
  return (
    <div className="card">
      {isObject(block.hero_image) && <Picture image={block.hero_image} />}
      {texts.map((name) => {
        const text = block[name];
        return (
          isObject(text) && (
            <div key={name} className={`card-${name}`}>
              <SlackText text={text} />
            </div>
          )
        );
      })}
      <ElementRow block={block} elements={block.actions} />
    </div>
  );
}

export function Carousel({ block }: { block: Json }): ReactNode {
  return (
    <div className="carousel">
      {listIn(block.elements).map((card, at) => (
        <Card key={stringIn(card.block_id) || `at-${at}`} block={card} />
      ))}
    </div>
  );
}
