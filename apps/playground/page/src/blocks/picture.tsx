import type { ReactNode } from "react";
import { isObject, type Json, labelIn, stringIn } from "../json.js";
import { Link } from "../text/slack-text.js";

/** An image. The page asks no other address for anything: of an image from elsewhere, its description is shown. */
export function Picture({ image, isSmall = false }: { image: Json; isSmall?: boolean }): ReactNode {
  const url = stringIn(image.image_url);
  const alt = stringIn(image.alt_text);
  const isHere = /^(data:image\/|blob:)/.test(url);
  if (isHere) return <img className={isSmall ? "picture is-small" : "picture"} src={url} alt={alt} />;
  return (
    <span className={isSmall ? "no-picture is-small" : "no-picture"} role="img" aria-label={alt} title={alt}>
      {isSmall ? "🖼" : <Link url={url}>🖼 {alt || url}</Link>}
    </span>
  );
}

export function ImageBlock({ block }: { block: Json }): ReactNode {
  return (
    <figure className="figure">
      {isObject(block.title) && <figcaption className="muted is-small">{labelIn(block.title)}</figcaption>}
      <Picture image={block} />
    </figure>
  );
}

/** A film is not shown, but told: it would come from elsewhere. */
export function VideoBlock({ block }: { block: Json }): ReactNode {
  return (
    <div className="card">
      <strong>
        <Link url={stringIn(block.title_url) || stringIn(block.video_url)}>▶ {labelIn(block.title)}</Link>
      </strong>
      <span className="muted is-small">{labelIn(block.description) || stringIn(block.alt_text)}</span>
    </div>
  );
}
