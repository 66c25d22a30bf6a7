import assert from "node:assert/strict";
import { join } from "node:path";
import { realFiles } from "./files.ts";
import { linesOf } from "./lines.ts";

const files = realFiles();

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function linesIn(path: string): Promise<string[]> {
  return await Array.fromAsync(files.readLines(path));
}

Deno.test("writeText() writes all or nothing, makes the folder and leaves no temporary file", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a/b/report.json");
    await files.writeText(path, "one");
    await files.writeText(path, "two");
    assert.equal(await files.readText(path), "two");
    assert.deepEqual(await files.list(join(folder, "a/b")), [{
      name: "report.json",
      kind: "file",
    }]);
    await assert.rejects(
      files.writeText(join(folder, "a"), "x"),
      { message: `Cannot write "${join(folder, "a")}": it is a folder: expected a file` },
    );
    await assert.rejects(
      files.writeText(join(path, "x"), "x"),
      /: a part of the path is a file: expected a folder$/,
    );
    assert.deepEqual((await files.list(folder)).map(({ name }) => name), ["a"]);
  }));

Deno.test("writeText() replaces a link and not what it points to", () =>
  inFolder(async (folder) => {
    await files.writeText(join(folder, "target"), "kept");
    await Deno.symlink(join(folder, "target"), join(folder, "link"));
    await files.writeText(join(folder, "link"), "new");
    assert.equal(await files.readText(join(folder, "target")), "kept");
    assert.equal(await files.readText(join(folder, "link")), "new");
  }));

Deno.test("readText() says what it could not read and why", () =>
  inFolder(async (folder) => {
    const absent = join(folder, "none.yaml");
    await assert.rejects(files.readText(absent), (error: Error) => {
      assert.equal(error.message, `Cannot read "${absent}": file not found`);
      return error.cause instanceof Deno.errors.NotFound;
    });
    await assert.rejects(files.readText(folder), /: it is a folder: expected a file$/);
    await Deno.writeFile(join(folder, "latin1"), new Uint8Array([0x63, 0xe8]));
    await assert.rejects(files.readText(join(folder, "latin1")), /: it is not UTF-8 text$/);
    await files.writeText(join(folder, "bom"), "\uFEFFid: x\r\n");
    assert.equal(await files.readText(join(folder, "bom")), "\uFEFFid: x\r\n");
  }));

Deno.test("readLines() copes with CRLF, empty lines and a missing last end", () =>
  inFolder(async (folder) => {
    const path = join(folder, "runs.jsonl");
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["", []],
      ["a", ["a"]],
      ["a\n", ["a"]],
      ["a\r\nb\r\n", ["a", "b"]],
      ["a\n\nb", ["a", "", "b"]],
      ["\r\n", [""]],
      ["a\rb\n", ["a\rb"]],
      ["perch\u00e9 \u{1F600}\n", ["perch\u00e9 \u{1F600}"]],
    ];
    for (const [text, lines] of cases) {
      await files.writeText(path, text);
      assert.deepEqual(await linesIn(path), lines, JSON.stringify(text));
    }
    await assert.rejects(
      linesIn(join(folder, "none")),
      /^Error: Cannot read ".*": file not found$/,
    );
  }));

Deno.test("readLines() closes the file when its reader stops early", () =>
  inFolder(async (folder) => {
    const path = join(folder, "runs.jsonl");
    await files.writeText(path, "a\n".repeat(200_000));
    for await (const line of files.readLines(path)) {
      assert.equal(line, "a");
      break;
    }
  }));

Deno.test("linesOf() joins a line of 64 MB from its pieces, however they were cut", async () => {
  const piece = new Uint8Array(65_536).fill(97);
  async function* stream() {
    yield new TextEncoder().encode("x\r");
    yield new TextEncoder().encode("\n");
    for (let n = 0; n < 1024; n++) yield piece;
    yield new TextEncoder().encode("\nlast");
  }
  const lengths = (await Array.fromAsync(linesOf(stream()))).map((line) => line.length);
  assert.deepEqual(lengths, [1, 64 * 1024 * 1024, 4]);
});

