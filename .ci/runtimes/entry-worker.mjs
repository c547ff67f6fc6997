// For workerd, which runs code when a request comes.
import { smoke } from "./smoke.mjs";

export default {
  async fetch(request) {
    return Response.json(await smoke(await request.json()));
  },
};
