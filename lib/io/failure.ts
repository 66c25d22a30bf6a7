/**
 * Why did an effect fail, in words for a person? Turns what Deno throws into one error that names
 * the thing and the cause: absent, forbidden by the system, forbidden by the task (it says which
 * task may), disk full. The original error stays as `cause`.
 */

/** What a task may be lacking when Deno refuses an effect. */
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/^Requires net access/, 'this task reaches this machine only: use "deno task eval:live"'],
  [/^Requires run access/, 'this task runs git only: use "deno task eval:live"'],
  [
    /^Requires (write|all) access/,
    "this task writes inside the project and its repository only: choose a path there",
  ],
  [/./, 'this task lacks the permission for it: use "deno task eval"'],
];

const CODES: Readonly<Record<string, string>> = {
  ENOENT: "file not found",
  ENOTDIR: "a part of the path is a file: expected a folder",
  EISDIR: "it is a folder: expected a file",
  EACCES: "the operating system denies access",
  EPERM: "the operating system denies access",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file grew too large for the file system",
  ENAMETOOLONG: "the file name is too long",
  ELOOP: "too many links follow each other",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOTEMPTY: "the folder is not empty",
  EEXIST: "a part of the path is a file: expected a folder",
};

/**
 * The error to throw for a failed effect.
 * @param action the verb and the kind, such as `Cannot read`
 * @param subject the path or address, put in quotes
 */
export function failure(action: string, subject: string, cause: unknown): Error {
  return new Error(`${action} "${subject}": ${whyFailed(cause)}`, { cause });
}

/** The cause alone: lower case, no full stop, no path. */
export function whyFailed(cause: unknown): string {
  if (cause instanceof Deno.errors.NotCapable) return whyDenied(cause.message);
  const code = codeOf(cause);
  const known = code === null ? undefined : CODES[code];
  if (known !== undefined) return known;
  return cause instanceof Error ? cause.message : String(cause);
}

/** True where the effect failed because nothing lies at the path. */
export function isAbsent(cause: unknown): boolean {
  const code = codeOf(cause);
  return code === "ENOENT" || code === "ENOTDIR";
}

function whyDenied(message: string): string {
  return NEEDS.find(([pattern]) => pattern.test(message))?.[1] ?? message;
}

function codeOf(cause: unknown): string | null {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  return typeof code === "string" ? code : null;
}
