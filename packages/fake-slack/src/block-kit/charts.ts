import { fieldOf, itemsOf } from "./json.js";
import { blockId } from "./rich-text.js";
import { list, number, numberAboveZero, object, oneOf, optional, type Shape, type ShapeRule, string } from "./rules.js";
import { checkUnique, uniqueIn } from "./shape-rules.js";

// Slack's documentation has said six and twelve; what has six fits either way.
const PARTS = { max: 6 };
const POINTS = { max: 20 };

const label = string({ max: 20 });

const uniqueCategories: ShapeRule = ({ categories }, place) => {
  checkUnique(
    itemsOf(categories).map((value, index) => ({ value, place: place.at("categories", index) })),
    "category",
  );
};

/** Each series has one point for each category, in any order. */
const noGaps: ShapeRule = ({ series, axis_config }, place) => {
  const categories = itemsOf(fieldOf(axis_config, "categories"));
  for (const [index, one] of itemsOf(series).entries()) {
    const data = place.at("series", index, "data");
    const labels = itemsOf(fieldOf(one, "data")).map((point) => fieldOf(point, "label"));
    const strange = labels.findIndex((label) => !categories.includes(label));
    const missing = categories.find((category) => !labels.includes(category));
    if (strange >= 0) data.at(strange, "label").fault("must be one of the provided categories");
    else if (missing !== undefined) data.fault(`missing data point: ${missing}`);
  }
};

const series: Shape = {
  fields: {
    series: list(
      object({
        fields: { name: label, data: list(object({ fields: { label, value: number } }), POINTS) },
        also: [uniqueIn("data", "label")],
      }),
      PARTS,
    ),
    axis_config: object({
      fields: {
        categories: list(label, POINTS),
        x_label: optional(string({ max: 50 })),
        y_label: optional(string({ max: 50 })),
      },
      also: [uniqueCategories],
    }),
  },
  also: [uniqueIn("series", "name"), noGaps],
};

const pie: Shape = {
  fields: { segments: list(object({ fields: { label, value: numberAboveZero } }), PARTS) },
};

export const dataVisualization: Shape = {
  on: ["message"],
  fields: {
    block_id: optional(blockId),
    title: string({ max: 50 }),
    chart: oneOf({ line: series, bar: series, area: series, pie }),
  },
};
