/** Writes the bounds of a control group. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Bounds,
  type CgroupWrite,
  cgroupWrites,
  endsTogether,
} from '../../../rules/runtime/cgroup-plan.ts';
import type { Controller } from '../../../rules/stats/cgroup-layout.ts';
import type { CgroupTree } from './cgroup-trees.ts';

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What is not held when a file of the controller cannot be written. */
const HELD: Readonly<Record<Controller, string>> = {
  cpu: 'requests and limits of cpu are',
  cpuacct: 'nothing is',
  memory: 'limits of memory are',
  pids: 'limits of processes are',
};

const write = (folder: string, { file, value, isOptional = false }: CgroupWrite): string | undefined => {
  const path = join(folder, file);
  if (isOptional && !existsSync(path)) return undefined;
  try {
    writeFileSync(path, value);
    return undefined;
  } catch (error) {
    return isOptional ? undefined : errorText(error);
  }
};

/** Answers what could not be written, for people. */
export const writeBounds = (tree: CgroupTree, folder: string, bounds: Bounds): readonly string[] =>
  tree.controllers.flatMap((controller) => {
    const also = tree.version === 'v2' && controller === 'memory' ? [endsTogether] : [];
    return [...cgroupWrites(tree.version, controller, bounds), ...also].flatMap((one) => {
      const error = write(folder, one);
      return error === undefined
        ? []
        : [`control groups: ${controller}: ${error}: ${HELD[controller]} not held`];
    });
  });
