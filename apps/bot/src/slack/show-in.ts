import { problemDraft } from "../problem.js";
import type { Request } from "../request.js";
import { refusalOf } from "./refusal.js";
import { type Modal, updateModal } from "./views.js";

/** Shows something in a window; false where the person has closed it meanwhile. */
export async function showIn({ slack, log }: Request, viewId: string, modal: Modal): Promise<boolean> {
  try {
    await updateModal(slack, viewId, modal, log);
    return true;
  } catch (error) {
    if (refusalOf(error)?.code !== "not_found") throw error;
    return false;
  }
}

/** What is worked out for a window; where that fails, why: nobody waits before a window for nothing. */
export async function orProblem(title: string, request: Request, make: () => Promise<Modal>): Promise<Modal> {
  try {
    return await make();
  } catch (error) {
    return { title, blocks: problemDraft(error, request).blocks };
  }
}
