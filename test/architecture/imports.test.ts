import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PRODUCTION } from './guards/source.ts';
import { cyclesOf, folderIn, importGraph, importsOf, mutualFolders } from './import-graph.ts';
import { ALWAYS, isEntryFor, placeOf, ROOMS, roomOf } from './rooms.ts';

const files = PRODUCTION.filter((path) => path.endsWith('.ts'));

/** The entries with `{a,b}` written out, one name each. */
const writtenOut = (entry: string): readonly string[] => {
  const [, before = '', names = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(entry) ?? [];
  return names === '' ? [entry] : names.split(',').map((name) => `${before}${name}${after}`);
};

const isAllowed = (path: string, target: string): boolean => {
  const place = placeOf(path);
  if (!place) return false;
  const { room, folder } = place;
  return target.startsWith(`${folder}/`) || room.mayImport.some((entry) => isEntryFor(entry, target));
};

const graph = importGraph(files);
const edges = [...graph].flatMap(([path, targets]) => targets.map((target) => ({ path, target })));
const importsByRoom = Map.groupBy(edges, ({ path }) => roomOf(path));
const offenders = (wrong: (edge: { path: string; target: string }) => boolean): readonly string[] =>
  edges.filter(wrong).map(({ path, target }) => `${path} -> ${target}`);

const linesWith = (folder: string, pattern: RegExp, except: readonly string[] = []): readonly string[] =>
  files
    .filter((path) => path.startsWith(folder) && !except.includes(path))
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line, index) => ({ path, line, number: index + 1 })),
    )
    .filter(({ line }) => pattern.test(line))
    .map(({ path, number, line }) => `${path}:${number}: ${line.trim()}`);

describe('the table of rooms', () => {
  it('has a room for each file of the source, and no room twice', () => {
    expect(PRODUCTION.filter((path) => !roomOf(path))).toEqual([]);
    expect(new Set(ROOMS.map(({ path }) => path)).size).toBe(ROOMS.length);
  });

  it.each(ROOMS)('has files in $path', (room) => {
    expect(files.some((path) => roomOf(path) === room)).toBe(true);
  });

  it.each(ROOMS)('lets $path import nothing that it does not import', (room) => {
    const targets = importsByRoom.get(room)?.map(({ target }) => target) ?? [];
    const entries = room.mayImport.flatMap(writtenOut);
    expect(entries.filter((entry) => !targets.some((target) => isEntryFor(entry, target)))).toEqual([]);
  });

  it('has each room below the rooms that it imports', () => {
    const upwards = edges.flatMap(({ path, target }) => {
      const [from, to] = [roomOf(path), roomOf(target)];
      const isUpward = from && to && ROOMS.indexOf(from) < ROOMS.indexOf(to);
      return isUpward && !to.path.startsWith(`${from.path}/`) ? [`${from.path} -> ${to.path}`] : [];
    });
    expect(upwards).toEqual([]);
  });

  it.each(ROOMS)('names scripts that exist as the checks of $path', ({ checks }) => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(checks.length).toBeGreaterThan(0);
    expect([...checks, ...ALWAYS].filter((script) => !(script in scripts))).toEqual([]);
  });

  it('gives a file to the narrowest room that holds it', () => {
    const rooms = {
      'shared/kinds/pods/a.ts': 'shared/kinds',
      'lambdas/controllers.ts': 'lambdas/controllers.ts',
      'lambdas/drain/nodes/a.ts': 'lambdas/drain',
      'lambdas/job/work.ts': 'lambdas/*',
      'lambdas/loose.ts': undefined,
      'test/unit/a.test.ts': undefined,
    };
    expect(Object.keys(rooms).map((path) => roomOf(path)?.path)).toEqual(Object.values(rooms));
  });
});

