/** How do names and hashes look? The texts alone: schemas of them stand in `common.ts`. */

/** An identifier as file names carry it. */
export const IDENTIFIER = /^[a-z0-9_-]+$/;

/** `sha256:<64 hex digits>`. */
export const SHA256 = /^sha256:[0-9a-f]{64}$/;
