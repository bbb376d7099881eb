/** Text for a POSIX shell. */

/** One word, whatever it contains. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Words of one command. */
export const words = (all: readonly string[]): string => all.map(quoted).join(' ');
