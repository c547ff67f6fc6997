import { type ReactNode, useCallback, useEffect, useReducer, useState } from "react";
import { Banner } from "./frame/frame.js";
import { useConnection } from "./state/connection.js";
import {
  type Address,
  DIRECT,
  goneTo,
  HOME,
  type Place,
  readAddress,
  useFollowedAddress,
  useMendedAddress,
} from "./state/place.js";
import { changeState, startState } from "./state/window-state.js";
import { Window } from "./window.js";

/** The page: one person's window at a time. */
export function App(): ReactNode {
  const [person, setPerson] = useState(() => readAddress(location.hash).person);
  const [state, change] = useReducer(changeState, readAddress(location.hash).place ?? "", startState);
  const connection = useConnection(person, change);
  const { scene, place } = state;
  const you = scene?.you;

  // A choice is shown at once, though the other's window is still on its way.
  const chosen = scene?.people.some(({ id }) => id === person) ? person : you;
  const lookAt = useCallback((address: Address) => {
    if (address.person) setPerson(address.person);
    if (address.place) change({ event: "shown", data: address.place });
  }, []);
  useFollowedAddress(lookAt);
  useMendedAddress(scene, place);
  const go = (next: string, to: Place): void => {
    goneTo(next, to);
    lookAt({ person: next, place: to });
  };

  const where =
    place === HOME || place === DIRECT ? scene?.app.name : scene?.places.find(({ id }) => id === place)?.name;
  useEffect(() => {
    document.title = where ? `${where} · Media Ops playground` : "Media Ops playground";
  }, [where]);
  if (!scene) {
    return (
      <main className="waiting">
        <Banner connection={connection} />
        <p className="muted">Media Ops playground is starting …</p>
      </main>
    );
  }
  return (
    <Window state={state} scene={scene} change={change} connection={connection} chosen={chosen ?? scene.you} go={go} />
  );
}
