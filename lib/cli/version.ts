/** The version of this program, as `--version` prints it and reports store it. */
export const VERSION = "0.1.0";
