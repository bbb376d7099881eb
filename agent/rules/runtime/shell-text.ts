/** Text for a POSIX shell. */

/** One word, whatever it contains. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Words of one command. */
export const words = (all: readonly string[]): string => all.map(quoted).join(' ');

const IDENTIFIER = /^[A-Za-z_]\w*$/;

/** Names that a shell refuses or sets itself, and those that change how programs are loaded, which must not meet a program of root. */
const SPECIAL =
  /^(_|IFS|PWD|OLDPWD|OPTIND|OPTARG|OPTERR|PPID|LINENO|PS\d|UID|EUID|GROUPS|SHELLOPTS|SHLVL|ENV|BASH.*|LD_.*|GLIBC_TUNABLES|GCONV_PATH|MALLOC_.*|LOCPATH|NLSPATH|RES_OPTIONS|HOSTALIASES|TMPDIR|PERL.*)$/;

/** Variables that the shell passes on, and those that `env` has to set, as one of the last programs. */
export interface SplitEnvironment {
  readonly exported: readonly (readonly [string, string])[];
  /** Words such as `my.name=value`. Other users of the machine see them for an instant. */
  readonly assigned: readonly string[];
}

/** Divides an environment into what a shell may set and what it may not. */
export const splitEnvironment = (environment: Readonly<Record<string, string>>): SplitEnvironment => {
  const all = Object.entries(environment);
  const isPlain = ([name]: readonly [string, string]): boolean =>
    IDENTIFIER.test(name) && !SPECIAL.test(name);
  return {
    exported: all.filter(isPlain),
    assigned: all.filter((entry) => !isPlain(entry)).map(([name, value]) => `${name}=${value}`),
  };
};
