import type { KeyboardEvent, ReactNode } from "react";
import type { PlaceInfo } from "../../../src/window/protocol.js";
import { Avatar } from "../conversation/avatar.js";
import { DIRECT, HOME, type Place, titleOf } from "../state/place.js";

interface PlaceHeadProps {
  readonly place: Place;
  readonly here: PlaceInfo;
  readonly unread: number;
  readonly show: (place: Place) => void;
}

/** What is looked at; of the app, its home or its messages. */
export function PlaceHead({ place, here, unread, show }: PlaceHeadProps): ReactNode {
  const isApp = here.kind === "direct";
  const tabs = [
    [HOME, "Home"],
    [DIRECT, "Messages"],
  ] as const;
  const onKeyDown = ({ key }: KeyboardEvent, next: Place): void => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    show(next);
    document.getElementById(`place-${next}`)?.focus();
  };
  return (
    <div className="place-head">
      <h2>
        {isApp && <Avatar who={{ kind: "app" }} size={24} />}
        {isApp ? (
          titleOf(here)
        ) : (
          <>
            <span className="muted hash">#</span> {here.name}
          </>
        )}
      </h2>
      {isApp && (
        <div className="tabs" role="tablist" aria-label={here.name}>
          {tabs.map(([tab, name]) => (
            <button
              key={tab}
              id={`place-${tab}`}
              type="button"
              role="tab"
              aria-selected={tab === place}
              aria-controls={tab === place ? "place" : undefined}
              tabIndex={tab === place ? 0 : -1}
              onKeyDown={(event) => onKeyDown(event, tab === HOME ? DIRECT : HOME)}
              onClick={() => show(tab)}
            >
              {name}
              {tab === DIRECT && unread > 0 && <span className="unread">{unread}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
