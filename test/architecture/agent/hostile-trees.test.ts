/**
 * Pods are enemies of the machine's files: who removes, gives away or walks a tree by its path can be led elsewhere by a link that a pod
 * puts into that path meanwhile. So the agent does it by `agent/adapters/linux/trees`, and otherwise only where no pod can write.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PRODUCTION } from '../guards/source.ts';

/** What works on a path by its name, and on what a link leads to. */
const REFUSED =
  /^(rm|rmdir|unlink|chown|chmod|lchown|lchmod|utimes|lutimes|cp|truncate|glob)(Sync)?$|^(fs|promises|default)$/;

/** Programs that do the same. */
const PROGRAMS = /(['"`])(?:\/(?:usr\/)?s?bin\/)?(rm|du|chown|chmod|chgrp|rmdir|shred)\1/g;

const IMPORT = /^import\s+(?:type\s+)?([^;]*?)\s+from\s+'(?:node:)?fs(?:\/promises)?'/gm;
const CALLS = /\b(?:readdir|opendir|rm|rmdir|cp)(?:Sync)?\(/g;

/** The text from an opening parenthesis to the one that closes it. */
const argumentsAt = (text: string, start: number): string => {
  let depth = 1;
  let at = start;
  for (; depth > 0 && at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
  }
  return text.slice(start, at);
};

/** The refused functions that a file has: their names, `recursive` for walks by path, and `program NAME`. */
const refusedIn = (text: string): readonly string[] => {
  const imported = [...text.matchAll(IMPORT)].flatMap(([, clause = '']) => {
    if (!clause.startsWith('{')) return ['fs'];
    return clause
      .slice(1, -1)
      .split(',')
      .map(
        (one) =>
          one
            .replace(/\btype\b/, '')
            .trim()
            .split(/\s/)[0] ?? '',
      );
  });
  const walks = [...text.matchAll(CALLS)].some((call) =>
    /\brecursive\b(?!:\s*false)/.test(argumentsAt(text, call.index + call[0].length)),
  );
  const programs = [...text.matchAll(PROGRAMS)].map(([, , name = '']) => `program ${name}`);
  const called = imported.filter((name) => REFUSED.test(name)).map((name) => name.replace(/Sync$/, ''));
  return [...new Set([...called, ...(walks ? ['recursive'] : []), ...programs])].toSorted();
};

interface Allowed {
  readonly names: readonly string[];
  readonly reason: string;
}

const ALLOWED: Readonly<Record<string, Allowed>> = {
  'agent/adapters/linux/trees/remove-tree.ts': {
    names: ['program rm'],
    reason: 'this is how trees are removed: `rm` walks by descriptors',
  },
  'agent/adapters/linux/trees/tree-size.ts': {
    names: ['program du'],
    reason: 'this is how trees are measured: `du` walks by descriptors',
  },
  'agent/adapters/linux/trees/give-tree.ts': {
    names: ['chmod', 'chown'],
    reason: 'what a walk by descriptors has found, by its descriptor',
  },
  'agent/adapters/instance.ts': {
    names: ['chmod', 'rm'],
    reason: 'the socket of the agent, in its root folder, which only its user can enter',
  },
  'agent/adapters/linux/closed-folder.ts': {
    names: ['chmod'],
    reason: 'folders below the agent’s own ones and those of logs, in which no pod can make anything',
  },
  'agent/adapters/linux/groups/remove-groups.ts': {
    names: ['rmdir'],
    reason: 'folders of control groups: only root makes them, and they have no links',
  },
  'agent/adapters/cri/logs.ts': {
    names: ['rm'],
    reason:
      'single files in folders of logs, which are root’s: containers have their output as a descriptor only',
  },
  'agent/adapters/cri/pod-files.ts': {
    names: ['chmod', 'rm'],
    reason: 'a single file in a folder of root: the container may write into the file, not into the folder',
  },
  'agent/adapters/oci-runtime/bundles/bundle.ts': {
    names: ['chmod', 'chown'],
    reason:
      'folders and a file of a bundle that the agent makes in a folder of its own, before its container runs',
  },
  'agent/adapters/oci-runtime/containers/remove.ts': {
    names: ['rmdir'],
    reason: 'the folder of a container’s log, in the pod’s folder of logs, which is root’s',
  },
  'agent/adapters/oci-runtime/streams/command.ts': {
    names: ['unlink'],
    reason: 'files of the agent in the folder of an attempt, which only its user can enter',
  },
  'agent/adapters/linux/whole-files.ts': {
    names: ['recursive', 'rm'],
    reason: 'a folder that the agent has not finished to make, below its own folders: no container has begun',
  },
  'agent/adapters/systemd.ts': {
    names: ['rm'],
    reason: 'the unit of the agent’s own service, in a folder of root',
  },
  'agent/rules/oci/capabilities.ts': {
    names: ['program chown'],
    reason: 'the name of a capability, not a program that is run',
  },
  'agent/volumes/atomic-folder.ts': {
    names: ['chmod', 'chown', 'recursive', 'rm'],
    reason:
      'files of ConfigMaps, Secrets and tokens: their folders are root’s with mode 0755, and are mounted read-only; a pod may own a file, never a name',
  },
};

const files = PRODUCTION.filter((path) => /^agent\/.*\.ts$/.test(path));
const found = new Map(
  files.flatMap((path) => {
    const names = refusedIn(readFileSync(path, 'utf8'));
    return names.length === 0 ? [] : [[path, names] as const];
  }),
);

describe('trees that pods can write', () => {
  it('are removed, given away and walked by the functions for hostile trees alone', () => {
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(ALLOWED).map(([path, { names }]) => [path, names.toSorted()])),
    );
  });

  it('are told from others by a reason for each file', () => {
    expect(Object.values(ALLOWED).filter(({ reason }) => reason.length < 20)).toEqual([]);
  });

  it.each([
    ["import { rm } from 'node:fs/promises';", ['rm']],
    ["import { rm as remove } from 'fs/promises';", ['rm']],
    ["import fs from 'node:fs';", ['fs']],
    ["import * as files from 'node:fs';", ['fs']],
    ["import { promises } from 'node:fs';", ['promises']],
    ["import {\n  existsSync,\n  chownSync,\n} from 'node:fs';", ['chown']],
    ['const a = await readdir(path, { recursive: true });', ['recursive']],
    ['for (const a of readdirSync(join(x, y), {\n  recursive: true }))', ['recursive']],
    ['rmSync(join(a, b), { recursive, force });', ['recursive']],
    ["spawn('rm', ['-rf', path])", ['program rm']],
    ["spawn('/bin/chown', [path])", ['program chown']],
    [
      "import { readdir } from 'node:fs/promises';\nawait readdir(path); mkdir(path, { recursive: true });",
      [],
    ],
  ])('are found: %s', (text, names) => {
    expect(refusedIn(text)).toEqual(names);
  });
});
