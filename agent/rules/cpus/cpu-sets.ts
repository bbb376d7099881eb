/** Sets of CPUs as ascending lists of their numbers. */
export type CpuSet = readonly number[];

export const sorted = (cpus: Iterable<number>): CpuSet => [...new Set(cpus)].sort((a, b) => a - b);

export const together = (...sets: readonly CpuSet[]): CpuSet => sorted(sets.flat());

export const without = (set: CpuSet, removed: CpuSet): CpuSet => {
  const gone = new Set(removed);
  return set.filter((cpu) => !gone.has(cpu));
};

export const common = (a: CpuSet, b: CpuSet): CpuSet => {
  const there = new Set(b);
  return a.filter((cpu) => there.has(cpu));
};

export const areSame = (a: CpuSet, b: CpuSet): boolean =>
  a.length === b.length && a.every((cpu, index) => cpu === b[index]);
