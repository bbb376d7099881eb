import { existsSync, readFileSync } from 'node:fs';

/** Milliseconds of processor time of a process. Linux counts them in hundredths of a second, after the name in parentheses. */
export const processorMs = (pid: number): number => {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return Number.NaN;
  const fields = readFileSync(stat, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

/** Memory of a process, MB. */
export const residentMb = (pid: number): number => {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return Number.NaN;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]) / 1024;
};
