/** Descriptors that this process got from who started it, and would give to each program that it starts. */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** Source: Linux `O_CLOEXEC`, as `/proc/PID/fdinfo` shows it. Node sets it for all that it opens, and for inherited descriptors up to 15. */
const CLOSED_FOR_PROGRAMS = 0o2_000_000;
const FIRST_FREE = 3;

const isInherited = (descriptor: number): boolean => {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1');
    const flags = Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '', 8);
    return !Number.isNaN(flags) && (flags & CLOSED_FOR_PROGRAMS) === 0;
  } catch {
    return false;
  }
};

/** Closes them, except the three standard streams. A secret of the starter may be behind one, and a pipe would not end. */
export const closeInherited = (): void => {
  if (process.platform !== 'linux') return;
  const descriptors = readdirSync('/proc/self/fd').map(Number);
  for (const descriptor of descriptors)
    if (descriptor >= FIRST_FREE && isInherited(descriptor)) closeSync(descriptor);
};
