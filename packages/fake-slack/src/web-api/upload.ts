import { bodyOf, type Handler, sendText, urlOf } from "../http.js";
import { UPLOAD_PATH } from "../world/uploads.js";
import { formOf } from "./arguments.js";

/** Takes in the bytes of a file that was announced, be they the whole body or a part of a form. */
export const handleUpload: Handler = async (world, request, response) => {
  const upload = world.uploads.get(urlOf(request).pathname.slice(UPLOAD_PATH.length));
  if (!upload) return sendText(response, 404, "Not found");
  const body = await bodyOf(request);
  const type = request.headers["content-type"] ?? "";
  const content = type.startsWith("multipart/form-data") ? await fileIn(body, type) : body;
  if (content.length !== upload.length) return sendText(response, 400, "Not as long as announced");
  upload.content = content;
  sendText(response, 200, `OK - ${content.length}`);
};

async function fileIn(body: Buffer, type: string): Promise<Buffer> {
  for (const [, part] of await formOf(body, type)) {
    if (typeof part !== "string") return Buffer.from(await part.arrayBuffer());
  }
  return Buffer.alloc(0);
}
