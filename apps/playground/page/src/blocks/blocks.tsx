import { lazy, type ReactNode, Suspense } from "react";
import { Element, ElementRow } from "../elements/element.js";
import { isObject, type Json, labelIn, listIn, numberIn, stringIn } from "../json.js";
import { readRichText } from "../text/rich-text.js";
import { Parts, SlackText } from "../text/slack-text.js";
import { Card, Carousel, Container } from "./boxed.js";
import { wholeStep } from "./chart-axis.js";
import { DataTable } from "./data-table.js";
import { InputBlock } from "./input-block.js";
import { LIBRARY_BLOCKS } from "./library-blocks.js";
import { ImageBlock, Picture, VideoBlock } from "./picture.js";
import { UnknownBlock } from "./unknown.js";

const LibraryBlock = lazy(async () => ({ default: (await import("./library.js")).LibraryBlock }));

type Draw = (props: { block: Json }) => ReactNode;

const drawn: Readonly<Record<string, Draw>> = {
  actions: Actions,
  alert: Alert,
  card: Card,
  carousel: Carousel,
  container: Container,
  context: Context,
  context_actions: Actions,
  data_table: DataTable,
  divider: () => <hr />,
  header: Header,
  image: ImageBlock,
  input: InputBlock,
  rich_text: ({ block }) => <Parts parts={readRichText(block)} />,
  section: Section,
  table: DataTable,
  video: VideoBlock,
};

/** The blocks of a message, a modal or a home. */
export function Blocks({ blocks }: { blocks: readonly unknown[] }): ReactNode {
  return blocks.filter(isObject).map((block, at) => (
    <div key={stringIn(block.block_id) || `at-${at}`} className="block" data-block={stringIn(block.type)}>
      <OneBlock block={block} />
    </div>
  ));
}

function OneBlock({ block }: { block: Json }): ReactNode {
  const type = stringIn(block.type);
  const Drawn = drawn[type];
  if (Drawn) return <Drawn block={block} />;
  if (!LIBRARY_BLOCKS.has(type)) return <UnknownBlock type={type} />;
  return (
    <Suspense fallback={<div className="loading">…</div>}>
      <div
        className={
          type === "data_visualization" ? `chart every-${labelStep(block)} whole-${wholeStep(block)}` : undefined
        }
      >
        <LibraryBlock block={block} />
      </div>
    </Suspense>
  );
}

/** What a chart's axis has room for. */
const MOST_LABELS = 6;

/** Of how many categories one is named below a chart, so that they do not stand in each other. */
function labelStep({ chart }: Json): number {
  const axis = isObject(chart) && isObject(chart.axis_config) ? chart.axis_config.categories : [];
  return Array.isArray(axis) ? Math.max(1, Math.ceil(axis.length / MOST_LABELS)) : 1;
}

function Section({ block }: { block: Json }): ReactNode {
  const { text, accessory } = block;
  const fields = listIn(block.fields);
  return (
    <div className="section">
      <div className="section-text">
        {isObject(text) && <SlackText text={text} />}
        {fields.length > 0 && (
          <div className="fields">
            {fields.map((field, at) => (
              <div key={`at-${String(at)}`}>
                <SlackText text={field} />
              </div>
            ))}
          </div>
        )}
      </div>
      {isObject(accessory) && (
        <div className="accessory">
          <Element
            block={block}
            element={accessory}
            name={
              labelIn(text)
                .split("\n")[0]
                ?.replace(/[*_`~]/g, "") ?? ""
            }
          />
        </div>
      )}
    </div>
  );
}

function Context({ block }: { block: Json }): ReactNode {
  return (
    <div className="context">
      {listIn(block.elements).map((element, at) => (
        <div key={`at-${String(at)}`}>
          {element.type === "image" ? <Picture image={element} isSmall /> : <SlackText text={element} />}
        </div>
      ))}
    </div>
  );
}

// Above them stand the names of the page and of the place.
const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

function Header({ block }: { block: Json }): ReactNode {
  const level = numberIn(block.level) ?? 1;
  const Heading = HEADINGS[level - 1] ?? "h6";
  return <Heading className={`header is-${level}`}>{isObject(block.text) && <SlackText text={block.text} />}</Heading>;
}

function Actions({ block }: { block: Json }): ReactNode {
  return <ElementRow block={block} elements={block.elements} />;
}

function Alert({ block }: { block: Json }): ReactNode {
  return (
    <div role="status" className={`alert is-${stringIn(block.level) || "default"}`}>
      {isObject(block.text) && <SlackText text={block.text} />}
    </div>
  );
}
