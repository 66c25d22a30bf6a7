/** Where is the project? The nearest folder upwards that holds `collaudo.yaml`. */
import type { Files } from "../model/ports.ts";

/** The file that makes a folder a project. */
export const CONFIG = "collaudo.yaml";

/** The folder of the nearest project upwards from `cwd`, null where there is none. */
export async function nearestRoot(files: Files, cwd: string): Promise<string | null> {
  let folder = cwd === "/" ? cwd : cwd.replace(/\/+$/, "");
  for (;;) {
    const at = folder === "/" ? `/${CONFIG}` : `${folder}/${CONFIG}`;
    const stat = await files.stat(at);
    if (stat !== null && stat.kind !== "folder") return folder;
    if (folder === "/" || folder === "") return null;
    folder = folder.slice(0, folder.lastIndexOf("/")) || "/";
  }
}
