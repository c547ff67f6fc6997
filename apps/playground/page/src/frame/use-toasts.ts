import { useCallback, useEffect, useState } from "react";
import type { Connection } from "../state/connection.js";
import type { Toast } from "./toasts.js";

/** More would hide the page. */
const MOST = 3;

export function useToasts(connection: Connection) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  // What could not be done while the playground was away can be done again.
  useEffect(() => {
    if (connection === "live") setToasts([]);
  }, [connection]);
  const toast = useCallback((text: string): void => {
    setToasts((now) => [...now, { id: (now.at(-1)?.id ?? 0) + 1, text }].slice(-MOST));
  }, []);
  const closeToast = useCallback((id: number): void => setToasts((now) => now.filter((one) => one.id !== id)), []);
  return { toasts, toast, closeToast };
}