describe('imports', () => {
  it('follow the table of rooms', () => {
    expect(offenders(({ path, target }) => !isAllowed(path, target))).toEqual([]);
  });

  it('take jose only for authentication', () => {
    expect(offenders(({ path, target }) => target === 'jose' && !path.endsWith('authentication.ts'))).toEqual(
      [],
    );
  });

  it('leave the AWS SDK to the adapters, the command line and the deployment', () => {
    const isSdk = (target: string): boolean => target.startsWith('@aws-sdk/');
    expect(
      offenders(({ path, target }) => isSdk(target) && !/^(shared\/adapters|cli|cdk)\//.test(path)),
    ).toEqual([]);
  });

  it('leave HTTPS to the one client, the servers, the probes of containers and event sinks', () => {
    // A probe speaks to a container, whose certificate nobody has signed; the client never does without a check.
    const probes = 'agent/adapters/probes/http-get.ts';
    const servers = ['shared/serving/http/secure-server.ts', 'agent/server/node-server.ts'];
    // Sinks have certificate authorities of their own, which fetch does not take.
    const sinks = 'shared/adapters/webhook/post-event.ts';
    const its = ['shared/client/transport.ts', ...servers, probes, sinks];
    expect(offenders(({ path, target }) => target === 'node:https' && !its.includes(path))).toEqual([]);
  });

  it('leave gRPC to the client of container runtimes', () => {
    const itsOwn = 'agent/adapters/cri/client.ts';
    expect(offenders(({ path, target }) => target === '@grpc/grpc-js' && path !== itsOwn)).toEqual([]);
  });

  it('leave WebSockets of the agent to its server', () => {
    const isOwn = (path: string): boolean => /^(agent\/server|shared\/serving)\//.test(path);
    expect(offenders(({ path, target }) => target === 'ws' && !isOwn(path))).toEqual([]);
  });

  it('leave SQLite to its adapters', () => {
    expect(
      offenders(
        ({ path, target }) => target === 'node:sqlite' && !path.startsWith('shared/adapters/sqlite/'),
      ),
    ).toEqual([]);
  });

  it('never go in a circle, types included', () => {
    expect(cyclesOf(importGraph([...files, ...globSync('test/**/*.ts')]))).toEqual([]);
  });

  it('would be caught in a circle that one of types alone closes', () => {
    const texts = {
      'shared/store/a.ts': "import { b } from './b.ts';",
      'shared/store/b.ts': "import type {\n  C,\n} from '../ports/c.ts';",
      'shared/ports/c.ts': "import type { A } from '../store/a.ts';",
      'shared/ports/d.ts': "import { c } from './c.ts';\nimport 'node:fs';",
      'shared/ports/e.ts': "export const e = () => import('./e.ts');",
    };
    const planted = new Map(Object.entries(texts).map(([path, text]) => [path, importsOf(path, text)]));
    expect(cyclesOf(planted).map((cycle) => cycle.toSorted())).toEqual([
      ['shared/ports/c.ts', 'shared/store/a.ts', 'shared/store/b.ts'],
      ['shared/ports/e.ts'],
    ]);
  });

  it('go one way between two folders of the API server', () => {
    expect(mutualFolders('shared/apiserver', graph)).toEqual([]);
    const planted = new Map([
      ['shared/apiserver/a/one.ts', ['shared/apiserver/b/two.ts', 'shared/apiserver/c/four.ts']],
      ['shared/apiserver/b/three.ts', ['shared/apiserver/a/five.ts', 'shared/apiserver/deps.ts']],
      ['shared/apiserver/deps.ts', ['shared/apiserver/b/two.ts']],
    ]);
    expect(mutualFolders('shared/apiserver', planted)).toEqual(['a <-> b']);
  });

  it('of an adapter stay in its folder, but for what adapters share', () => {
    const shared = [
      'shared/adapters/in-process/',
      'shared/adapters/system/',
      'shared/adapters/sqs/batches.ts',
    ];
    const adapterOf = (path: string): string => `shared/adapters/${folderIn('shared/adapters', path)}/`;
    expect(
      offenders(
        ({ path, target }) =>
          path.startsWith('shared/adapters/') &&
          target.startsWith('shared/adapters/') &&
          ![adapterOf(path), ...shared].some((allowed) => target.startsWith(allowed)),
      ),
    ).toEqual([]);
  });

  it('see every file of the source', () => {
    expect(files.length).toBeGreaterThan(50);
  });
});

describe('the source', () => {
  it('keeps rules free of clock, chance and environment', () => {
    const ambient = /Date\.now|new Date\(\)|Math\.random|process\.|setTimeout|console\./;
    expect(linesWith('agent/rules', ambient)).toEqual([]);
    expect(linesWith('shared/rules', ambient)).toEqual([]);
    expect(linesWith('shared/kube', ambient)).toEqual([]);
    expect(linesWith('shared/store', ambient)).toEqual([]);
  });

  it('reads the environment in one place of the runtime', () => {
    expect(linesWith('lambdas', /process\.env/, ['lambdas/runtime/parse-env.ts'])).toEqual([]);
    expect(linesWith('shared', /process\.env/)).toEqual([]);
  });

  it('numbers no parameter of a statement: Node 24 binds `?1` from 24.7 on only', () => {
    expect(linesWith('shared/adapters/sqlite', /\?\d/)).toEqual([]);
  });

  it('has neither default exports nor notes to self', () => {
    expect(linesWith('', /^export default|\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });

  it('has few files at the root of the API server, and none at that of local', () => {
    const loose = (room: string): readonly string[] =>
      files.filter((path) => path.startsWith(`${room}/`) && folderIn(room, path) === undefined);
    expect(loose('shared/apiserver').length).toBeLessThanOrEqual(12);
    expect(loose('local')).toEqual([]);
  });

  it('names no room after nothing in particular', () => {
    expect(files.filter((path) => /(^|\/)(utils?|helpers?|common|managers?)(\/|\.ts$)/.test(path))).toEqual(
      [],
    );
  });
});
