/**
 * What do trees do with what an agent left to mislead them? Links in the place of folders, folders in
 * the place of files, files with holes.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { copyTree, readTree } from "./trees.ts";

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("copyTree() writes through no link, and takes the place of what stands in the way", () =>
  inFolder(async (folder) => {
    const [from, elsewhere, to] = ["from", "elsewhere", "to"].map((name) => join(folder, name));
    assert.ok(from !== undefined && elsewhere !== undefined && to !== undefined);
    for (const each of [`${from}/deep`, elsewhere, `${to}/name.txt`]) {
      await Deno.mkdir(each, { recursive: true });
    }
    await Deno.writeTextFile(`${from}/name.txt`, "ours");
    await Deno.writeTextFile(`${from}/deep/test.txt`, "ours too");
    await Deno.writeTextFile(`${elsewhere}/test.txt`, "not to be touched");
    await Deno.symlink(elsewhere, `${to}/deep`);
    await Deno.symlink(elsewhere, `${to}/at`);
    await copyTree(from, to);
    await copyTree(from, to, "at/below");
    assert.equal(await Deno.readTextFile(`${elsewhere}/test.txt`), "not to be touched");
    assert.equal((await Array.fromAsync(Deno.readDir(elsewhere))).length, 1);
    for (const place of [to, `${to}/at/below`]) {
      assert.equal(await Deno.readTextFile(`${place}/name.txt`), "ours");
      assert.equal(await Deno.readTextFile(`${place}/deep/test.txt`), "ours too");
    }
  }));

Deno.test("a file that claims a size beyond all measure is neither read nor copied", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(join(folder, "work"));
    const file = await Deno.create(join(folder, "work/big"));
    await file.truncate(3 * 1024 ** 3);
    file.close();
    const tooLarge = /^Error: Cannot (?:read|copy) ".*work": its files are larger than 2 GiB$/;
    await assert.rejects(readTree(join(folder, "work"), 10), tooLarge);
    await assert.rejects(copyTree(join(folder, "work"), join(folder, "copy")), tooLarge);
  }));

Deno.test("readTree() has the hash of a file by its bytes, however large", () =>
  inFolder(async (folder) => {
    await Deno.writeFile(join(folder, "zeros"), new Uint8Array(1_000_000));
    const [entry] = await readTree(folder, 10);
    const hash = "d29751f2649b32ff572b5e0a9f541ea660a50f94ff0beedfb0b692b924cc8025";
    assert.deepEqual(entry, { path: "zeros", value: `sha256:${hash}`, mode: "644" });
  }));
