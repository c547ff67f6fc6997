import { type ReactNode, useCallback, useEffect, useReducer, useState } from "react";
import { Banner } from "./frame/frame.js";
import { useConnection } from "./state/connection.js";
import {
  type Address,
  type Place,
  placeOf,
  pushAddress,
  readAddress,
  useAddressChanges,
  useValidAddress,
} from "./state/place.js";
import { changeState, startState } from "./state/window-state.js";
import { Window } from "./window.js";

/** The page, which shows one person's window at a time. */
export function App(): ReactNode {
  const [person, setPerson] = useState(() => readAddress(location.hash).person);
  const [state, change] = useReducer(changeState, readAddress(location.hash).place ?? "", startState);
  const connection = useConnection(person, change);
  const { scene, place } = state;
  const lookAt = useCallback((address: Address) => {
    if (address.person) setPerson(address.person);
    if (address.place) change({ event: "shown", data: address.place });
  }, []);
  useAddressChanges(lookAt);
  useValidAddress(scene, place);
  const go = (next: string, to: Place): void => {
    pushAddress(next, to);
    lookAt({ person: next, place: to });
  };

  const title = scene && placeOf(scene, place)?.name;
  useEffect(() => {
    document.title = title ? `${title} · Media Ops playground` : "Media Ops playground";
  }, [title]);
  if (!scene) {
    return (
      <main className="waiting">
        <Banner connection={connection} />
        <p className="muted">Media Ops playground is starting …</p>
      </main>
    );
  }
  // Highlights a selection immediately, before the window has loaded.
  const chosen = scene.people.find(({ id }) => id === person)?.id ?? scene.you;
  return <Window state={state} scene={scene} change={change} connection={connection} chosen={chosen} go={go} />;
}
