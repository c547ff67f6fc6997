import { lazy, type ReactNode, Suspense, useId } from "react";
import { Element, Unknown } from "../elements/element.js";
import { useSurface } from "../elements/surface.js";
import { isObject, type Json, labelIn, listIn, numberIn, stringIn } from "../json.js";
import { readRichText } from "../text/rich-text.js";
import { Parts, SlackText } from "../text/slack-text.js";
import { DataTable } from "./data-table.js";

// The library that draws charts is loaded with the first chart.
const Chart = lazy(async () => ({ default: (await import("./chart.js")).Chart }));

const drawn: Readonly<Record<string, (props: { block: Json }) => ReactNode>> = {
  actions: Actions,
  context: Context,
  data_table: DataTable,
  data_visualization: ({ block }) => (
    <Suspense fallback={<div className="loading">…</div>}>
      <Chart block={block} />
    </Suspense>
  ),
  divider: () => <hr />,
  header: Header,
  input: InputBlock,
  rich_text: ({ block }) => <Parts parts={readRichText(block)} />,
  section: Section,
};

/** The blocks of a message, a modal or a home. */
export function Blocks({ blocks }: { blocks: readonly unknown[] }): ReactNode {
  return blocks.filter(isObject).map((block, at) => {
    const type = stringIn(block.type);
    const Drawn = drawn[type];
    return (
      <div key={stringIn(block.block_id) || `at-${at}`} className="block" data-block={type}>
        {Drawn ? <Drawn block={block} /> : <Unknown type={type} />}
      </div>
    );
  });
}

function Section({ block: { text, fields } }: { block: Json }): ReactNode {
  return (
    <div className="section">
      {isObject(text) && <SlackText text={text} />}
      {listIn(fields).length > 0 && (
        <div className="fields">
          {listIn(fields).map((field, at) => (
            <div key={`at-${String(at)}`}>
              <SlackText text={field} />
            </div>
          ))}
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
          <SlackText text={element} />
        </div>
      ))}
    </div>
  );
}

// The higher levels are the names of the page and the conversation.
const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

function Header({ block }: { block: Json }): ReactNode {
  const level = numberIn(block.level) ?? 1;
  const Heading = HEADINGS[level - 1] ?? "h6";
  return <Heading className={`header is-${level}`}>{isObject(block.text) && <SlackText text={block.text} />}</Heading>;
}

function Actions({ block }: { block: Json }): ReactNode {
  return (
    <div className="actions">
      {listIn(block.elements).map((element, at) => (
        <Element key={stringIn(element.action_id) || `at-${at}`} block={block} element={element} />
      ))}
    </div>
  );
}

/** Elements of several controls, which need a group label. */
const GROUPS = new Set(["radio_buttons", "checkboxes"]);

/** An input with its label, hint and error. */
function InputBlock({ block }: { block: Json }): ReactNode {
  const id = useId();
  const error = useSurface().errors[stringIn(block.block_id)];
  const hint = labelIn(block.hint);
  const { element } = block;
  if (!isObject(element)) return null;
  const isGroup = GROUPS.has(stringIn(element.type));
  const label = (
    <>
      {labelIn(block.label)}
      {block.optional === true && <span className="muted"> (optional)</span>}
    </>
  );
  const about = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  return (
    <div className="input" data-input={stringIn(block.block_id)}>
      {isGroup ? (
        <div className="label" id={`${id}-label`}>
          {label}
        </div>
      ) : (
        <label className="label" htmlFor={id}>
          {label}
        </label>
      )}
      <Element
        block={block}
        element={element}
        {...(isGroup ? { labelledBy: `${id}-label` } : { id })}
        describedBy={about}
        isInvalid={error !== undefined}
      />
      {error !== undefined && (
        <div className="error is-small" id={`${id}-error`} role="alert">
          {error}
        </div>
      )}
      {hint && (
        <div className="muted is-small" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  );
}
