/** What the sources may not do, because other programs of the machine can be there first. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const sources = (...rooms: readonly string[]): readonly string[] =>
  rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(room, name)),
  );

const having = (pattern: RegExp, paths: readonly string[]): readonly string[] =>
  paths.filter((path) => pattern.test(readFileSync(path, 'utf8'))).toSorted();

const PROGRAMS = sources(
  'agent',
  'relay',
  'host',
  'cli',
  'gateway',
  'dashboard/server',
  'terminal',
  'shared/serving',
);

describe('programs on a machine with other programs', () => {
  it('name no abstract socket', () => expect(having(/['"`]\\0(?![\d'"`])/, PROGRAMS)).toEqual([]));

  it('use names below /tmp that cannot be guessed, and few of them', () =>
    expect(having(/['"`]\/(var\/)?tmp\b|\btmpdir\(/, PROGRAMS)).toEqual([
      // Of a container: in its own root.
      'agent/rules/oci/image-root.ts',
      // By a random name that must not be there before.
      'cli/cluster/open-link.ts',
      // Hidden from services.
      'cli/service/unit.ts',
      // By `mkdtemp`.
      'dashboard/server/history/what-if.ts',
      'dashboard/server/page-files.ts',
    ]));

  it('open what a pod can write to with bounds', () => {
    const readers = [
      ...sources('agent/logs', 'agent/volumes'),
      ...sources('agent/adapters/oci-runtime/streams'),
      ...['logs', 'pods'].map((name) => `agent/adapters/cri/${name}.ts`),
    ];
    expect(
      having(/\b(readFileSync|readSync|statSync|openSync|(?<!\.)createReadStream) ?[,}(]/, readers),
    ).toEqual([
      // The pipe of a keeper, in a folder that only the agent can write to.
      'agent/adapters/oci-runtime/streams/keeper-control.ts',
    ]);
    expect(having(/\breadFile\(/, readers)).toEqual([
      // The table of mounts, which is the kernel's.
      'agent/volumes/mounts.ts',
    ]);
  });
});
