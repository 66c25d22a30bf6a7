/**
 * Which file is started where a program is named? A path as it is, a name by the folders of PATH.
 * Null where nothing that may be executed lies there.
 */
import { isAbsolute, join } from "node:path";

/** The absolute path of a program, null where there is none. */
export async function findProgram(name: string, path: string): Promise<string | null> {
  if (name.includes("/")) return isAbsolute(name) && await isProgram(name) ? name : null;
  for (const folder of path.split(":")) {
    if (!isAbsolute(folder)) continue;
    const place = join(folder, name);
    if (await isProgram(place)) return place;
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    const { isFile, mode } = await Deno.stat(path);
    return isFile && (mode === null || (mode & 0o111) !== 0);
  } catch {
    return false;
  }
}