Deno.test("stat() and list() see links as links, sort names and take absent for nothing", () =>
  inFolder(async (folder) => {
    await files.writeText(join(folder, "b"), "12");
    await files.writeText(join(folder, "a/x"), "");
    await Deno.symlink(join(folder, "gone"), join(folder, "c"));
    assert.deepEqual(await files.list(folder), [
      { name: "a", kind: "folder" },
      { name: "b", kind: "file" },
      { name: "c", kind: "link" },
    ]);
    assert.deepEqual(await files.stat(join(folder, "b")), { kind: "file", size: 2 });
    assert.equal((await files.stat(join(folder, "c")))?.kind, "link");
    assert.equal(await files.stat(join(folder, "gone")), null);
    assert.equal(await files.stat(join(folder, "b/below")), null);
    assert.deepEqual(await files.list(join(folder, "gone")), []);
    await assert.rejects(files.list(join(folder, "b")), /^Error: Cannot list ".*": a part of/);
    await assert.rejects(
      files.realPath(join(folder, "c")),
      /^Error: Cannot resolve ".*": file not/,
    );
    await assert.rejects(
      files.stat("/dev/null"),
      /special file: expected a file, a folder or a link/,
    );
  }));

Deno.test("remove() takes away a file, a folder with its files, or nothing", () =>
  inFolder(async (folder) => {
    await files.writeText(join(folder, "a/b/c"), "x");
    await files.remove(join(folder, "a"));
    await files.remove(join(folder, "a"));
    assert.deepEqual(await files.list(folder), []);
  }));

Deno.test("remove() takes away folders in which nothing may be written, as caches have them", () =>
  inFolder(async (folder) => {
    const place = join(folder, "cache");
    await files.writeText(join(place, "b/c"), "x");
    await Deno.chmod(join(place, "b"), 0o555);
    await Deno.chmod(folder, 0o777);
    await Deno.chmod(place, 0o777);
    const { remove } = Deno;
    let tries = 0;
    // For root no folder is closed: the first try fails as it does for others.
    Object.assign(Deno, {
      remove: (...args: Parameters<typeof remove>) =>
        tries++ === 0 && (Deno.statSync(join(place, "b")).mode ?? 0) % 0o1000 === 0o555
          ? Promise.reject(new Deno.errors.PermissionDenied("closed"))
          : remove(...args),
    });
    try {
      await files.remove(place);
    } finally {
      Object.assign(Deno, { remove });
    }
    assert.equal(tries, 2);
    assert.equal(await files.stat(place), null);
  }));

Deno.test("a denied permission is told with the task that has it", async () => {
  const module = new URL("./files.ts", import.meta.url).href;
  const script = `
    const { realFiles } = await import(${JSON.stringify(module)});
    const { realHttp } = await import(${JSON.stringify(module.replace("files.ts", "http.ts"))});
    const options = { timeoutMs: 1000, signal: new AbortController().signal };
    const tries = [
      () => realFiles().writeText("/x/y", ""),
      () => realFiles().readText("/etc/hosts"),
      () => realHttp().post("http://192.0.2.1/v1?key=s3cret", { headers: {}, body: {} }, options),
    ];
    for (const attempt of tries) await attempt().catch((error) => console.log(error.message));`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      `--allow-read=${import.meta.dirname}`,
      `data:text/javascript,${encodeURIComponent(script)}`,
    ],
    env: { NO_COLOR: "1" },
  }).output();
  assert.deepEqual(new TextDecoder().decode(stdout).split("\n"), [
    'Cannot write "/x/y": this task writes inside the project and its repository only: choose a path there',
    'Cannot read "/etc/hosts": this task lacks the permission for it: use "deno task eval"',
    'Cannot reach "http://192.0.2.1/v1": this task reaches this machine only: use "deno task eval:live"',
    "",
  ]);
});
