/** Looks at the arguments of all programs that this process has started, and of those that they have started, while they live. */
import { readdirSync, readFileSync } from 'node:fs';

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended, or belongs to another user.
    return '';
  }
};

const MARKER = 'ROLLCALL_ARGUMENTS_OF';
/** Milliseconds between two looks: the shortest program of Rollcall takes longer to start. */
const PERIOD_MS = 100;

/** A JSON Web Token, as all tokens of Rollcall are. */
const ANY_TOKEN = /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/;

/** What follows the name of a program, which may have blanks and brackets. */
const afterName = (stat: string): string => stat.slice(stat.lastIndexOf(')') + 1);

const parentOf = (pid: string): string | undefined => afterName(textOf(`/proc/${pid}/stat`)).split(' ')[2];

const isDescendant = (pid: string): boolean => {
  if (textOf(`/proc/${pid}/environ`).split('\0').includes(`${MARKER}=${process.pid}`)) return true;
  for (let parent = parentOf(pid); parent !== undefined && parent !== '0'; parent = parentOf(parent))
    if (parent === String(process.pid)) return true;
  return false;
};

export interface ArgumentWatch {
  /** Counts as a secret from here on, besides all tokens. */
  add(secret: string): void;
  /** Command lines that had one. */
  found(): readonly string[];
  /** How many programs of this process were looked at. */
  programs(): number;
  stop(): void;
}

/** Programs that begin from here on carry a marker in their environment, by which they are known when their parents have ended. */
export const watchArguments = (): ArgumentWatch => {
  process.env[MARKER] = String(process.pid);
  const secrets = new Set<string>();
  const found = new Set<string>();
  const seen = new Set<string>();
  // Most programs of a machine are none of ours, and stay so.
  const foreign = new Set<string>();
  const hasSecret = (line: string): boolean =>
    ANY_TOKEN.test(line) || [...secrets].some((secret) => line.includes(secret));
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const line = textOf(`/proc/${pid}/cmdline`);
      const known = `${pid} ${line}`;
      if (line === '' || seen.has(known) || foreign.has(known)) continue;
      const isOurs = pid !== String(process.pid) && isDescendant(pid);
      (isOurs ? seen : foreign).add(known);
      if (isOurs && hasSecret(line)) found.add(line.replaceAll('\0', ' '));
    }
  };
  const timer = setInterval(look, PERIOD_MS);
  return {
    add: (secret) => {
      secrets.add(secret);
      for (const known of seen) if (known.includes(secret)) found.add(known.replaceAll('\0', ' '));
    },
    found: () => [...found],
    programs: () => seen.size,
    stop: () => {
      look();
      clearInterval(timer);
    },
  };
};
